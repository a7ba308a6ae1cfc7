"""The catalogue of weather runs: what is in the store, for everyone alike."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, DateTime, Index, Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Instant


class WeatherRunRecord(Base):
    """A model run in the weather store.

    Weather is the same for all, so this table alone has no organization: all
    may read it, and only the operator's commands write it. ``retired_at`` marks
    a run whose files are gone; its row stays, for plans that name it. ``members``
    are the numbers of the ensemble members in the store. ``global_groups`` are those of
    ``groups`` that cover the seas of the world, ``None`` for a run that came before this was
    noted. ``published_sha256`` is the checksum of the run's index in the bucket, if it is there.
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
