"""How an app says what may be exported: in Python by decorated functions, without code by `outlast.toml`.

signature.py      a function's signature becomes a parameter schema and an owner's kind
definition.py     one export, declared: validates parameters and owners, builds its rows
definitions.py    the exports of one app
configuration.py  the same from `outlast.toml`
sql.py            an export in SQL, its parameters bound with declared types
check.py          tries every definition before anybody else does
samples.py        what it tries them with
"""

from outlast.declare.check import Finding, check
from outlast.declare.configuration import Configuration, read_configuration
from outlast.declare.definition import Definition, Query, Rows
from outlast.declare.definitions import AuthorizeHook, Definitions
from outlast.declare.signature import OwnerId, OwnerKind
from outlast.model import Owner

__all__ = [
    "AuthorizeHook",
    "Configuration",
    "Definition",
    "Definitions",
    "Finding",
    "Owner",
    "OwnerId",
    "OwnerKind",
    "Query",
    "Rows",
    "check",
    "read_configuration",
]
