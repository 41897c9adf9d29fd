"""Text as a cell of a sheet holds it: XML 1.0, and ST_Xstring's escapes (ECMA-376 part 1, 22.9.2.19)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outlast.formats.policy import NO_SPREADSHEET

TEXT = '" t="inlineStr"><is><t>'
TEXT_END = "</t></is></c>"
_PRESERVED = '" t="inlineStr"><is><t xml:space="preserve">'

CELL_UNITS = 32_767
"""How much text a cell holds, in units of UTF-16."""

_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}[_\r])")  # what stands for CR begins with one, too
_MARK = "\N{SNOWMAN}"  # printable, and rare; where it does occur, each text is looked at on its own
_TROUBLE = re.compile(rf"{NO_SPREADSHEET.pattern}|\r|{_MARK}\s|\s{_MARK}")


def escape(text: str) -> str:
    """Give text without forbidden characters as a cell's body, which begins where the cell's reference ends."""
    body = _LOOKS_ESCAPED.sub("_x005F_", text)
    body = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "_x000D_")
    start = TEXT if text.strip() == text else _PRESERVED
    return f"{start}{body}{TEXT_END}"


def escape_plain(texts: Sequence[str]) -> Sequence[str] | None:
    """Give what stands between TEXT and TEXT_END for each of them; None if one of them needs more than that."""
    if max(map(len, texts)) > CELL_UNITS // 2:
        return None
    framed = f"{_MARK}{_MARK.join(texts)}{_MARK}"
    if "_x" in framed or f"{_MARK} " in framed or f" {_MARK}" in framed or framed.count(_MARK) != len(texts) + 1:
        return None
    if not framed.isprintable() and _TROUBLE.search(framed):
        return None
    if "&" not in framed and "<" not in framed and ">" not in framed:
        return texts
    return framed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")[1:-1].split(_MARK)


def length(text: str) -> int:
    """Count UTF-16 units; a lone surrogate is one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str) -> str:
    """Give as much of it as a cell holds, and no half of a character."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * CELL_UNITS].decode("utf-16-le", "ignore")
