"""Helpers of `test_rate_card` that other tests use too."""

from pathlib import Path

HOUSE_CARD = Path(__file__).parents[2] / "app" / "rate_cards" / "house-card-1.toml"
