package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/random"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestIndexedEqualsScanned runs random statements on tables with random indexes. Every
// query is run as the planner would, without indexes, and by each index that a hint names;
// all answers must agree, inside of transaction blocks too.
func TestIndexedEqualsScanned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	more := seeds.Until(*statements, 10*time.Second)
	engines := []*randomEngine{
		{name: "mem", db: variant{store: "mem"}.open(t), variant: variant{store: "mem"}},
		{name: "pebble", db: variant{store: "pebble"}.open(t), variant: variant{store: "pebble"}},
		{name: "bigtable", db: variant{store: "bigtable"}.open(t), variant: variant{store: "bigtable"}},
	}
	ran, byIndex := 0, 0
	for s := *harness.Seed; more(ran); s++ {
		e := engines[s%3]
		g := random.New(s)
		r := rand.New(rand.NewPCG(s, 2))
		run, err := e.start(ctx, g.Table.DDL(g.Table.Options(r)))
		if err != nil {
			t.Fatalf("seed %d: %v", s, err)
		}
		var indexes []string
		script := []string{run.ddl}
		at := r.IntN(12) // some are built over rows
		for i := range statementsPerTable {
			if i == at && !g.InTransaction() {
				indexes = g.Table.Indexes(r)
				for _, sql := range indexes {
					script = append(script, sql)
					if got := run.answer(ctx, random.Statement{Head: sql}); strings.HasPrefix(got, "error") {
						t.Fatalf("seed %d: %s\n%s\n\n%s", s, sql, got, strings.Join(script, ";\n"))
					}
				}
			}
			st := g.Next(i)
			script = append(script, st.SQL())
			want := run.answer(ctx, st)
			ran++
			if _, _, ok := strings.Cut(st.Head, "SELECT "); !ok || !st.Query || st.Name != "" || st.Analyze || strings.Contains(st.Head, "/*+") || strings.HasPrefix(want, "error") {
				continue
			}
			hints := []string{"NO_INDEX"}
			for k := range indexes {
				hints = append(hints, fmt.Sprintf("INDEX(r r_i%d)", k+1))
			}
			for _, h := range hints {
				hinted := st
				hinted.Head = strings.Replace(st.Head, "SELECT ", "SELECT /*+ "+h+" */ ", 1)
				ran++
				if h != "NO_INDEX" && run.readsIndex(ctx, hinted.SQL()) {
					byIndex++
				}
				if got := run.answer(ctx, hinted); got != want {
					t.Errorf("seed %d, %s: %s\nas planned:\n%s\nwith %s:\n%s\n\n%s", s, e.name, st.SQL(), want, h, got, strings.Join(script, ";\n"))
					return
				}
			}
		}
		run.close(ctx)
	}
	t.Logf("%d statements, %d by an index", ran, byIndex)
	if byIndex < ran/10 {
		t.Errorf("%d of %d statements read an index: too few to tell anything", byIndex, ran)
	}
}

// readsIndex says that the plan of a query names an index.
func (r *randomRun) readsIndex(ctx context.Context, sql string) bool {
	rows, _, err := r.conn.text(ctx, "EXPLAIN "+sql, 0)
	for _, row := range rows {
		if err == nil && strings.Contains(*row[0], "Index: r_i") {
			return true
		}
	}
	return false
}
