"""Ensemble members for tests, stored with a run."""

import numpy as np

from app.datasources.weather.run_writer import LayerAxes, MemberWriter
from app.datasources.weather.store import open_run
from app.engine.weather import Group
from app.engine.weather.groups import pack


def store_members(run_folder, winds_ms, waves_m=None):
    """Store members of uniform west wind, and of uniform westerly waves where given.

    ``winds_ms`` and ``waves_m`` map a member's number to its value; grid and
    times are the run's own.
    """
    layers = open_run(run_folder).layers
    values = {Group.WIND: {number: (speed, 0.0) for number, speed in winds_ms.items()}}
    if waves_m:
        values[Group.WAVE] = {n: (height, 8.0, -1.0, 0.0) for n, height in waves_m.items()}
    axes = {group: LayerAxes(layers[group].grid, layers[group].times_h) for group in values}
    with MemberWriter(run_folder.parent, axes) as writer:
        for number in winds_ms:
            writer.add_member(number)
            for group, array in writer.open_member(number).items():
                row = np.array(values[group][number], float)
                array[:] = pack(group, np.broadcast_to(row, array.shape))
            writer.end_member(number)
        return writer.finish(run_folder)
