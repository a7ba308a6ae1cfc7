"""Common parts of the admin pages, and the pages of zones and weather."""

from collections.abc import Mapping
from typing import Any

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.utils import redirect

from app.engine.area import AreaKind
from app.models import Role, utc_now
from app.pages.blueprint import pages
from app.pages.web.access import actor
from app.pages.web.own import own_session
from app.pages.web.visitor import current_user
from app.services.areas.areas_in_force import zone_catalogue
from app.services.errors import FieldError, ServiceError
from app.services.weather import weather, weather_status
from app.zones.catalogue import Zone

#: Kinds of built-in zones, in the order of the list.
ZONE_KINDS: Mapping[AreaKind, str] = {
    AreaKind.WAR_RISK: "War risk",
    AreaKind.PIRACY: "Piracy",
    AreaKind.ECA: "Emission control",
    AreaKind.ICE: "Ice",
    AreaKind.SEASON: "Season",
    AreaKind.ADVISORY: "Advisory",
}


@pages.before_request
def require_admin() -> None:
    """Require an admin on the admin pages; those of webhooks have a right of their own."""
    path = request.path
    if path.startswith("/admin/") and not path.startswith("/admin/webhooks"):
        actor().require(Role.ADMIN)


def faults_at_fields(error: ServiceError) -> dict[str, str]:
    """Return a service's errors by field; general errors have an empty name."""
    faults: tuple[FieldError, ...] = getattr(error, "faults", ())
    return {fault.pointer.strip("/"): fault.detail for fault in faults} or {"": error.detail}


@pages.get("/admin")
def admin() -> ResponseReturnValue:
    """Redirect to the first admin page that the user may see."""
    if not current_user.may_manage_webhooks:
        actor().require(Role.ADMIN)
    first = "pages.admin_keys" if current_user.is_admin else "pages.admin_webhooks"
    return redirect(url_for(first))


@pages.get("/admin/zones")
def admin_zones() -> ResponseReturnValue:
    """Show the built-in zones with their dates in force and sources."""
    catalogue, now = zone_catalogue(), utc_now()
    order = list(ZONE_KINDS)
    zones = sorted(catalogue.zones, key=lambda z: (not z.is_in_force(now), order.index(z.kind)))
    return render_template(
        "admin/zones.html",
        version=catalogue.version,
        zones=[(zone, _zone_state(zone)) for zone in zones],
        kinds=ZONE_KINDS,
        in_force=sum(zone.is_in_force(now) for zone in zones),
    )


def _zone_state(zone: Zone) -> str:
    now = utc_now()
    if zone.is_in_force(now):
        return "in force"
    if zone.in_force_until is not None and zone.in_force_until <= now:
        return "ended"
    begun = zone.in_force_from is None or zone.in_force_from <= now
    return "out of season" if begun else "not yet"


@pages.get("/admin/weather")
def admin_weather() -> ResponseReturnValue:
    """Show the stored weather, its age, and the runs that a plan would use now."""
    with own_session() as session:
        return render_template(
            "admin/weather.html",
            status=weather_status.describe(session, utc_now()),
            climatology=weather.find_climatology(),
        )


@pages.app_context_processor
def admin_context() -> dict[str, Any]:
    """Return the admin pages by name, for the tabs."""
    return {
        "admin_pages": (
            ("API keys", "pages.admin_keys"),
            ("Users", "pages.admin_users"),
            ("Webhooks", "pages.admin_webhooks"),
            ("Organization", "pages.admin_organization"),
            ("Data", "pages.admin_data"),
            ("Audit", "pages.admin_audit"),
            ("Zones", "pages.admin_zones"),
            ("Weather", "pages.admin_weather"),
        )
    }
