"""Helpers of `test_books_copies` that other tests use too."""

SENT = """INSERT INTO paper_event (entry, copy, state, kicked, happened_at)
    SELECT entry, :copy, 'sending', kicked, happened_at FROM paper_event
    WHERE state = 'not-printed'"""

# What is done to the database, and which checks find it.
PLANTED: dict[str, tuple[str, set[str]]] = {
    "a ticket has no paper": ("DELETE FROM print_job WHERE slip = 'ticket'", {"copies"}),
    "a ticket's paper is a void slip": (
        "UPDATE print_job SET slip = 'void' WHERE slip = 'ticket'",
        {"copies"},
    ),
    "a copy is gone": ("DELETE FROM reprint WHERE copy = 1", {"copies"}),
    "all copies are gone": ("DELETE FROM reprint", {"copies", "facts"}),
    "a copy was another's": (
        "UPDATE reprint SET staff = (SELECT id FROM staff WHERE code = 'WALT') WHERE copy = 2",
        {"facts"},
    ),
    "a copy had another reason": ("UPDATE reprint SET reason = 'x' WHERE copy = 2", {"facts"}),
    "a copy was approved by nobody": (
        "UPDATE reprint SET approver = NULL WHERE copy = 2",
        {"facts"},
    ),
    "a ticket was sent twice without a mark": (SENT.replace(":copy", "0"), {"copies"}),
    "a copy was sent that nobody asked for": (SENT.replace(":copy", "7"), {"copies"}),
    "a copy opened the drawer": ("UPDATE paper_event SET kicked = true WHERE copy = 1", {"copies"}),
    "the house let writers print more": ("UPDATE house_setting SET value = 9", {"facts"}),
    "others settled it": (
        "UPDATE house_setting SET staff = (SELECT id FROM staff WHERE code = 'SUE')",
        {"facts"},
    ),
}
