"""Looking into a document before reading it."""

from app.keno.fields import Fields
from app.keno.refusals import Refusal


def test_a_field_that_was_only_looked_at_is_still_to_be_read() -> None:
    faults: list[Refusal] = []
    fields = Fields({"coin": {"25": 3}, "chips": 5}, "counted", faults)
    assert fields.names() == ("coin", "chips")
    assert (fields.peek("coin"), fields.peek("bills")) == ({"25": 3}, None)
    fields.no_more()
    assert len(faults) == 2
