"""Fingerprints are those of RFC 8785, whichever way they are made; and ids are UUIDv7 in the order of their making."""

import json
from typing import Any
from uuid import UUID

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from outlast.service.acceptance import _opening
from outlast.service.fingerprints import SAFE_INTEGER_LIMIT, canonical, fingerprint, sorted_json
from outlast.service.identifiers import job_id

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
safe = st.integers(-SAFE_INTEGER_LIMIT + 1, SAFE_INTEGER_LIMIT - 1)
scalars = st.none() | st.booleans() | texts | safe | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
large = st.integers(SAFE_INTEGER_LIMIT, 2**200) | st.integers(-(2**200), -SAFE_INTEGER_LIMIT)


@given(values)
def test_the_quick_way_and_the_librarys_give_the_same_bytes(value: Any) -> None:  # noqa: ANN401
    assert canonical(value, sorted_json(value)) == rfc8785.dumps(value)


@given(values)
def test_a_fingerprint_is_that_of_the_meaning_and_not_of_the_spelling(value: object) -> None:
    spelt_otherwise = json.loads(json.dumps(value, indent=3))
    assert fingerprint("request", spelt_otherwise) == fingerprint("request", value)
    assert fingerprint("request", value) != fingerprint("meaning", value)


@given(values, texts, st.lists(texts, max_size=3))
def test_a_text_put_together_is_that_of_the_whole(value: Any, name: str, columns: list[str]) -> None:  # noqa: ANN401
    meaning = {"columns": columns, "export": name, "format": "csv", "parameters": value}
    text = f"{_opening(name, 'csv', tuple(columns))}{sorted_json(value)}}}"
    assert text == sorted_json(meaning)
    assert fingerprint("meaning", meaning, text) == fingerprint("meaning", meaning)


@given(large, large, texts)
def test_large_integers_are_told_apart_from_each_other_and_from_every_text(one: int, other: int, text: str) -> None:
    assert (fingerprint("request", [one]) == fingerprint("request", [other])) == (one == other)
    assert fingerprint("request", [one]) != fingerprint("request", [text])
    assert fingerprint("request", [one]) != fingerprint("request", [str(one)])


def test_ids_are_of_version_7_and_never_the_same() -> None:
    ids = [job_id() for _ in range(10_000)]
    assert len(set(ids)) == len(ids)
    assert {(UUID(one).version, str(UUID(one)) == one) for one in ids} == {(7, True)}
    milliseconds = [UUID(one).int >> 80 for one in ids]
    assert milliseconds == sorted(milliseconds)
