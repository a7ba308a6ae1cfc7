"""Voyage planning as plain mathematics: numbers in, numbers out.

Nothing below this package knows of a web server, a database, a queue, a
network or a clock. Start reading at :mod:`app.engine.planner`.
"""

__version__ = "0.1.0"
