"""Settings: documented, ordered, and never shown when they are wrong."""

import pytest

from outlast.errors import DefinitionError
from outlast.settings import Settings, load


def test_every_setting_says_what_it_is() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_environment_decides_over_code_and_code_over_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().lease_seconds == 30
    assert load(lease_seconds=7).lease_seconds == 7
    monkeypatch.setenv("OUTLAST_LEASE_SECONDS", "9")
    assert load(lease_seconds=7).lease_seconds == 9


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"lease_seconds": 0}, "lease_seconds"),
        ({"attempt_limit": "s3cret"}, "attempt_limit"),
        ({"database_url": ["s3cret"]}, "database_url"),
        ({"lease_secnods": "s3cret"}, "lease_secnods"),
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not_shown(values: dict[str, object], named: str) -> None:
    with pytest.raises(DefinitionError, match=named) as wrong:
        load(**values)
    assert "s3cret" not in str(wrong.value)
    assert wrong.value.__suppress_context__
