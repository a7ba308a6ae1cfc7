"""AIS sentences of a ship, for tests."""

from datetime import datetime
from typing import Any, Final

from pyais.encode import encode_dict
from pyais.messages import TagBlock

MMSI: Final = "227006760"


def make_message(**changes: Any) -> bytes:
    """Make the sentence of a ship's position report, or the first of another message."""
    fields = {"msg_type": 1, "mmsi": MMSI, "lat": 49.5, "lon": -5.25, "speed": 13.4}
    fields |= {"course": 231.2, "heading": 230} | changes
    return encode_dict(fields, talker_id="AI", sentence_type="VDM")[0].encode()


def with_tag_block(sentence: bytes, at: datetime) -> bytes:
    """Put the time of reception before a sentence."""
    block = TagBlock.create(receiver_timestamp=int(at.timestamp()))  # type: ignore[arg-type]
    return b"\\" + block + b"\\" + sentence
