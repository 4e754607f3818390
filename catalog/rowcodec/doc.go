// Package rowcodec is the row format: how the rows of a SQL table lie in row keys and
// cells. The bytes are Apache Phoenix's, so that tables of either are readable by
// both; no other package knows them.
//
//	catalog (the schema), exec (rows, spans)      callers
//	                |
//	            rowcodec
//	     /       |       \        \
//	types     vec     sqlerr     storage          called, no I/O
//	   bound, decimal, keyform, keyhash           below: where values lie among bytes, numbers, keys
//	                                              in formats of others, the hashes of salts
//
// # Row key
//
//	[salt byte]  [key columns, in order]
//
// A fixed-width column is its bytes; a variable-width one its bytes and, where another
// column follows, a separator: 00, or FF for DESC. DESC inverts every byte and
// keeps its separator at the end of the key too. Empty ASC values at the end are
// trimmed with their separators.
//
//	INTEGER 1, VARCHAR 'ab', CHAR(5) '123'    80000001 6162 00 3132332020
//	VARCHAR 'ab', VARCHAR ''                  6162
//	VARCHAR '', VARCHAR 'c'                   00 63
//	VARCHAR DESC 'ab', VARCHAR 'c'            9E9D FF 63
//	VARCHAR 'ab', VARCHAR DESC ''             6162 00 FF
//	VARCHAR 'abc', INTEGER DESC 7             616263 00 7FFFFFF8
//	DECIMAL DESC 123.45, INTEGER 1            3DFDE7D1 FF 80000001
//	VARBINARY_ENCODED 010002, INTEGER 1       0100FF02 0001 80000001
//
// The salt is |h rem N|, where h = 31·h + b over the signed bytes of the logical key
// from h = 1, in 32 bits; with SALT_COLUMNS, over those columns as if they alone were the
// key. Only salt.go makes, strips or lists salt bytes.
//
//	INTEGER 1          SALT_BUCKETS = 4       02 80000001
//	VARCHAR 'key_abc'  SALT_BUCKETS = 20      05 6B65795F616263
//
// An index is a table whose key is its parts and what tells rows of the same parts apart.
// Parts may be NULL, which is no bytes: index_part.go says how values are kept there.
//
//	(a INTEGER, b VARCHAR DESC) of row 'k', 7 with a = -5, b = 'hi'
//	                                          3E6066 00 9796 FF 6B 00 80000007
//	the same with both NULL                   00 00 6B 00 80000007
//
// # Values
//
// Bytes sort as values do. Values that SQL calls equal have one encoding.
//
//	BOOLEAN true                              01
//	SMALLINT -1                               7FFF
//	DOUBLE 1.5                                BFF8000000000001
//	DOUBLE NaN                                FFF8000000000001
//	DECIMAL -123.45                           3D644E3866
//	DATE 2024-01-02                           8000018CC7785000
//	TIMESTAMP 2024-01-02 03:04:05.678901      8000018CC820DB2E000DBF88
//	UUID 00112233-4455-6677-8899-aabbccddeeff 00112233445566778899AABBCCDDEEFF
//	VARCHAR ARRAY {a,b}                       61006200000080018003000000060000000201
//
// Phoenix has no bytes for these, which tables of Phoenix do not take:
//
//	TIME_MICROS 03:04:05.678901               80000002925FAF35
//	INTERVAL 1 mon -2 days 00:00:00.000003    800000017FFFFFFE8000000000000003
//	DECIMAL NaN                               FE67
//	DECIMAL 1E200                             FE6541016602
//	INTEGER ARRAY {1,NULL}                    8000000102000000020000000181E1
//
// # Cells
//
// Every row has a marker cell, so that it lives on when its columns are all NULL.
// NULL is no cell; the empty string is a cell of no bytes.
//
//	0 : 00000000   78                         the marker, 'x'
//	0 : 800B       80000007                   column number 11, INTEGER 7
//	0 : 800C       6869                       column number 12, VARCHAR 'hi'
//
// A table of packed rows has one cell per family beside the marker:
//
//	0 : 31         78 80000007 6869  0000 0001 0005  00000007 00000003 03
//
// # Spans
//
// KeySchema.Spans turns conditions on key columns into physical keys and spans,
// and finds the salt buckets that must be read: see SpanSet.
//
// This package must never guess: bytes that are no value are XX001, and bounds that
// cannot be stored are moved so that no row is lost.
package rowcodec
