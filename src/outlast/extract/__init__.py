"""Rows out of databases, read-only, streamed, in one consistent snapshot.

source.py   where rows come from
"""

from outlast.extract.source import SourceSpec, open_source, validate_source

__all__ = ["SourceSpec", "open_source", "validate_source"]
