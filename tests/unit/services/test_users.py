"""Password checks without a database."""

from app.services.identity import users


def test_a_wrong_address_is_checked_as_slowly_as_a_wrong_password() -> None:
    assert not users._hasher.check_needs_rehash(users._NOBODY)
