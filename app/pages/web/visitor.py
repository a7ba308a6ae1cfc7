"""Signed-in user of a page."""

from typing import cast

import flask_login
from flask_login import UserMixin

from app.models import Role
from app.services.identity import users


class Visitor(UserMixin):
    """A signed-in user, for Flask-Login."""

    def __init__(self, signed_in: users.SignedIn, session_name: str) -> None:
        self.known = signed_in
        self.id = f"{signed_in.user_id} {session_name} {signed_in.stamp}"
        self.user_id = signed_in.user_id
        self.session_name = session_name
        self.email = signed_in.email
        self.name = signed_in.name
        self.actor = signed_in.actor
        self.role = str(signed_in.actor.role)
        #: Planners may too if their organization's settings allow it.
        self.may_manage_webhooks = self.is_admin

    @property
    def may_plan(self) -> bool:
        """Return whether this user may plan routes and draw areas."""
        return self.actor.role.includes(Role.PLANNER)

    @property
    def may_review(self) -> bool:
        """Return whether this user may review critical points."""
        return self.actor.role.includes(Role.MASTER)

    @property
    def is_admin(self) -> bool:
        """Return whether this user manages keys and users."""
        return self.actor.role.includes(Role.ADMIN)


#: Flask-Login's proxy of the request's user. Without sign-in it only has ``is_authenticated``.
current_user: Visitor = cast("Visitor", flask_login.current_user)
