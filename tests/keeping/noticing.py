"""Helpers of `test_noticing` that other tests use too."""

PUT_BACK_BY_HAND = (
    "INSERT INTO restoration_end (restoration, how, ended_at) "
    "SELECT id, 'complete', noticed_at FROM restoration"
)
