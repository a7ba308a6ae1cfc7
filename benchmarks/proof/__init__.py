"""Claims of Chartroom, measured by one command, with the page that proves them.

:mod:`claims` lists the figures and their required ranges, :mod:`running` measures them, :mod:`page`
writes the results. ``python -m benchmarks.prove`` does all of it.
"""
