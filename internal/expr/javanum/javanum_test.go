package javanum

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestJava compares with what Java's DecimalFormat answered: lines of F, a pattern, a
// number, what it makes of it as a decimal and as a double; of N, a pattern, a text, the
// number read, NULL for none; of P, a pattern that it refuses.
func TestJava(t *testing.T) {
	text, err := os.ReadFile("testdata/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared, refused := 0, 0
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		p, err := Parse(f[1])
		if f[0] == "P" {
			if err == nil {
				t.Errorf("%q is taken", f[1])
			}
			continue
		}
		if sqlerr.CodeOf(err) == sqlerr.FeatureNotSupported {
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", f[1], err)
			continue
		}
		compared++
		if f[0] == "N" {
			have := "NULL"
			if n, ok := p.Read(f[2]); ok {
				d, _, err := apd.NewFromString(n)
				if err != nil {
					t.Fatalf("%q: %q: %v", f[1], n, err)
				}
				have = d.Text('f')
			}
			if !sameNumber(have, f[3]) {
				t.Errorf("%q of %q is %s, in Java %s", f[1], f[2], have, f[3])
			}
			continue
		}
		d, _, err := apd.NewFromString(f[2])
		if err != nil {
			t.Fatal(err)
		}
		x, _ := strconv.ParseFloat(f[2], 64)
		if have := string(p.Append(nil, OfDecimal(d))); have != f[3] {
			t.Errorf("%q of %s is %q, in Java %q", f[1], f[2], have, f[3])
		}
		if have := string(p.AppendFloat(nil, x)); have != f[4] {
			t.Errorf("%q of the double %s is %q, in Java %q", f[1], f[2], have, f[4])
		}
	}
	t.Logf("%d compared, %d refused", compared, refused)
}

func sameNumber(a, b string) bool {
	x, _, err1 := apd.NewFromString(a)
	y, _, err2 := apd.NewFromString(b)
	return err1 != nil && err2 != nil || err1 == nil && err2 == nil && x.Cmp(y) == 0
}
