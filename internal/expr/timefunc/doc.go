// Package timefunc computes the functions and operators of dates, times and intervals.
//
//	arithmetic   timestamp + interval, date - date, zones of the session
//	calendar     date_trunc, date_bin, age, justify_*, make_*
//	extract      extract and date_part
//	overlaps     (a, b) OVERLAPS (c, d)
//
// The tables of internal/expr/builtin name each function here with its arguments and its result;
// package agg interpolates intervals by it. Values are those of internal/types: microseconds and
// days since 1970, which internal/types/datetime takes apart.
//
// It must never register anything, nor read a clock: now is what expr.Env says.
package timefunc
