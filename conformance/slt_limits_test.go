package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestListsAroundLimits: lists of about as many values as spans are made of, before the
// plan stops to trust the spans and behind it, mean what they say.
func TestListsAroundLimits(t *testing.T) {
	const rows = 2400 // of three each share a
	numbers := func(n, from, step int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ", %d", from+i*step)
		}
		return b.String()[2:]
	}
	salts := []int{0, 4, 16, 64, 256}
	for i := range seeds.Part(t, len(salts), seeds.Whole) {
		salt := salts[i]
		v := variant{"mem", salt, false}
		ctx := context.Background()
		e := engine{v, v.open(t)}
		c, err := e.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, sql := range []string{
			"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b, c)) " + e.Salt(),
			fmt.Sprintf("UPSERT INTO t SELECT g / 3, g %% 3, g %% 2 FROM generate_series(0, %d) AS g", rows-1),
		} {
			if _, _, err := c.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		check := func(where string, want func(a, b, c int) bool) {
			t.Helper()
			n, sum := 0, 0
			for g := range rows {
				if want(g/3, g%3, g%2) {
					n++
					sum += g / 3
				}
			}
			got, _, err := c.Exec(ctx, "SELECT count(*), coalesce(sum(a), 0) FROM t WHERE "+where)
			if err != nil {
				t.Fatalf("%s: %v: %.100s", v, err, where)
			}
			if g, w := *got[0][0]+"|"+*got[0][1], fmt.Sprintf("%d|%d", n, sum); g != w {
				t.Errorf("%s: got %s, want %s: %.100s", v, g, w, where)
			}
		}
		for _, n := range []int{1, 2, 15, 16, 17, 31, 62, 63, 64, 65, 127, 128, 129, 255, 256, 257, 400} {
			in := func(a int) bool { return a%2 == 0 && a < 2*n }
			list := numbers(n, 0, 2)
			check("a IN ("+list+")", func(a, _, _ int) bool { return in(a) })
			check("a NOT IN ("+list+")", func(a, _, _ int) bool { return !in(a) })
			check("a IN ("+list+") AND b <> 1", func(a, b, _ int) bool { return in(a) && b != 1 })
			check("a IN ("+list+") AND b IN (0, 2) AND c > 0", func(a, b, c int) bool { return in(a) && b != 1 && c > 0 })
			check("a IN ("+list+") AND b = 1 AND c = 1", func(a, b, c int) bool { return in(a) && b == 1 && c == 1 })
			check("a NOT IN ("+list+") AND a < 300 AND b = 1", func(a, b, _ int) bool { return !in(a) && a < 300 && b == 1 })
			check("a IN ("+list+") OR a > 790", func(a, _, _ int) bool { return in(a) || a > 790 })
			check("a BETWEEN 1 AND "+fmt.Sprint(n)+" AND b NOT IN (0, 2)", func(a, b, _ int) bool { return a >= 1 && a <= n && b == 1 })
			check("a BETWEEN 1 AND "+fmt.Sprint(n)+" AND b = 2 AND c <> 1", func(a, b, c int) bool { return a >= 1 && a <= n && b == 2 && c != 1 })
		}
		// ORs of ranges.
		for _, n := range []int{10, 63, 64, 65, 200} {
			var or strings.Builder
			for i := range n {
				fmt.Fprintf(&or, " OR a > %d AND a < %d", 3*i, 3*i+2)
			}
			check(or.String()[4:], func(a, _, _ int) bool { return a%3 == 1 && a < 3*n })
		}
	}
}
