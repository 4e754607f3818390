package plannertest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/viewtext"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plannertest"
)

// The text that is kept of a query says the same: it is kept again (View compares the two), it has
// the same columns, and it gives the same rows. Few queries are refused because it does not.
func TestTextIsTheQuery(t *testing.T) {
	kept, ran, refused := 0, 0, 0
	all := plannertest.Each(t, 1900, func(q *plannertest.Statement) {
		s := q.Bind()
		if !s.ReadOnly {
			return
		}
		def, err := viewtext.View(q.Context, q.Tree, nil, 0)
		if e := sqlerr.As(err); e != nil && strings.HasPrefix(e.Message, "this query cannot be kept") {
			refused++
			q.Logf("refused: %s\n%s", e.Detail, q.Text)
		}
		if err != nil {
			return // what views refuse
		}
		kept++
		text := def.Query.SQL(def.Columns, q.Context.Catalog.Member)
		again, err := query.ViewStatement(text)
		if err != nil {
			q.Wrong("%v: %s", err, text)
			return
		}
		second, err := viewtext.View(q.Context, again, nil, 0)
		if err != nil || !slices.Equal(second.Columns, def.Columns) {
			q.Wrong("it is printed as\n%s\nand that, %v, as\n%v", text, err, second)
			return
		}
		if logical.Volatile(s.Root) {
			return
		}
		want, err := q.Run(q.Text)
		if err != nil {
			return
		}
		got, err := q.Run(text)
		if err != nil {
			q.Wrong("%v: %s", err, text)
			return
		}
		// A LIMIT without an order may give any rows: as many at least.
		if len(got) != len(want) || !strings.Contains(strings.ToUpper(q.Text), "LIMIT") && !slices.Equal(sorted(got), sorted(want)) {
			q.Wrong("%v\ngives %q, not %q", text, sorted(got), sorted(want))
		}
		ran++
	})
	// What is left: literals whose type a query around gives them, GROUPING, columns of one
	// name, and what an outer query groups by.
	if refused > 20 {
		t.Errorf("%d queries are refused: their printed form is not the query", refused)
	}
	if all && (kept < 1000 || ran < 1000) {
		t.Errorf("%d queries were kept and %d run: too few to say anything", kept, ran)
	}
}

func sorted(rows [][]*string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		for _, v := range row {
			if v == nil {
				out[i] += "|NULL"
			} else {
				out[i] += "|" + *v
			}
		}
	}
	slices.Sort(out)
	return out
}
