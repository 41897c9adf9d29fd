"""The tables as an application declares them to SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from outlast.formats import Kind

_KEY = {"id": sa.Integer, "label": sa.Text}
_VALUE = {**_KEY, "value": sa.Text}

_TYPES: Mapping[str, Mapping[str, Any]] = {
    "texts": _VALUE,
    "controls": _VALUE,
    "broken": _VALUE,
    "numbers": {**_KEY, "i": sa.BigInteger, "f": sa.Double, "b": sa.Boolean},
    "infinite": {**_KEY, "value": sa.Double},
    "decimals": {**_KEY, "exact": sa.Numeric, "amount": sa.Numeric(12, 2)},
    "days": {**_KEY, "d": sa.Date},
    "moments": {**_KEY, "t": sa.Time, "local": sa.DateTime, "instant": sa.DateTime(timezone=True)},
    "documents": {
        **_KEY, "x": sa.LargeBinary, "u": sa.Uuid, "j": sa.JSON, "a": sa.Text, "lasting": sa.Text,
        "state": sa.Enum("open", "closed"),
    },
    "anything": {**_KEY, "value": sa.types.NullType},
    "scraps": {**_KEY, "j": sa.JSON},
    "mixed": {
        **_KEY, "i": sa.Integer, "f": sa.Double, "b": sa.Boolean, "d": sa.Date, "local": sa.DateTime,
        "x": sa.LargeBinary, "t": sa.Text,
    },
    "long": {"id": sa.Integer, "value": sa.Text},
    "empty": {
        **_KEY, "f": sa.Double, "n": sa.Numeric(12, 2), "b": sa.Boolean, "x": sa.LargeBinary, "d": sa.Date,
        "t": sa.Time, "local": sa.DateTime, "instant": sa.DateTime(timezone=True), "lasting": sa.Text, "u": sa.Uuid,
        "j": sa.JSON, "a": sa.Text,
    },
    "single": {"value": sa.Text},
    "names": dict.fromkeys(["=1+1", 'a"b', "c,d", "100 %s", " x"], sa.Text),
}  # fmt: skip

DECLARED = {"a": Kind.ARRAY, "lasting": Kind.INTERVAL}
"""Kinds that SQLite has no type of SQLAlchemy for: the export declares them, by the columns' names."""

_METADATA = sa.MetaData()
SQLITE_TABLES = {
    name: sa.Table(name, _METADATA, *(sa.Column(column, type_) for column, type_ in types.items()))
    for name, types in _TYPES.items()
}
