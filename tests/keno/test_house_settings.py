"""Numbers that a house settles for itself."""

from app.keno.house_settings import BOUNDS, Setting, is_within


def test_every_setting_has_bounds_and_is_within_them_at_first() -> None:
    assert set(BOUNDS) == set(Setting)
    for setting, bounds in BOUNDS.items():
        assert 0 <= bounds.least <= bounds.at_first <= bounds.most
        inside = [is_within(setting, value) for value in (bounds.least, bounds.most)]
        outside = [is_within(setting, value) for value in (bounds.least - 1, bounds.most + 1)]
        assert (inside, outside) == ([True, True], [False, False])
