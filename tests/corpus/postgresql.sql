-- Hostile values, as PostgreSQL may hold them, in a database in UTF-8: no text holds NUL or what is not UTF-8. A table
-- whose rows export under the default policies in every text format is clean; the others need a policy.

SET TimeZone = 'UTC';

CREATE TABLE texts (id int PRIMARY KEY, label text, value text);
INSERT INTO texts VALUES
  (1, 'NULL', NULL),
  (2, 'empty', ''),
  (3, 'the word NULL', 'NULL'),
  (4, 'blank', ' '),
  (5, 'blanks around', '  two before, one after '),
  (6, 'quotes', 'say "hello"'),
  (7, 'a quote', '"'),
  (8, 'delimiters', 'a,b;c|d' || chr(9) || 'e'),
  (9, 'LF', 'one' || chr(10) || 'two' || chr(10)),
  (10, 'CR', 'one' || chr(13) || 'two'),
  (11, 'CRLF', chr(13) || chr(10) || 'two' || chr(13) || chr(10)),
  (12, 'backslashes', 'C:\new\0 \" \. \N'),
  (13, 'only backslash-dot', '\.'),
  (14, 'percent', '100 % of %s and %(x)s'),
  (15, 'formula =', '=1+1'),
  (16, 'formula +', '+1'),
  (17, 'formula -', '-1+cmd|'' /C calc''!A0'),
  (18, 'formula @', '@SUM(A1)'),
  (19, 'formula TAB', chr(9) || '=1'),
  (20, 'formula CR', chr(13) || '=1'),
  (21, 'formula full width', chr(65309) || '1+1'),
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
  (32, 'right to left', 'שלום ' || chr(8238) || 'abc' || chr(8236) || ' عالم'),
  (33, 'combining', 'é ' || 'e' || chr(769) || ' ' || 'Å' || ' Z' || chr(773) || chr(823)),
  (34, 'separators', 'a' || chr(8232) || 'b' || chr(8233) || 'c' || chr(133) || 'd'),
  (35, 'byte order mark', chr(65279) || 'bom'),
  (36, 'beyond the first plane', chr(66304) || chr(131072) || chr(1114109)),
  (37, 'no-break and zero-width', chr(160) || 'x' || chr(8203)),
  (38, 'DEL and C1', 'a' || chr(127) || 'b' || chr(159) || 'c');

CREATE TABLE controls (id int PRIMARY KEY, label text, value text);
INSERT INTO controls VALUES
  (1, 'BS FF VT', chr(8) || chr(12) || chr(11)),
  (2, 'all below 32', (SELECT string_agg(chr(n), '' ORDER BY n) FROM generate_series(1, 31) AS n)),
  (3, 'only SOH, which COPY may use as a quote', chr(1)),
  (4, 'STX, which COPY may use as a delimiter', 'a' || chr(2) || 'b'),
  (5, 'escape sequence', chr(27) || '[31mred'),
  (6, 'noncharacters', chr(65534) || chr(65535)),
  (7, 'harmless', 'nothing');

