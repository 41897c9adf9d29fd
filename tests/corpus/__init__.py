"""Hostile values in a database of each kind, and the files that they become.

sqlite.sql, postgresql.sql  the tables                 cases.py    which files are made of them
exporting.py                a file of a case           readable.py binary formats as text
write.py                    writes expected/           values.py   what lies in the tables, by another driver
expected/                   the files, read and judged by a person: they are the promise
"""
