// Package tochar is Postgres's template formatting: to_char, to_date,
// to_timestamp and to_number.
//
//	'FMDD Month YYYY'  --Dates-->    [DD FM][' '][Month][' '][YYYY]  --Append…--> text
//	'S9G999D99'        --Numbers-->  [9][G][9 9 9][D][9 9], sign, counts
//
// A template is parsed once and kept in a bounded cache; it is immutable and
// may be used by many goroutines at once. Names of months and days and the
// signs of numbers are those of the locale C.
//
// Package expr calls it, with the values as package types holds them: µs and
// days since 1970. It does no I/O.
package tochar
