"""A text format within gzip or Zstandard is the same text, and a file of its own kind."""

import gzip
from collections.abc import Callable
from importlib.util import find_spec

import pytest
import zstandard

from outlast.declare import Definitions, Owner
from outlast.errors import DefinitionError
from outlast.formats import DEFAULT_FORMATS, FORMATS, base
from tests.support.encoders import encoder, written

READERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.decompress,
    "zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}
MEDIA_TYPES = {"gz": "application/gzip", "zst": "application/zstd"}
ROWS = [[(number, f"text {number % 7}") for number in range(start, start + 500)] for start in range(0, 5000, 500)]


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("plain", DEFAULT_FORMATS)
def test_the_same_text_is_inside(plain: str, ending: str) -> None:
    text = written(encoder(plain, ["a", "b"]), *ROWS)
    made = encoder(f"{plain}.{ending}", ["a", "b"])
    small = written(made, *ROWS)

    assert READERS[ending](small) == text
    assert len(small) < len(text) / 4
    assert (made.content_type, made.extension) == (MEDIA_TYPES[ending], f"{plain}.{ending}")


@pytest.mark.parametrize("ending", READERS)
def test_no_rows_are_a_whole_stream(ending: str) -> None:
    assert READERS[ending](written(encoder(f"csv.{ending}", ["a"]))) == b'"a"\n'


@pytest.mark.parametrize("ending", READERS)
def test_the_same_rows_are_the_same_bytes_and_what_was_changed_is_told(ending: str) -> None:
    made = [encoder(f"csv.{ending}", ["a"], unencodable="replace") for _ in range(2)]
    files = [written(one, [("\udcff",)]) for one in made]

    assert files[0] == files[1]
    assert made[0].warnings == made[1].warnings
    assert made[0].warnings[0]["first_rows"] == [1]


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if known.needs.modules])
def test_a_format_whose_libraries_are_missing_is_refused_where_it_is_declared(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = FORMATS[name].needs.modules[0]
    monkeypatch.setattr(base, "find_spec", lambda module: None if module == absent else find_spec(module))

    with pytest.raises(DefinitionError) as refused:
        Definitions().export("tasks", columns=["a"], formats=(name,))(_rows)

    assert absent in str(refused.value)
    assert f"outlast[{FORMATS[name].needs.extra}]" in str(refused.value)


def test_what_an_export_offers_by_default_needs_nothing_further() -> None:
    assert not [name for name in DEFAULT_FORMATS if FORMATS[name].needs.modules]


def _rows(owner: Owner) -> list[tuple[str]]:
    return [(owner.id,)]
