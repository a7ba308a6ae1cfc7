"""Error pages, made from the API's problem responses."""

from flask import Flask, Response, json, render_template, request, url_for

from app.pages.web.security import prefers_html

_PROBLEM = "application/problem+json"

_TITLES = {
    403: "Not allowed",
    404: "Page not found",
    409: "Not possible now",
    422: "Entry not accepted",
    429: "Too many requests",
    503: "The service is unavailable",
}


def init_app(app: Flask) -> None:
    """Show errors as pages."""
    app.after_request(_as_page)


def _as_page(response: Response) -> Response:
    if response.mimetype != _PROBLEM or not prefers_html(request):
        return response
    problem = json.loads(response.get_data())
    if response.status_code == 404 and request.url_rule is None:
        problem["detail"] = "There is no page at this address."
    title = _TITLES.get(response.status_code, "Something went wrong")
    page = render_template(
        "errors/error.html",
        title=title,
        problem=problem,
        back=_find_form(),
        voyage=_find_voyage() if response.status_code == 409 else None,
    )
    response.set_data(page)
    response.mimetype = "text/html"
    return response


def _find_form() -> str | None:
    """Return the address of the page whose form was sent."""
    page = request.referrer or ""
    is_own = request.method == "POST" and page.startswith(request.host_url)
    return page if is_own else None


def _find_voyage() -> str | None:
    """Return the address of the voyage of which another page was asked for."""
    charting_id = (request.view_args or {}).get("charting_id")
    if charting_id is None or request.endpoint == "pages.route":
        return None
    return url_for("pages.route", charting_id=charting_id)