-- Types whose values are text, or become it.
CREATE TYPE mood AS ENUM ('sad', 'so "so"', '=happy');
CREATE TABLE kinds_of_text (
  id int PRIMARY KEY, label text, v varchar(20), c char(8), n name, e mood, i inet, net cidr, mac macaddr, r int4range,
  tr tstzrange, b bit(4), p point, z timetz, s tsvector
);
INSERT INTO kinds_of_text VALUES
  (1, 'NULL', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (2, 'empty', '', '', '', 'sad', '0.0.0.0', '0.0.0.0/0', '00:00:00:00:00:00', 'empty', 'empty', B'0000', '(0,0)',
   '00:00:00+00', ''),
  (3, 'usual', 'é', 'two', 'pg_class', 'so "so"', '192.0.2.1/24', '2001:db8::/32', '08:00:2b:01:02:03', '[1,5)',
   '[2026-03-01 09:30:00+01,2026-03-02)', B'1010', '(1.5,-2)', '09:30:00.5+05:30', 'a:1 fat:2'),
  (4, 'blanks', ' x ', ' x', ' ', '=happy', '::1', '10.0.0.0/8', 'ff:ff:ff:ff:ff:ff', '(,3]', '(,)', B'1111',
   '(1e300,0.1)', '23:59:59.999999-12', '''it''''s'':1'),
  (5, 'formulas', '=1', '=1', '=1', '=happy', '::', '::/0', '01:02:03:04:05:06', '[-5,-1)', '(infinity,infinity]',
   B'0001', '(-1,-1)', '24:00:00+00', '''=1'':1');

CREATE TABLE numbers (id int PRIMARY KEY, label text, s smallint, i bigint, f double precision, r real, b boolean);
INSERT INTO numbers VALUES
  (1, 'NULL', NULL, NULL, NULL, NULL, NULL),
  (2, 'zero', 0, 0, 0, 0, false),
  (3, 'one', 1, 1, 1, 1, true),
  (4, 'below zero', -1, -1, -1.5, -1.5, true),
  (5, 'thirds', 333, 333, 1.0::float8 / 3, 1.0::float4 / 3, false),
  (6, '0.1 + 0.2', 3, 3, 0.1::float8 + 0.2::float8, 0.1, false),
  (7, '2^53', 0, 9007199254740992, 9007199254740992, 16777216, false),
  (8, '2^53 + 1', 0, 9007199254740993, 9007199254740994, 16777218, false),
  (9, '2^53 - 1', 0, 9007199254740991, 9007199254740991, 16777215, false),
  (10, '-2^53 - 1', 0, -9007199254740993, -9007199254740994, -16777218, false),
  (11, 'largest', 32767, 9223372036854775807, 1.7976931348623157e308, 3.4028235e38, false),
  (12, 'least', -32768, -9223372036854775808, -1.7976931348623157e308, -3.4028235e38, false),
  (13, 'smallest', 0, 0, 5e-324, 1e-45, false),
  (14, 'negative zero', 0, 0, '-0', '-0', false),
  (15, '1e14 and 1e5', 0, 100000000000000, 1e14, 1e5, false),
  (16, '1e15 and 1e6', 0, 1000000000000000, 1e15, 1e6, false),
  (17, '1e16 and 1e7', 0, 10000000000000000, 1e16, 1e7, false),
  (18, '1e23', 0, 11, 1e23, 1e23, false),
  (19, '0.0001', 0, 99999999999, 0.0001, 0.0001, false),
  (20, '0.00001', 0, 100000000000, 0.00001, 0.00001, false),
  (21, '15 digits that are 17 elsewhere', 0, 15, 5.08635912337321, 5.086359, false),
  (22, 'a price', 1999, 1999, 19.99, 19.99, false),
  (23, 'digits', 12345, 123456789012345, 123456789.12345679, 123456.79, false);

CREATE TABLE infinite (id int PRIMARY KEY, label text, f double precision, r real, n numeric);
INSERT INTO infinite VALUES
  (1, 'one', 1, 1, 1),
  (2, 'above', 'Infinity', 'Infinity', 'Infinity'),
  (3, 'below', '-Infinity', '-Infinity', '-Infinity'),
  (4, 'NaN', 'NaN', 'NaN', 'NaN');

CREATE TABLE decimals (
  id int PRIMARY KEY, label text, exact numeric, amount numeric(12, 2), wide numeric(38, 10), whole numeric(5, -2)
);
INSERT INTO decimals VALUES
  (1, 'NULL', NULL, NULL, NULL, NULL),
  (2, 'zeros are kept', 1.50, 1.50, 1.50, 100),
  (3, 'zero', 0.00, 0, 0, 0),
  (4, 'below zero', -0.01, -0.01, -0.01, -1234500),
  (5, '15 digits', 123456789012.345, 1234567890.12, 12345.0000000001, 1234567),
  (6, '16 digits', 1234567890123.456, 9999999999.99, 123456.0000000001, 9999900),
  (7, '38 digits', 12345678901234567890123456789.123456789, 1, 1234567890123456789012345678.0123456789, 1),
  (8, 'small', 0.000000000000000000000000000001, 0.5, 0.0000000001, 0),
  (9, 'an exponent', 1E3, 1e3, 1e3, 1e3),
  (10, '60 digits', 1e59, 0, 0, 0);

CREATE TABLE days (id int PRIMARY KEY, label text, d date);
INSERT INTO days VALUES
  (1, 'NULL', NULL),
  (2, 'first', '0001-01-01'),
  (3, 'before 1900', '1899-12-31'),
  (4, 'first of a workbook', '1900-01-01'),
  (5, 'last before the day that never was', '1900-02-28'),
  (6, 'first after it', '1900-03-01'),
  (7, 'leap day', '2024-02-29'),
  (8, 'last', '9999-12-31');

-- In Berlin the clocks went from 02:00 to 03:00 on 2026-03-29 (01:00 UTC) and go from 03:00 back to 02:00 on 2026-10-25
-- (01:00 UTC).
CREATE TABLE moments (id int PRIMARY KEY, label text, t time, local timestamp, instant timestamptz, lasting interval);
INSERT INTO moments VALUES
  (1, 'NULL', NULL, NULL, NULL, NULL),
  (2, 'midnight', '00:00:00', '2026-03-01', '2026-03-01', '0'),
  (3, 'last microsecond', '23:59:59.999999', '2026-12-31 23:59:59.999999', '2026-12-31 23:59:59.999999',
   '1 microsecond'),
  (4, 'tenths', '09:30:00.5', '2026-03-01 09:30:00.5', '2026-03-01 09:30:00.5', '1 day 0.5 seconds'),
  (5, 'microsecond', '09:30:00.000001', '2026-03-01 09:30:00.000001', '2026-03-01 09:30:00.000001', '-1 microsecond'),
  (6, 'an offset', '00:00:01', '2026-03-01 00:00:01', '2026-03-01 00:30:00+05:30', '1 year 2 months'),
  (7, 'before the clocks go forward', '01:59:59', '2026-03-29 01:59:59', '2026-03-29 00:59:59', '1 month -1 day'),
  (8, 'in the hour that is missing', '02:30:00', '2026-03-29 02:30:00', '2026-03-29 01:00:00', '100 hours'),
  (9, 'the hour that comes twice, first', '02:30:00', '2026-10-25 02:30:00', '2026-10-25 00:30:00', '-1 day +01:00:00'),
  (10, 'the hour that comes twice, again', '02:30:00', '2026-10-25 02:30:00', '2026-10-25 01:30:00', '3 months'),
  (11, 'before standard time', '12:00:00', '1890-01-01 12:00:00', '1890-01-01 12:00:00', '-1 year'),
  (12, 'before 1900-03-01', '12:00:00', '1900-02-28 12:00:00', '1900-02-28 12:00:00', '1 week'),
  (13, 'first', '00:00:00', '0001-01-01 00:00:00', '0001-01-01 00:00:00', '178000000 years'),
  (14, 'last', '23:59:59', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999', '59.999999 seconds');

-- Times that Python doesn't know: text, never another time.
CREATE TABLE beyond (id int PRIMARY KEY, label text, d date, t time, local timestamp, instant timestamptz);
INSERT INTO beyond VALUES
  (1, 'known', '2026-03-01', '09:30:00', '2026-03-01 09:30:00', '2026-03-01 09:30:00'),
  (2, 'infinity', 'infinity', '24:00:00', 'infinity', 'infinity'),
  (3, '-infinity', '-infinity', '24:00:00', '-infinity', '-infinity'),
  (4, 'BC', '0044-03-15 BC', '24:00:00', '0044-03-15 12:00:00.5 BC', '0044-03-15 12:00:00 BC'),
  (5, 'past 9999', '10000-01-01', '24:00:00', '294276-12-31 23:59:59.999999', '10000-01-01 00:00:00.5');

CREATE TABLE documents (
  id int PRIMARY KEY, label text, x bytea, u uuid, j json, jb jsonb, a int[], words text[], docs jsonb[], days date[]
);
INSERT INTO documents VALUES
  (1, 'NULL', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (2, 'empty', '', '00000000-0000-0000-0000-000000000000', '{}', '{}', '{}', '{}', '{}', '{}'),
  (3, 'null within', '\x00', '0d9b1a52-b8f2-4c3e-9a61-d5e3f7a8b9c0', 'null', 'null', '{NULL}', '{NULL,"NULL"}',
   '{"null",NULL}', '{NULL}'),
  (4, 'nested', '\x00ff0a0d2c22', '0D9B1A52-B8F2-4C3E-9A61-D5E3F7A8B9C0', '[1, 2.50, "é",  true]',
   '[1, 2.50, "é",  true]', '{{1,2},{3,NULL}}', '{{a,b},{c,d}}', '{"{\"a\": [1]}"}', '{2026-03-01,infinity}'),
  (5, 'looks like a formula', '\xfbefbe', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '"=1+1"', '"=1+1"', '{-1}',
   '{=1+1,""}', '{"\"=1\""}', '{0044-03-15 BC}'),
  (6, 'exact numbers', '\x3d', '00000000-0000-0000-0000-000000000001',
   '{"big": 12345678901234567890123, "small": 0.1000, "float": 1e400, "zero": -0}',
   '{"big": 12345678901234567890123, "small": 0.1000, "float": 1e40, "zero": -0}', '{2147483647,-2147483648}',
   '{0.10}', '{0.10}', '{9999-12-31}'),
  (7, 'text within', '\xf09f9880', '00000000-0000-0000-0000-000000000002',
   '{"a\"b": "line\nbreak \ud83d\ude00", "c,d": "\/", "c,d": 2}',
   '{"a\"b": "line\nbreak \ud83d\ude00", "c,d": "\/", "c,d": 2}', '[0:1]={1,2}',
   ARRAY['a,b', 'c"d', '{}', 'back\slash', E'line\nbreak'], '{}', '{}'),
  (8, 'on several lines', '\x0a', '00000000-0000-0000-0000-000000000003', E'{"a":\n  [1,\r\n\t2]}',
   E'{"a":\n  [1,\r\n\t2]}', '{1}', ARRAY[' '], '{}', '{}');

CREATE TABLE empty (
  id int PRIMARY KEY, label text, f double precision, n numeric(12, 2), b boolean, x bytea, d date, t time,
  local timestamp, instant timestamptz, lasting interval, u uuid, j json, a int[], e mood
);

-- One column, whose NULLs are empty lines in CSV.
CREATE TABLE single (value text);
INSERT INTO single VALUES (''), ('x'), (NULL), (NULL);

-- Names of columns are text as hostile as any other.
CREATE TABLE names ("=1+1" text, "a""b" text, "c,d" text, "100 %s" text, " x" text);
INSERT INTO names VALUES ('1', '2', '3', '4', '5');

-- Text that no cell of a workbook holds.
CREATE TABLE long (id int PRIMARY KEY, value text);
INSERT INTO long VALUES (1, repeat('é', 32767)), (2, repeat('é', 32768)), (3, repeat('x', 32766) || '😀');
