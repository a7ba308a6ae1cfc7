"""Form fields whose text has one item per line."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields


class LinesField(fields.Field[Any], ABC):
    """A text field with one item per line; empty text means none."""

    most: ClassVar[int]
    #: Whether a first line without digits is a header.
    may_have_header: ClassVar[bool] = False

    @abstractmethod
    def read_line(self, line: str) -> Any:
        """Read one item; raises ``ValidationError``, to which the line's number is added."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError("Enter text, one item per line.")
        lines = [(n, line.strip()) for n, line in enumerate(value.splitlines(), 1) if line.strip()]
        if self.may_have_header and lines and not any(map(str.isdigit, lines[0][1])):
            lines = lines[1:]
        if len(lines) > self.most:
            raise ValidationError(f"Enter up to {self.most} lines.")
        return [self._read_numbered(number, line) for number, line in lines] or None

    def _read_numbered(self, number: int, line: str) -> Any:
        try:
            return self.read_line(line)
        except ValidationError as error:
            raise ValidationError(f"Line {number}: {error.messages[0]}") from None


def load_point(schema: Schema, point: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    """Load the values of a line; a ``ValidationError`` says all faults with the fields' names."""
    try:
        return schema.load(point)
    except ValidationError as error:
        faults = error.normalized_messages().items()
        words = "; ".join(f"{names[name]}: {' '.join(said)}" for name, said in faults)
        raise ValidationError(words) from None
