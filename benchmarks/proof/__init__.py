"""What Chartroom claims, measured by one command: claims, their runs, and the page of proof.

:mod:`claims` lists what is measured and what is asked of each figure, :mod:`running` runs it,
:mod:`page` writes it up. ``python -m benchmarks.prove`` does all of it.
"""
