"""Paging of lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

#: Items per page if the request gives no size.
DEFAULT_PAGE_SIZE: Final = 20

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A page of ``items`` out of ``total``; pages count from 1.

    ``has_more`` is whether items follow, where the page's number does not give it.
    """

    items: Sequence[Item]
    page: int
    page_size: int
    total: int
    has_more: bool | None = None

    @property
    def is_last(self) -> bool:
        """Return whether no items follow."""
        if self.has_more is not None:
            return not self.has_more
        return self.page * self.page_size >= self.total

    @property
    def total_pages(self) -> int:
        """Number of pages."""
        return -(-self.total // self.page_size)


def fetch_page(session: Session, query: Select[Any], page: int, page_size: int) -> Page[Any]:
    """Fetch one page of an ordered query of single entities, and count all of them.

    One statement does both; only a page past the end takes a second one.
    """
    offset = (page - 1) * page_size
    counted = query.add_columns(_count_of(query).scalar_subquery())
    rows = session.execute(counted.offset(offset).limit(page_size)).all()
    if rows:
        return Page([row[0] for row in rows], page, page_size, rows[0][1])
    return Page([], page, page_size, 0 if page == 1 else session.scalar(_count_of(query)) or 0)


def _count_of(query: Select[Any]) -> Select[int]:
    return select(func.count()).select_from(query.order_by(None).options().subquery())
