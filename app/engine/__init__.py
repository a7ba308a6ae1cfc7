"""Voyage planning as pure functions of numbers.

No module of this package uses a web server, a database, a queue, a network or a clock.
Start reading at :mod:`app.engine.planner`.
"""

__version__ = "0.1.0"
