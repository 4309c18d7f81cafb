"""Words that the ticket and the rate card have in common."""

DAY_MINUTES = 1_440


def claim_period(minutes: int) -> str:
    """Return how long wins can be claimed: in days where it is whole days."""
    days, rest = divmod(minutes, DAY_MINUTES)
    count, unit = (minutes, "minute") if rest else (days, "day")
    return f"{count:,} {unit}" if count == 1 else f"{count:,} {unit}s"
