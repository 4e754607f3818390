package conformance

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/random"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/storagetest/tablets"
)

var (
	statements = flag.Int("statements", 0, "how many random statements to run in all; 0 runs them for some time")
	maxFaults  = flag.Int("disagreements", 1, "after how many disagreements to stop")
)

const statementsPerTable = 80

// TestRandom runs random statements over SALT_BUCKETS and the other table
// options, rules on and off, stores, and the protocol. All answers must agree:
// with each other, and with PostgreSQL's where one is installed.
func TestRandom(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	all := randomEngines(t)
	more := seeds.Until(*statements, 20*time.Second)
	ran, faults := 0, 0
	forms := map[string]int{}
	for s := *harness.Seed; more(ran); s++ {
		fault := runSeed(ctx, all, s, &ran, forms)
		if fault == nil {
			continue
		}
		script := fault.shrink(ctx).script(ctx)
		t.Errorf("seed %d: %s disagrees after %d statements.\n%s\n\nAs a file for regressions:\n\n%s", s, fault.b, len(fault.stmts), fault.difference(), script)
		if faults++; faults == *maxFaults {
			return
		}
	}
	t.Logf("%d statements from seed %d on", ran, *harness.Seed)
	for _, f := range slices.Sorted(maps.Keys(forms)) {
		t.Logf("%6d %s", forms[f], f)
	}
	for _, e := range all {
		t.Logf("%s: %v", e.name, e.spent.Round(time.Millisecond))
		if e.tablets != nil {
			t.Logf("%+v", e.tablets.Counts())
		}
	}
}

// randomEngines are the engines to compare: the first that knows a table's
// types has the last word.
func randomEngines(t *testing.T) []*randomEngine {
	var all []*randomEngine
	if dsn, why := pgtest.TryStart(t); why == "" {
		all = append(all, &randomEngine{name: "PostgreSQL", dsn: dsn})
	} else {
		t.Log("not compared with PostgreSQL:", why)
	}
	add := func(name string, v variant, often int) *randomEngine {
		e := &randomEngine{name: name, db: v.open(t), variant: v, often: often}
		all = append(all, e)
		return e
	}
	add("mem, unsalted", variant{store: "mem"}, 1).fixed = true
	add("mem, rules off", variant{store: "mem", rulesOff: true}, 2)
	add("mem", variant{store: "mem"}, 1)
	add("mem again", variant{store: "mem"}, 1)
	add("mem, indexed", variant{store: "mem"}, 1).indexed = true
	epochs := add("mem, salt epochs", variant{store: "mem"}, 1)
	epochs.indexed, epochs.epochs = true, true
	add("pebble, salt epochs", variant{store: "pebble"}, 2).epochs = true
	add("bigtable, salt epochs", variant{store: "bigtable"}, 6).epochs = true
	reopened := &randomEngine{name: "pebble, reopened", variant: variant{store: "pebble"}, often: 1}
	reopened.db, reopened.reopen = openReopening(t)
	all = append(all, reopened)
	add("pebble, rules off", variant{store: "pebble", rulesOff: true}, 3)
	host, port := harness.Serve(t, all[len(all)-1].db)
	add("bigtable", variant{store: "bigtable"}, 6)
	moving := &randomEngine{name: "bigtable, tablets moving", variant: variant{store: "bigtable"}, often: 6, phase: 3}
	moving.db, moving.tablets = openMoving(t, tablets.Options{Reads: 4, Writes: 3})
	all = append(all, moving)
	all = append(all, &randomEngine{name: "pebble, over the protocol", often: 1, schema: "wire",
		dsn: fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port)})
	return all
}

// runSeed runs one table's statements on every engine. It gives the first
// disagreement.
func runSeed(ctx context.Context, all []*randomEngine, seed uint64, ran *int, forms map[string]int) *disagreement {
	g := random.New(seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var runs []*randomRun
	defer func() {
		for _, run := range runs {
			run.close(ctx)
		}
	}()
	for _, e := range all {
		o := g.Table.Options(r)
		if e.fixed {
			o = random.Options{}
		}
		e.seed = seed
		if e.often > 1 && seed%uint64(e.often) != e.phase || e.variant.store == "bigtable" && g.Table.Bulk {
			continue
		}
		if e.epochs {
			o.Salt = min(o.Salt, 16) // epochs have 256 buckets together
		}
		ddl := g.Table.PlainDDL()
		if !e.isPostgres() {
			ddl = g.Table.DDL(o)
		}
		if e.indexed {
			ddl = strings.Join(append([]string{ddl}, g.Table.Indexes(r)...), nextDDL)
		}
		if e.epochs {
			ddl = strings.Join(append([]string{ddl}, g.Table.Epochs(r)...), nextDDL)
		}
		run, err := e.start(ctx, ddl)
		runs = append(runs, run)
		if err != nil {
			return &disagreement{a: runs[0], b: run, want: "a table", got: err.Error()}
		}
	}
	var stmts []random.Statement
	for i := range statementsPerTable {
		idle := !g.InTransaction()
		st := g.Next(i)
		for _, f := range st.Forms {
			forms[f]++
		}
		todo := []random.Statement{st}
		// Statements prepared anew would not notice that a column has gone.
		if idle && (i == 6 || i == 40 && !altered(stmts)) {
			todo = []random.Statement{{Reopen: true, Head: "-- the store is closed and opened"}, st}
		}
		if st.Write() { // what it left must agree too
			todo = append(todo, random.Statement{Head: "SELECT * FROM " + g.Table.Name, Query: true})
		}
		for _, st := range todo {
			*ran++
			stmts = append(stmts, st)
			want := runs[0].answer(ctx, st)
			if strings.Contains(want, "error 57014") { // its transaction is lost with the statement
				forms["given up with the table: it takes PostgreSQL too long"]++
				return nil
			}
			for _, run := range runs[1:] {
				if run.apart {
					continue
				}
				got := run.answer(ctx, st)
				if run.dsn == "" && strings.Contains(want, "cached plan must not change result type") || run.followed(st) {
					run.apart = true // statements prepared in process follow DDL
					continue
				}
				if !same(want, got) {
					return &disagreement{a: runs[0], b: run, stmts: stmts, want: want, got: got}
				}
			}
		}
	}
	return nil
}

func altered(stmts []random.Statement) bool {
	return slices.ContainsFunc(stmts, func(st random.Statement) bool { return strings.HasPrefix(st.Head, "ALTER") })
}

// same compares two answers; an engine that a statement is not for answers skip.
func same(want, got string) bool {
	return want == got || want == skip || got == skip || strings.Contains(want, reportMark) && bare(want) == bare(got)
}

// bare leaves out the messages of errors.
func bare(answer string) string {
	lines := strings.Split(answer, "\n")
	for i, l := range lines {
		lines[i], _, _ = strings.Cut(l, reportMark)
	}
	return strings.Join(lines, "\n")
}
