"""The class of the web application."""

from collections.abc import Callable
from typing import Any

from flask import Flask


class Application(Flask):
    """A Flask application without coroutines."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function itself.

        Flask asks for each of the twenty functions that a request runs whether it is a coroutine.
        """
        return func
