package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/random"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/pgtest"
)

var (
	seed       = flag.Uint64("seed", 1, "first seed of the random statements")
	statements = flag.Int("statements", 3000, "how many random statements to run in all")
)

const statementsPerTable = 60

// TestRandom runs random statements over SALT_BUCKETS, rules on and off, and
// stores. All answers must agree: with each other, and with PostgreSQL's
// where one is installed.
func TestRandom(t *testing.T) {
	ctx := context.Background()
	var engines []slt.Engine
	for _, v := range randomVariants() {
		engines = append(engines, engine{v, v.open(t)})
	}
	if dsn, why := pgtest.TryStart(t); why == "" {
		engines = append(engines, postgres{dsn: dsn, schema: "random"})
	} else {
		t.Log("not compared with PostgreSQL:", why)
	}
	n := *statements
	if testing.Short() {
		n /= 10
	}
	for i := 0; i*statementsPerTable < n; i++ {
		if !runSeed(ctx, t, engines, *seed+uint64(i)) {
			return
		}
	}
}

func randomVariants() []variant {
	var vs []variant
	for _, salt := range salts {
		vs = append(vs, variant{"mem", salt, false})
	}
	return append(vs,
		variant{"mem", 0, true}, variant{"mem", 16, true},
		variant{"pebble", 0, false}, variant{"pebble", 16, false}, variant{"pebble", 4, true},
		variant{"bigtable", 4, false}, variant{"bigtable", 0, false})
}

// runSeed runs one table's statements on every engine and compares with the first.
func runSeed(ctx context.Context, t *testing.T, engines []slt.Engine, seed uint64) bool {
	g := random.New(seed)
	var conns []slt.Conn
	defer func() {
		for _, c := range conns {
			c.Exec(ctx, "DROP TABLE "+g.Table.Name)
			c.Close()
		}
	}()
	for _, e := range engines {
		c, err := e.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		ddl := g.Table.DDL(0, true)
		if se, ok := e.(engine); ok {
			ddl = g.Table.DDL(se.salt, false)
		}
		if _, _, err := c.Exec(ctx, ddl); err != nil {
			t.Errorf("seed %d, %s: %v", seed, ddl, err)
			return false
		}
	}
	for i := range statementsPerTable {
		st := g.Next(i)
		if !agree(ctx, t, engines, conns, g, seed, i, st) {
			return false
		}
		// What a write left must agree too, at once.
		all := random.Statement{SQL: "SELECT * FROM " + g.Table.Name, Query: true}
		if !st.Query && !agree(ctx, t, engines, conns, g, seed, i, all) {
			t.Errorf("after:\n%s", st.SQL)
			return false
		}
	}
	return true
}

// agree runs one statement on every engine and compares with the first.
func agree(ctx context.Context, t *testing.T, engines []slt.Engine, conns []slt.Conn, g *random.Gen, seed uint64, i int, st random.Statement) bool {
	want := answer(ctx, conns[0], st)
	for j, c := range conns[1:] {
		if got := answer(ctx, c, st); got != want {
			t.Errorf("seed %d, statement %d:\n%s;\n%s;\n%s gives\n%s\n%s gives\n%s", seed, i, g.Table.DDL(4, false), st.SQL,
				nameOf(engines[0]), want, nameOf(engines[j+1]), got)
			return false
		}
	}
	return true
}

func nameOf(e slt.Engine) string {
	if v, ok := e.(engine); ok {
		return v.variant.String()
	}
	return "PostgreSQL"
}

// answer is what a statement gave, in a form that compares: rows, or the
// SQLSTATE of the error.
func answer(ctx context.Context, c slt.Conn, st random.Statement) string {
	rows, tag, err := c.Exec(ctx, st.SQL)
	if err != nil {
		var se interface{ SQLState() string }
		if errors.As(err, &se) {
			return "error " + se.SQLState()
		}
		return err.Error()
	}
	if !st.Query {
		return tag
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var cells []string
		for _, v := range row {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, fmt.Sprintf("%q", *v))
			}
		}
		lines[i] = strings.Join(cells, " ")
	}
	if !st.Ordered {
		slices.Sort(lines)
	}
	return strings.Join(lines, "\n")
}
