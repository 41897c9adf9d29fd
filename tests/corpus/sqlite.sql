-- Hostile values, as SQLite may hold them. A table whose rows export under the default policies in every text format is
-- clean; the others (controls in a spreadsheet, broken, infinite, mixed) need a policy, and say nothing without one.

CREATE TABLE texts (id INTEGER PRIMARY KEY, label TEXT, value TEXT);
INSERT INTO texts VALUES
  (1, 'NULL', NULL),
  (2, 'empty', ''),
  (3, 'the word NULL', 'NULL'),
  (4, 'blank', ' '),
  (5, 'blanks around', '  two before, one after '),
  (6, 'quotes', 'say "hello"'),
  (7, 'a quote', '"'),
  (8, 'delimiters', 'a,b;c|d' || char(9) || 'e'),
  (9, 'LF', 'one' || char(10) || 'two' || char(10)),
  (10, 'CR', 'one' || char(13) || 'two'),
  (11, 'CRLF', char(13, 10) || 'two' || char(13, 10)),
  (12, 'backslashes', 'C:\new\0 \" \. \N'),
  (13, 'only backslash-dot', '\.'),
  (14, 'percent', '100 % of %s and %(x)s'),
  (15, 'formula =', '=1+1'),
  (16, 'formula +', '+1'),
  (17, 'formula -', '-1+cmd|'' /C calc''!A0'),
  (18, 'formula @', '@SUM(A1)'),
  (19, 'formula TAB', char(9) || '=1'),
  (20, 'formula CR', char(13) || '=1'),
  (21, 'formula full width', char(65309) || '1+1'),
  (22, 'formula behind blanks', '  =1+1'),
  (23, 'guarded already', '''=1+1'),
  (24, 'a leading zero', '0049'),
  (25, 'an exponent', '1E5'),
  (26, 'many digits', '12345678901234567890'),
  (27, 'a day', '2026-03-01'),
  (28, 'a word that is true', 'TRUE'),
  (29, 'a link', 'https://example.org/?a=1&b=<2>'),
  (30, 'an escape of workbooks', '_x0041__x000D_'),
  (31, 'emoji', '👩‍👩‍👧 🇩🇪 ✋🏽'),
  (32, 'right to left', 'שלום ' || char(8238) || 'abc' || char(8236) || ' عالم'),
  (33, 'combining', 'é ' || 'e' || char(769) || ' ' || 'Å' || ' Z' || char(773, 823)),
  (34, 'separators', 'a' || char(8232) || 'b' || char(8233) || 'c' || char(133) || 'd'),
  (35, 'byte order mark', char(65279) || 'bom'),
  (36, 'beyond the first plane', char(66304, 131072, 1114109)),
  (37, 'no-break and zero-width', char(160) || 'x' || char(8203)),
  (38, 'DEL and C1', 'a' || char(127) || 'b' || char(159) || 'c');

CREATE TABLE controls (id INTEGER PRIMARY KEY, label TEXT, value TEXT);
INSERT INTO controls VALUES
  (1, 'NUL', 'a' || char(0) || 'b'),
  (2, 'only NUL', char(0)),
  (3, 'NUL before a formula', char(0) || '=1'),
  (4, 'BS FF VT', char(8, 12, 11)),
  (5, 'all below 32', char(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31)),
  (6, 'escape sequence', char(27) || '[31mred'),
  (7, 'noncharacters', char(65534, 65535)),
  (8, 'harmless', 'nothing');

-- Bytes that are not UTF-8 in columns of text.
CREATE TABLE broken (id INTEGER PRIMARY KEY, label TEXT, value TEXT);
INSERT INTO broken VALUES
  (1, 'harmless', 'nothing'),
  (2, 'Latin-1', CAST(x'636166e9' AS TEXT)),
  (3, 'cut off', CAST(x'61f09f92' AS TEXT)),
  (4, 'overlong', CAST(x'c0af' AS TEXT)),
  (5, 'a lone surrogate', CAST(x'eda080' AS TEXT)),
  (6, 'a pair of surrogates', CAST(x'eda0bdedb880' AS TEXT)),
  (7, 'past the last plane', CAST(x'f4908080' AS TEXT)),
  (8, 'only a continuation, among quotes', CAST(x'22802c22' AS TEXT)),
  (9, 'with NUL', CAST(x'00ff00' AS TEXT)),
  (10, 'a formula', CAST(x'3dff' AS TEXT)),
  (11, 'harmless again', 'é');

CREATE TABLE numbers (id INTEGER PRIMARY KEY, label TEXT, i INTEGER, f REAL, b BOOLEAN);
INSERT INTO numbers VALUES
  (1, 'NULL', NULL, NULL, NULL),
  (2, 'zero', 0, 0.0, FALSE),
  (3, 'one', 1, 1.0, TRUE),
  (4, 'below zero', -1, -1.5, 1),
  (5, 'thirds', 333, 1.0 / 3, 0),
  (6, '0.1 + 0.2', 3, 0.1 + 0.2, 0),
  (7, '2^53', 9007199254740992, 9007199254740992.0, 0),
  (8, '2^53 + 1', 9007199254740993, 9007199254740994.0, 0),
  (9, '2^53 - 1', 9007199254740991, 9007199254740991.0, 0),
  (10, '-2^53 - 1', -9007199254740993, -9007199254740994.0, 0),
  (11, 'largest', 9223372036854775807, 1.7976931348623157e308, 0),
  (12, 'least', -9223372036854775807 - 1, -1.7976931348623157e308, 0),
  (13, 'smallest', 0, 5e-324, 0),
  (14, 'smallest normal', 0, 2.2250738585072014e-308, 0),
  (15, '1e15', 1000000000000000, 1e15, 0),
  (16, '1e16', 10000000000000000, 1e16, 0),
  (17, '1e17', 100000000000000000, 1e17, 0),
  (18, '1e22 and 1e23', 11, 1e23, 0),
  (19, '0.0001', 99999999999, 0.0001, 0),
  (20, '0.00001', 100000000000, 0.00001, 0),
  (21, '17 digits where 15 seem to do', 15, 5.08635912337321, 0),
  (22, 'a price', 1999, 19.99, 0),
  (23, 'digits', 123456789012345, 123456789.12345679, 0);

-- Each in a row of its own, for it fails alone. SQLite stores no NaN: it is NULL.
CREATE TABLE infinite (id INTEGER PRIMARY KEY, label TEXT, value REAL);
INSERT INTO infinite VALUES (1, 'one', 1.0), (2, 'above', 9e999), (3, 'below', -9e999), (4, 'NaN', 9e999 - 9e999);

-- Exact digits as text in a column without affinity; and NUMERIC, which makes floats of them.
CREATE TABLE decimals (id INTEGER PRIMARY KEY, label TEXT, exact, amount NUMERIC(12, 2));
INSERT INTO decimals VALUES
  (1, 'NULL', NULL, NULL),
  (2, 'zeros are kept', '1.50', 1.50),
  (3, 'zero', '0.00', 0),
  (4, 'below zero', '-0.01', -0.01),
  (5, '15 digits', '123456789012.345', 1234567890.12),
  (6, '16 digits', '1234567890123.456', 9999999999.99),
  (7, '38 digits', '12345678901234567890123456789.123456789', 1),
  (8, 'small', '0.000000000000000000000000000001', 0.5),
  (9, 'an integer', 7, 7),
  (10, 'a float', 0.1, 0.1),
  (11, 'an exponent', '1E3', 1e3);

CREATE TABLE days (id INTEGER PRIMARY KEY, label TEXT, d DATE);
INSERT INTO days VALUES
  (1, 'NULL', NULL),
  (2, 'first', '0001-01-01'),
  (3, 'before 1900', '1899-12-31'),
  (4, 'first of a workbook', '1900-01-01'),
  (5, 'last before the day that never was', '1900-02-28'),
  (6, 'first after it', '1900-03-01'),
  (7, 'leap day', '2024-02-29'),
  (8, 'last', '9999-12-31');

-- Instants are stored in UTC. In Berlin the clocks went from 02:00 to 03:00 on 2026-03-29 (01:00 UTC) and go from 03:00
-- back to 02:00 on 2026-10-25 (01:00 UTC).
CREATE TABLE moments (id INTEGER PRIMARY KEY, label TEXT, t TIME, local DATETIME, instant DATETIME);
INSERT INTO moments VALUES
  (1, 'NULL', NULL, NULL, NULL),
  (2, 'midnight', '00:00:00', '2026-03-01 00:00:00', '2026-03-01 00:00:00'),
  (3, 'last microsecond', '23:59:59.999999', '2026-12-31 23:59:59.999999', '2026-12-31 23:59:59.999999'),
  (4, 'as SQLAlchemy stores it', '09:30:00.000000', '2026-03-01 09:30:00.000000', '2026-03-01 09:30:00.000000'),
  (5, 'tenths', '09:30:00.5', '2026-03-01 09:30:00.500000', '2026-03-01 09:30:00.500000'),
  (6, 'microsecond', '09:30:00.000001', '2026-03-01 09:30:00.000001', '2026-03-01 09:30:00.000001'),
  (7, 'without seconds, with T', '09:30', '2026-03-01T09:30', '2026-03-01T09:30:00Z'),
  (8, 'an offset in the text', '00:00:01', '2026-03-01 00:00:01', '2026-03-01 00:30:00+05:30'),
  (9, 'before the clocks go forward', '01:59:59', '2026-03-29 01:59:59', '2026-03-29 00:59:59'),
  (10, 'in the hour that is missing', '02:30:00', '2026-03-29 02:30:00', '2026-03-29 01:00:00'),
  (11, 'the hour that comes twice, first', '02:30:00', '2026-10-25 02:30:00', '2026-10-25 00:30:00'),
  (12, 'the hour that comes twice, again', '02:30:00', '2026-10-25 02:30:00', '2026-10-25 01:30:00'),
  (13, 'before standard time', '12:00:00', '1890-01-01 12:00:00', '1890-01-01 12:00:00'),
  (14, 'before 1900-03-01', '12:00:00', '1900-02-28 12:00:00', '1900-02-28 12:00:00'),
  (15, 'first', '00:00:00', '0001-01-01 00:00:00', '0001-01-01 00:00:00'),
  (16, 'last', '23:59:59', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999');

CREATE TABLE documents (
  id INTEGER PRIMARY KEY, label TEXT, x BLOB, u CHAR(32), j TEXT, a TEXT, lasting TEXT, state VARCHAR(8)
);
INSERT INTO documents VALUES
  (1, 'NULL', NULL, NULL, NULL, NULL, NULL, NULL),
  (2, 'empty', x'', '00000000000000000000000000000000', '{}', '[]', 'PT0S', 'open'),
  (3, 'null within', x'00', '0d9b1a52b8f24c3e9a61d5e3f7a8b9c0', 'null', '[null]', 'P1DT0.5S', 'closed'),
  (4, 'bytes', x'00ff0a0d2c22', '0D9B1A52-B8F2-4C3E-9A61-D5E3F7A8B9C0', '[1, 2.50, "é", true]', '[[1, 2], [3, null]]', 'P1Y2M', 'open'),
  (5, 'looks like a formula in base64', x'fbefbe', 'ffffffffffffffffffffffffffffffff', '"=1+1"', '["=1+1", ""]', 'P-1D', 'open'),
  (6, 'exact numbers', x'3d', '00000000000000000000000000000001',
   '{"big": 12345678901234567890123, "small": 0.1000, "float": 1e400, "zero": -0}', '[9007199254740993, 0.10]', 'PT-3S', 'open'),
  (7, 'text within', x'f09f9880', '00000000000000000000000000000002',
   '{"a\"b": "line\nbreak \u0000 \ud83d\ude00", "c,d": "\/"}', '["a,b", "c\"d", "{}"]', 'P3M', 'closed');

-- What SQLite keeps although the column says otherwise.
CREATE TABLE mixed (id INTEGER PRIMARY KEY, label TEXT, i INTEGER, f REAL, b BOOLEAN, d DATE, local DATETIME, x BLOB, t TEXT);
INSERT INTO mixed VALUES
  (1, 'right', 1, 1.5, 1, '2026-03-01', '2026-03-01 09:30:00', x'01', 'text'),
  (2, 'text in numbers', 'twelve', 'a half', 'yes', 'yesterday', 'now', 'blob', 'text'),
  (3, 'real numbers', 1.5, 2, 0.5, 2460000.5, 1772323200.5, 1.5, 'text'),
  (4, 'integers', 9223372036854775807, 9007199254740993, 2, 20260301, 1772323200, 12, 'text'),
  (5, 'blobs', x'31', x'312e35', x'01', x'323032362d30332d3031', x'ff', x'ff', x'74657874'),
  (6, 'bytes in text', 1, 1.0, 0, '2026-03-01', '2026-03-01 09:30:00', x'', x'ff00'),
  (7, 'other spellings', 1, 1.0, 'false', '2026-03-01 00:00:00', '2026-03-01', '', ''),
  (8, 'no such days', 1, 1.0, 0, '2026-02-30', '0000-01-01 00:00:00', NULL, NULL),
  (9, 'NULL', NULL, NULL, NULL, NULL, NULL, NULL, NULL);

-- A column of which nothing is known: each value's own storage class decides.
CREATE TABLE anything (id INTEGER PRIMARY KEY, label TEXT, value);
INSERT INTO anything VALUES
  (1, 'NULL', NULL),
  (2, 'an integer', 12),
  (3, 'a large integer', 9223372036854775807),
  (4, 'a real number', 0.1),
  (5, 'a whole real number', 1e16),
  (6, 'text', 'text'),
  (7, 'no text', ''),
  (8, 'text that looks like a number', '0012'),
  (9, 'text that looks like a day', '2026-03-01'),
  (10, 'a blob', x'00ff'),
  (11, 'no bytes', x''),
  (12, 'text in hex', '00ff');

-- JSON that some readers can't read, though it is kept as it is.
CREATE TABLE scraps (id INTEGER PRIMARY KEY, label TEXT, j TEXT);
INSERT INTO scraps VALUES
  (1, 'harmless', '{"a": 1}'),
  (2, 'not UTF-8', CAST(x'7b2261223a22ff227d' AS TEXT)),
  (3, 'a line break', '{"a":' || char(10) || '1}'),
  (4, 'a huge number', '1e999999999');

CREATE TABLE empty (
  id INTEGER PRIMARY KEY, label TEXT, f REAL, n NUMERIC(12, 2), b BOOLEAN, x BLOB, d DATE, t TIME, local DATETIME,
  instant DATETIME, lasting TEXT, u CHAR(32), j TEXT, a TEXT
);

-- One column, whose NULLs are empty lines in CSV.
CREATE TABLE single (value text);
INSERT INTO single VALUES (''), ('x'), (NULL), (NULL);

-- Names of columns are text as hostile as any other.
CREATE TABLE names ("=1+1" TEXT, "a""b" TEXT, "c,d" TEXT, "100 %s" TEXT, " x" TEXT);
INSERT INTO names VALUES ('1', '2', '3', '4', '5'), (NULL, '', NULL, '', NULL);

-- Text that no cell of a workbook holds.
CREATE TABLE long (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO long VALUES
  (1, replace(printf('%32767s', ''), ' ', 'é')),
  (2, replace(printf('%32768s', ''), ' ', 'é')),
  (3, replace(printf('%32766s', ''), ' ', 'x') || '😀');
