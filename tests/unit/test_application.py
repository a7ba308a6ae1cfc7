"""The class of the web application."""

from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction

from app import create_app
from app.application import Application
from app.config import Settings


def functions_of(app: Application) -> Iterator[Callable[..., object]]:
    """Views and the functions that run before and after them."""
    yield from app.view_functions.values()
    for scoped in (app.before_request_funcs, app.after_request_funcs, app.teardown_request_funcs):
        for functions in scoped.values():
            yield from functions
    for handlers in app.error_handler_spec.values():
        for by_class in handlers.values():
            yield from by_class.values()


def test_no_function_of_a_request_is_a_coroutine() -> None:
    nowhere = Settings(
        database_url="postgresql://nobody@localhost:1/none", redis_url="redis://localhost:1/0"
    )
    app = create_app(nowhere)
    assert isinstance(app, Application)
    assert [function for function in functions_of(app) if iscoroutinefunction(function)] == []
