package conformance

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestExtremeAggregates gives every aggregate values from the edges of its types, and
// compares value or SQLSTATE.
func TestExtremeAggregates(t *testing.T) {
	seeds.Sometimes(t)
	w := newTwins(t, variant{store: "mem"}.open(t))
	p := w.session(t)
	one := []string{"count", "sum", "avg", "min", "max", "stddev", "stddev_pop", "variance", "var_pop", "array_agg", "bit_and", "bit_or", "bit_xor", "bool_and", "every", "jsonb_agg"}
	two := []string{"regr_count", "regr_sxx", "regr_sxy", "regr_syy", "regr_avgx", "regr_avgy", "regr_slope", "regr_intercept", "regr_r2", "corr", "covar_pop", "covar_samp"}
	lists := []string{
		"NULL::int", "2147483647), (2147483647", "-2147483648), (-2147483648", "9223372036854775807), (9223372036854775807", "32767::int2), (32767",
		"1.7e308::float8), (1.7e308", "1.7e308::float8), (-1.7e308", "1e200::float8), (-1e200), (0", "1.7e308::float8), (1.7e308), ('Infinity'", "1e131::float8), (1e131), (1", "3e38::float4), (3e38), ('Infinity'", "'Infinity'::float8), ('-Infinity'", "'NaN'::float8), (1", "1e-320::float8), (1e-320", "3.4e38::float4), (3.4e38",
		"1e131000), (1e131000", "9e131071), (9e131071", "1e131000), (-1e131000", "'NaN'::numeric), (1", "'Infinity'::numeric), ('-Infinity'", "1e-16000), (2", "0.1), (0.2",
		"'{}'::int[]), ('{}'", "'{1}'::int[]), ('{}'", "'{1,2}'::int[]), ('{3,4}'", "'{1,2}'::int[]), (NULL", "'infinity'::timestamp), ('-infinity'", "'178000000 years'::interval), ('178000000 years'",
		"'a'), ('b'", "true), (NULL", "'2024-01-01'::date), ('infinity'",
	}
	for _, l := range lists {
		for _, f := range one {
			p.same(t, fmt.Sprintf("SELECT %s(x) FROM (VALUES (%s)) v(x)", f, l))
		}
		for _, f := range two {
			p.same(t, fmt.Sprintf("SELECT %s(x, x) FROM (VALUES (%s)) v(x)", f, l))
			p.same(t, fmt.Sprintf("SELECT %s(x, 1) FROM (VALUES (%s)) v(x)", f, l))
		}
	}
	for _, e := range []string{"format('%2147483647s', 'x')", "format('%9999999999s', 'x')", "format('%-2147483648s', 'x')", "format('%*s', -2147483648, 'x')", "format('%1000000000$s', 'x')",
		"'2024-02-30'::date", "'2024-13-01'::timestamp", "'foo'::date", "'99999999-01-01'::date", "age('infinity'::timestamp)", "to_regclass('123')", "'{1,}'::interval", "'0x10'::float8",
		"2::numeric^400000 > 0", "9.99::numeric^130000 > 0", "ln(1e131000)", "log(1e131000)", "sqrt(1e131000) > 0", "exp(5999::numeric)", "exp(-5999::numeric)", "exp(1000.123::numeric)", "exp(333.3::numeric(700,650))", "exp(6001::numeric)", "1e131000 * 1e131000", "1e131071 + 9e131071", "1e131071 * 10"} {
		p.same(t, "SELECT "+e)
	}
}
