"""A reader of CSV that is not ours to write: as RFC 4180 has it, telling a quoted field from a bare one."""

import re


def fields(text: str, delimiter: str = ",", line_end: str = "\n") -> list[list[str | None]]:
    """Give the records; an unquoted empty field is None."""
    field = re.compile(
        rf'(?:"((?:[^"]|"")*)"|([^"\r\n{re.escape(delimiter)}]*))({re.escape(delimiter)}|{line_end})', re.DOTALL
    )
    records: list[list[str | None]] = [[]]
    position = 0
    while position < len(text):
        match = field.match(text, position)
        assert match is not None, f"no field at {position}"
        quoted, bare, end = match.groups()
        records[-1].append(quoted.replace('""', '"') if quoted is not None else bare or None)
        if end == line_end:
            records.append([])
        position = match.end()
    assert records.pop() == [], "the last record has no end"
    return records
