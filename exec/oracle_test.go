package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// oracle runs statements on a PostgreSQL and the plans that mean the same here.
type oracle struct {
	t    *testing.T
	conn *pgconn.PgConn
	f    *fixture
	rng  *rand.Rand
}

// oracleTable is a table in both.
type oracleTable struct {
	name  string
	names []string
	cols  []plan.Column
	rows  [][]expr.Expr
}

func newOracle(t *testing.T, seed uint64) *oracle {
	if testing.Short() {
		t.Skip("starts a server")
	}
	conn, err := pgconn.Connect(context.Background(), pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	o := &oracle{t: t, conn: conn, f: newFixture(t, 0), rng: rand.New(rand.NewPCG(seed, 1))}
	o.sql("SET timezone = 'UTC'; SET extra_float_digits = 1")
	return o
}

// sql gives a statement's rows, a line each, or its SQLSTATE.
func (o *oracle) sql(text string) (rows, code string) {
	o.t.Helper()
	res, err := o.conn.Exec(context.Background(), text).ReadAll()
	if err != nil {
		if pg, ok := err.(*pgconn.PgError); ok {
			return pg.Message, pg.Code
		}
		o.t.Fatalf("%s: %v", text, err)
	}
	var out strings.Builder
	for _, r := range res[len(res)-1].Rows {
		for i, v := range r {
			if i > 0 {
				out.WriteByte('|')
			}
			if v == nil {
				out.WriteString("NULL")
			} else {
				out.Write(v)
			}
		}
		out.WriteByte('\n')
	}
	return out.String(), ""
}

// table makes a table of random rows: id, then columns of the types named, with values
// from the lists.
func (o *oracle) table(name string, n int, cols ...oracleColumn) *oracleTable {
	t := &oracleTable{name: name, names: []string{"id"}, cols: []plan.Column{{Name: "id", Type: tInt8}}}
	var sql strings.Builder
	fmt.Fprintf(&sql, "DROP TABLE IF EXISTS %s; CREATE TABLE %s (id int8", name, name)
	for _, c := range cols {
		ty, err := types.FromName(c.typ, nil, false)
		if c.typ == "char(3)" {
			ty, err = types.Of(types.Bpchar).WithLength(3), nil
		}
		if err != nil {
			o.t.Fatal(err)
		}
		t.names, t.cols = append(t.names, c.name), append(t.cols, plan.Column{Name: c.name, Type: ty})
		fmt.Fprintf(&sql, ", %s %s", c.name, c.typ)
	}
	sql.WriteString(");")
	for i := range n {
		row := []expr.Expr{lit(i)}
		if i == 0 {
			fmt.Fprintf(&sql, "INSERT INTO %s VALUES (%d", name, i)
		} else {
			fmt.Fprintf(&sql, "), (%d", i)
		}
		for j, c := range cols {
			ty := t.cols[j+1].Type
			s := c.vals[o.rng.IntN(len(c.vals))]
			if s == "NULL" {
				sql.WriteString(", NULL")
				row = append(row, null(ty))
				continue
			}
			d, err := types.ParseString(ty, s, nil)
			if err != nil {
				o.t.Fatal(err)
			}
			row = append(row, &expr.Const{Value: d, T: ty})
			fmt.Fprintf(&sql, ", '%s'", s)
		}
		t.rows = append(t.rows, row)
	}
	if n > 0 {
		sql.WriteString(");")
	}
	if msg, code := o.sql(sql.String()); code != "" {
		o.t.Fatal(msg)
	}
	return t
}

type oracleColumn struct {
	name, typ string
	vals      []string
}

func (t *oracleTable) col(name string) expr.Expr {
	for i, n := range t.names {
		if n == name {
			return &expr.Col{Index: i, T: t.cols[i].Type, Name: n}
		}
	}
	panic(name)
}

// node gives the rows.
func (t *oracleTable) node() plan.Node { return &plan.Values{Rows: t.rows, Cols: t.cols} }

// check runs both and compares their rows, in any order, or their errors.
func (o *oracle) check(sql string, root plan.Node, planErr error) {
	o.t.Helper()
	want, code := o.sql(sql)
	var got string
	err := planErr
	if err == nil {
		got, err = o.f.run(root)
	}
	switch {
	case err != nil && string(sqlerr.CodeOf(err).String()) == code:
	case err != nil:
		o.t.Fatalf("%s\nwork_mem %d\ngot error %v\nwant %s %s", sql, o.f.set.WorkMem, err, code, want)
	case code != "":
		o.t.Fatalf("%s\nwork_mem %d\ngot\n%.300s\nwant error %s %s", sql, o.f.set.WorkMem, got, code, want)
	case sorted(got) != sorted(want):
		g, w := strings.Split(sorted(got), "\n"), strings.Split(sorted(want), "\n")
		for i := range g {
			if i >= len(w) || g[i] != w[i] {
				o.t.Fatalf("%s\nwork_mem %d, %d and %d rows, first difference:\n got %.400s\nwant %.400s", sql, o.f.set.WorkMem, len(g), len(w), g[i], at(w, i))
			}
		}
		o.t.Fatalf("%s\n%d rows, want %d", sql, len(g), len(w))
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// pick gives one of some things.
func pick[T any](o *oracle, of ...T) T { return of[o.rng.IntN(len(of))] }

var tInt4 = types.Of(types.Int4)
