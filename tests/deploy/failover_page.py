"""Helpers of `test_failover_page` that other tests use too."""

from tests.doc_blocks import blocks

PAGE = "failover.md"

ADDRESSES = {"db1": "10.0.0.21", "db2": "10.0.0.22", "witness": "10.0.0.23"}

PASSPHRASE = "the authority is put away"  # noqa: S105  a test's own


def page() -> list[str]:
    return [block.text for block in blocks() if block.page == PAGE and block.kind == "sh"]


def block_of(node: str) -> str:
    """What is typed on a machine to set it up."""
    (text,) = [text for text in page() if f"NODE={node} " in text]
    return text
