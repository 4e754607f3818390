package conformance

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestNumberLiterals writes numbers around every boundary of the integer types
// in every way a sign can stand before them, and compares type and value.
func TestNumberLiterals(t *testing.T) {
	t.Parallel()
	w := newTwins(t, variant{store: "mem"}.open(t))
	p := w.session(t)
	var numbers []string
	for _, bits := range []uint{0, 7, 8, 15, 16, 31, 32, 63, 64} {
		n := new(big.Int).Lsh(big.NewInt(1), bits)
		for d := int64(-2); d <= 2; d++ {
			if m := new(big.Int).Add(n, big.NewInt(d)); m.Sign() >= 0 {
				numbers = append(numbers, m.String(), "00"+m.String(), m.String()+".", m.String()+".0", m.String()+"e0")
			}
		}
	}
	numbers = append(numbers, "1e400", ".5", "'5'", "NULL", "1e131071", "1e131072")
	forms := []string{"%s", "-%s", "- %s", "+%s", "- -%s", "- - -%s", "-+%s", "+-%s", "-(%s)", "-((-%s))", "-%s::int8", "-%s::int4", "(-%s)::int4",
		"-%s^2", "-%s %% 7", "-%s / 3", "-%s - 1", "-%s * 2", "abs(-%s)", "-%s + -%s", "1 - -%s", "-(%s - 1)", "@-%s", "~-%s", "-%s << 1", "-%s >> 1",
		"to_hex(-%s)", "CASE WHEN true THEN -%s END", "ARRAY[-%s]", "-%s BETWEEN -2147483648 AND -9223372036854775808", "-%s IN (-%s, 1)", "(-%s)::int2", "-%s / -1"}
	for i := range seeds.Part(t, len(forms), seeds.Whole) {
		f := forms[i]
		for _, n := range numbers {
			e := strings.ReplaceAll(f, "%s", n)
			e = strings.ReplaceAll(e, "%%", "%")
			p.same(t, "SELECT "+e)
			p.same(t, fmt.Sprintf("SELECT pg_typeof(%s)::text", e))
		}
	}
	for _, n := range []string{"-1", "-2147483648", "2147483648", "- -1", "-(1)", "-0", "007", "1.0", "-'1'", "-NULL", "+1"} {
		for _, clause := range []string{"SELECT 1 ORDER BY %s", "SELECT 1 GROUP BY %s", "SELECT 1 LIMIT %s", "SELECT 1 OFFSET %s", "SELECT x FROM (VALUES (%s)) v(x)"} {
			p.same(t, fmt.Sprintf(clause, n))
		}
	}
}
