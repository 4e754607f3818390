package exec

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/txn"
)

// Left rows of these tests: id, host, ts, v.
var lookupLeft = []types.T{tInt8, tText, tInt8, tInt8}

// TestLookupJoinModel compares with pairs made from the table's rows.
func TestLookupJoinModel(t *testing.T) {
	kinds := []plan.JoinKind{plan.Inner, plan.Left, plan.Semi, plan.Anti, plan.Single}
	exectest.Seeds(t, 60, func(t *testing.T, r *rand.Rand) {
		var store storage.Store = mem.New()
		name := "mem"
		switch r.IntN(3) {
		case 0:
			store, name = newPebble(t), "pebble"
		case 1:
			store, name = remote{store}, "remote"
		}
		buckets := []int{0, 4, 16}[r.IntN(3)]
		f := newFixture(t, buckets, withStore(store))
		n, hosts := []int{0, 10, 300, 3000}[r.IntN(4)], 1+r.IntN([]int{1, 3, 40}[r.IntN(3)])
		f.load(n, hosts)
		full := r.IntN(2) == 0
		kind := kinds[r.IntN(len(kinds))]
		var rows [][]types.Datum
		for i := range []int{0, 1, 50, 2500}[r.IntN(4)] {
			if !full && i > 60 {
				break
			}
			ts := r.IntN(n + 10)
			row := []types.Datum{types.NewInt(int64(i)), types.NewText(fmt.Sprintf("host-%03d", ts%hosts)), types.NewInt(int64(ts)), types.NewInt(int64(r.IntN(n + 1)))}
			if r.IntN(10) == 0 {
				row[1+r.IntN(3)] = types.NullDatum
			}
			rows = append(rows, row)
		}
		cols := [][]string{{"n", "note"}, {"host", "ts", "n"}, {"ts", "note", "n", "cpu", "host"}}[r.IntN(3)]
		scan := f.scan(cols...)
		at := func(name string) int {
			return slices.IndexFunc(scan.Cols, func(c int) bool { return f.table.Columns[c].Name == name })
		}
		if r.IntN(3) == 0 {
			scan.Filter = opCall("<", colAt(at("n"), tInt8), lit(n/2))
		}
		j := &plan.LookupJoin{Kind: kind, Left: externalOf(lookupLeft), Right: scan, Values: []expr.Expr{colAt(1, tText)}}
		if full {
			j.Values = append(j.Values, colAt(2, tInt8))
		}
		if r.IntN(2) == 0 {
			j.Filter = opCall("<", colAt(3, tInt8), colAt(4+at("n"), tInt8))
		}
		if full && kind == plan.Inner && r.IntN(3) > 0 {
			j.Index = "by_host" // its entries are decoded into place
		}
		oper, err := join.NewLookupJoin(j, &exectest.Batches{Rows: rows, Types: lookupLeft, Rand: r})
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 && f.txns.Atomic() {
			if f.in, err = f.txns.Begin(t.Context(), txn.Options{}); err != nil {
				t.Fatal(err)
			}
			defer f.in.Rollback()
		}
		workMem := []int64{0, 1 << 10, 8 << 10}[r.IntN(3)]
		t.Log(name, kind, "full", full, "buckets", buckets, "filter", j.Filter != nil, "rows", len(rows), n, "hosts", hosts, "work_mem", workMem, cols)

		want, fails := lookupWant(f, j, rows, n, hosts)
		for range 2 {
			got, err := runLookup(t, f, oper, workMem)
			if fails {
				if sqlerr.CodeOf(err) != sqlerr.CardinalityViolation {
					t.Fatalf("no error: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			// Left rows are in order; a row's matches come in any.
			slices.SortStableFunc(got, func(a, b string) int {
				if idOf(a) != idOf(b) {
					return 0
				}
				return strings.Compare(a, b)
			})
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows, want %d\n%.300s\n%.300s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}

// TestLookupJoinBuckets: the buckets that a join's lookups read are counted once each, however
// many calls they take, and those of a join that runs again too.
func TestLookupJoinBuckets(t *testing.T) {
	for _, buckets := range []int{0, 16} {
		for _, inPlace := range []bool{false, true} {
			f := newFixture(t, buckets)
			f.load(5000, 7)
			scan := f.scan("n")
			j := &plan.LookupJoin{Left: externalOf(lookupLeft), Right: scan, Values: []expr.Expr{colAt(1, tText), colAt(2, tInt8)}}
			if inPlace {
				j.Index = "by_host"
			}
			var rows [][]types.Datum
			for ts := range 5000 {
				rows = append(rows, []types.Datum{types.NewInt(int64(ts)), types.NewText(fmt.Sprintf("host-%03d", ts%7)), types.NewInt(int64(ts)), types.NewInt(0)})
			}
			oper, err := join.NewLookupJoin(j, &exectest.Batches{Rows: rows, Types: lookupLeft, Rand: rand.New(rand.NewPCG(1, 2))})
			if err != nil {
				t.Fatal(err)
			}
			f.acts = &plan.Actuals{}
			cx := f.context()
			if err := cx.Begin(op.Needs{Snapshot: true}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := oper.Open(cx); err != nil {
					t.Fatal(err)
				}
				for err == nil {
					_, err = oper.Next()
				}
				if err = oper.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := cx.End(); err != nil {
				t.Fatal(err)
			}
			a := f.acts.Of(j)
			if a.Buckets != int64(buckets) || cx.Work.Buckets != a.Buckets || a.StorageCalls < 4 || a.RowsRead != 10_000 {
				t.Errorf("%d buckets, in place %v: %d of the join and %d of the statement are read by %d calls for %d rows",
					buckets, inPlace, a.Buckets, cx.Work.Buckets, a.StorageCalls, a.RowsRead)
			}
		}
	}
}

func idOf(row string) string { return row[:strings.IndexByte(row, '|')] }

func externalOf(ts []types.T) *plan.External {
	e := &plan.External{}
	for _, t := range ts {
		e.Cols = append(e.Cols, plan.Column{Type: t})
	}
	return e
}

// runLookup runs a join and gives its rows; left rows must be in order.
func runLookup(t *testing.T, f *fixture, built op.Operator, workMem int64) (rows []string, err error) {
	f.set = op.Settings{WorkMem: workMem, TempDir: t.TempDir()}
	cx := f.context()
	cx.Pool = memory.NewPool(1 << 30)
	if err := cx.Begin(op.Needs{Snapshot: true}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if e := built.Close(); e != nil {
			t.Error(e)
		}
		if n := cx.Memory.Used(); n != 0 {
			t.Errorf("%d bytes are still booked", n)
		}
		if e := cx.End(); e != nil {
			t.Error(e)
		}
		f.work = cx.Work
	}()
	if err := built.Open(cx); err != nil {
		return nil, err
	}
	last := int64(-1)
	for {
		b, err := built.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		writeRows(&text, b)
		rows = append(rows, strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")...)
		for i := range b.Rows() {
			id := b.Cols[0].Ints[b.Row(i)]
			if id < last {
				t.Errorf("left row %d after %d", id, last)
			}
			last = id
		}
	}
}

// lookupWant computes the join over the rows that fixture.load makes.
func lookupWant(f *fixture, j *plan.LookupJoin, left [][]types.Datum, n, hosts int) (rows []string, fails bool) {
	text := func(t types.T, d types.Datum) string { return exectest.Text(t, d) }
	for _, l := range left {
		var lt []string
		for i, d := range l {
			lt = append(lt, text(lookupLeft[i], d))
		}
		matches := 0
		for i := range n {
			host := fmt.Sprintf("host-%03d", i%hosts)
			if l[1].Null || string(l[1].Bytes) != host || len(j.Values) > 1 && (l[2].Null || l[2].Int != int64(i)) {
				continue
			}
			if j.Right.Filter != nil && i >= n/2 || j.Filter != nil && (l[3].Null || l[3].Int >= int64(i)) {
				continue
			}
			matches++
			if j.Kind.GivesRight() {
				rt := slices.Clone(lt)
				for _, c := range j.Right.Cols {
					switch f.table.Columns[c].Name {
					case "host":
						rt = append(rt, host)
					case "ts", "n":
						rt = append(rt, fmt.Sprint(i))
					case "cpu":
						rt = append(rt, text(tFloat, types.NewFloat(float64(i)/2)))
					case "note":
						if i%3 == 0 {
							rt = append(rt, "NULL")
						} else {
							rt = append(rt, fmt.Sprintf("note %d", i))
						}
					}
				}
				rows = append(rows, strings.Join(rt, "|"))
			}
		}
		switch {
		case j.Kind == plan.Single && matches > 1:
			fails = true
		case (j.Kind == plan.Left || j.Kind == plan.Single) && matches == 0:
			rows = append(rows, strings.Join(lt, "|")+strings.Repeat("|NULL", len(j.Right.Cols)))
		case j.Kind == plan.Semi && matches > 0, j.Kind == plan.Anti && matches == 0:
			rows = append(rows, strings.Join(lt, "|"))
		}
	}
	return rows, fails
}

// TestLookupJoinCalls: a thousand left rows that come a few at a time are read by full
// key in few calls, each row once.
func TestLookupJoinCalls(t *testing.T) {
	for _, c := range []struct {
		name  string
		store storage.Store
	}{{"mem", mem.New()}, {"pebble", newPebble(t)}, {"remote", remote{mem.New()}}} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, 16, withStore(c.store))
			f.load(5000, 50)
			var rows [][]types.Datum
			for i := range 1000 {
				ts := i * 5
				rows = append(rows, []types.Datum{types.NewInt(int64(i)), types.NewText(fmt.Sprintf("host-%03d", ts%50)), types.NewInt(int64(ts)), types.NewInt(0)})
			}
			for _, twice := range []bool{false, true} {
				left := rows
				if twice {
					left = append(slices.Clone(rows), rows...)
					for i := range left {
						left[i] = slices.Clone(left[i])
						left[i][0] = types.NewInt(int64(i))
					}
				}
				j := &plan.LookupJoin{Kind: plan.Inner, Left: externalOf(lookupLeft), Right: f.scan("n", "note"), Values: []expr.Expr{colAt(1, tText), colAt(2, tInt8)}}
				op, err := join.NewLookupJoin(j, &exectest.Batches{Rows: left, Types: lookupLeft, Rand: rand.New(rand.NewPCG(1, 1))})
				if err != nil {
					t.Fatal(err)
				}
				got, err := runLookup(t, f, op, 0)
				if err != nil || len(got) != len(left) {
					t.Fatal(len(got), err)
				}
				if f.work.RowsRead != 1000 || f.work.StorageCalls > 20 {
					t.Errorf("%d rows read in %d calls", f.work.RowsRead, f.work.StorageCalls)
				}
			}
		})
	}
}
