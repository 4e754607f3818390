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
//
// Text is read by the algorithm of PostgreSQL's datetime.c, so that what is accepted, what it
// means and which error is raised are the same also for text that nobody should write. split
// takes a text apart into fields as ParseDateTime does. A decoder then takes field by field,
// and each says what it brings: DecodeDateTime for dates and timestamps and DecodeTimeOnly for
// times (decode.go), with DecodeDate, DecodeNumber, DecodeNumberField, DecodeTime,
// DecodeTimezone and ValidateDate under them (decode_fields.go). Intervals go backwards
// through the same fields, as in DecodeInterval (interval_parse.go), and what is none is tried
// as ISO 8601 has them, as in DecodeISO8601Interval (interval_iso.go). Numbers are read as C's
// library does (number.go). Abbreviations of zones are those of the set Default. What DateStyle
// and IntervalStyle change of it is in style.go, and what they change of output in format_style.go.
package datetime
