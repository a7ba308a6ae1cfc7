"""The catalogue of weather runs, shared by all organizations."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, DateTime, Index, Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Instant


class WeatherRunRecord(Base):
    """A model run in the weather store.

    Weather is the same for all, so only this table has no organization: all may
    read it, and only workers and the operator's commands write it. ``retired_at``
    marks a run whose files are removed; its row stays, because plans refer to it.
    ``members`` are the numbers of the ensemble members in the store. ``global_groups``
    are those of ``groups`` with global coverage, ``None`` for old runs.
    ``published_sha256`` is the checksum of the run's index in the bucket, if any.
    """

    __tablename__ = "weather_run"
    __table_args__ = (Index("ix_weather_run_valid_to", "valid_to"),)

    name: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str]
    reference_time: Mapped[Instant]
    valid_from: Mapped[Instant]
    valid_to: Mapped[Instant]
    groups: Mapped[list[str]] = mapped_column(ARRAY(Text))
    global_groups: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    members: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default="{}")
    notes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    published_sha256: Mapped[str | None]
    imported_at: Mapped[CreatedAt]
    retired_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
