package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// TestDropsAsPostgres runs testdata/drops, a statement a line, on PostgreSQL and on saltsql: what
// is dropped with CASCADE, what hinders it without, and how messages call both must be the same.
func TestDropsAsPostgres(t *testing.T) {
	t.Parallel()
	pg := newRightsClient(t, pgtest.Start(t))
	host, port := harness.Serve(t, variant{store: "mem", salt: 4}.open(t))
	ours := newRightsClient(t, fmt.Sprintf("host=%s port=%d user=saltsql dbname=postgres sslmode=disable", host, port))
	text, err := os.ReadFile("testdata/drops")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for n, stmt := range strings.Split(string(text), "\n") {
		if stmt == "" || stmt[0] == '#' {
			continue
		}
		cases++
		if want, got := pg.answer("-", stmt), ours.answer("-", stmt); want != got {
			t.Errorf("line %d: %s\nPostgreSQL: %s\nsaltsql:    %s", n+1, stmt, want, got)
		}
	}
	if cases < 80 {
		t.Errorf("only %d cases", cases)
	}
}
