// Package datetime is Postgres's date, time, timestamp, timestamptz and
// interval: text input and output, calendar arithmetic and time zones.
//
//	date                    days since 1970-01-01, proleptic Gregorian
//	time                    µs since midnight, 0..86400000000 (24:00:00)
//	timestamp, timestamptz  µs since 1970-01-01 00:00
//	±infinity               math.MaxInt64, math.MinInt64 (dates too)
//
// Years go from 4714 BC to 5874897 for dates and to 294246 for timestamps (the
// last year that fits in 64 bits of µs counted from 1970; Postgres, counting
// from 2000, ends in 294276).
package datetime
