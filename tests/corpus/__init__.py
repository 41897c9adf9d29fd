"""Hostile values in a database of each kind, and the files that they become.

sqlite.sql, postgresql.sql  the tables               tables.py     SQLite's as an application declares them
cases.py      which files are made of them           exporting.py  a case's file
expected/     the files, read and judged by a person: they are the promise
expected.py   their names and contents               write.py      writes them
readable.py   binary formats as text                 readers.py    readers that are none of ours
values.py     what lies in the tables, past all of Outlast
"""
