package exec

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// all gives the table's rows in key order.
func (f *fixture) all() string {
	f.t.Helper()
	return f.must(f.merged(f.scan(), plan.Forward))
}

func (f *fixture) refused(root plan.Node, code sqlerr.Code, text ...string) *sqlerr.Error {
	f.t.Helper()
	out, err := f.run(root)
	e := sqlerr.As(err)
	if e == nil || e.Code != code {
		f.t.Fatalf("got %q, %v; want %s", out, err, code)
	}
	all := e.Message + "\n" + e.Detail + "\n" + e.Hint
	for _, s := range text {
		if !strings.Contains(all, s) {
			f.t.Fatalf("%q is not in %q", s, all)
		}
	}
	return e
}

// forWrite is the input of UPDATE and DELETE.
func (f *fixture) forWrite(filter expr.Expr) plan.Node {
	s := f.scan()
	s.Filter, s.WithKey, s.WithVersion, s.ForUpdate = filter, true, true, true
	return f.gathered(s)
}

// onePoint is forWrite for one key.
func (f *fixture) onePoint(host string, ts int) plan.Node {
	s := f.scan()
	s.WithKey, s.WithVersion, s.ForUpdate, s.Access = true, true, true, plan.PointRead
	s.Key = key(term(plan.KeyEq, 0, lit(host)), term(plan.KeyEq, 1, lit(ts)))
	return s
}

func eachStore(t *testing.T, run func(t *testing.T, f *fixture), opts ...option) {
	for name, open := range stores {
		for _, buckets := range []int{0, 4} {
			t.Run(fmt.Sprint(name, buckets), func(t *testing.T) {
				run(t, newFixture(t, buckets, append([]option{withStore(open(t))}, opts...)...))
			})
		}
	}
}

func TestInsert(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.must(f.insert([]any{"a", 1, 10, 1.5, "x"}))
		if f.work.RowsRead != 0 || f.work.StorageCalls != 1 || f.work.RowsWritten != 1 {
			t.Fatalf("one row: %+v", f.work)
		}
		f.must(f.insert([]any{"b", 1, nil, 2.5, nil}, []any{"a", 2, 20, 0.0, ""}))
		want := "a|2|20|0|\na|1|10|1.5|x\nb|1|NULL|2.5|NULL\n"
		if got := f.all(); got != want {
			t.Fatalf("got\n%s", got)
		}
		f.refused(f.insert([]any{"a", 1, 11, 1.0, "y"}), sqlerr.UniqueViolation,
			`duplicate key value violates unique constraint "pk"`, "Key (host, ts)=(a, 1) already exists.")
		f.refused(f.insert([]any{"q", 1, nil, nil, nil}), sqlerr.NotNullViolation,
			`null value in column "cpu" of relation "metrics" violates not-null constraint`, "Failing row contains (q, 1, null, null, null).")
		ins := f.insert([]any{"q", 1, -1, 1.0, nil})
		ins.Checks = []plan.CheckExpr{{Name: "positive", Cond: opCall(">", f.col("n"), lit(0))}}
		f.refused(ins, sqlerr.CheckViolation, `new row for relation "metrics" violates check constraint "positive"`, "(q, 1, -1, 1, null)")
		f.refused(f.insert([]any{"q", 1, 1, 1.0, nil}, []any{"q", 1, 2, 1.0, nil}), sqlerr.UniqueViolation)
		if f.txns.Atomic() {
			if got := f.all(); got != want {
				t.Fatalf("a failed statement left rows:\n%s", got)
			}
		}
	})
}

func TestInsertReturning(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		ins := f.insert([]any{"a", 1, 10, 1.5, "x"}, []any{"a", 2, 20, 1.5, "y"})
		ins.Returning = []expr.Expr{f.col("ts"), opCall("+", f.col("n"), lit(1))}
		ins.Cols = []plan.Column{{Name: "ts", Type: tInt8}, {Name: "n", Type: tInt8}}
		if got := f.must(ins); got != "1|11\n2|21\n" {
			t.Fatal(got)
		}
	})
}

func TestOnConflict(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.must(f.insert([]any{"a", 1, 10, 1.5, "x"}))
		ins := f.insert([]any{"a", 1, 99, 9.0, nil}, []any{"b", 1, 5, 9.0, nil}, []any{"b", 1, 6, 9.0, nil})
		ins.OnConflict = plan.ConflictNothing
		f.must(ins)
		if f.work.RowsWritten != 1 {
			t.Fatal(f.work)
		}
		up := f.insert([]any{"a", 1, 5, 0.0, nil}, []any{"b", 1, 5, 0.0, nil}, []any{"c", 1, 5, 0.0, nil})
		up.OnConflict, up.Mode = plan.ConflictUpdate, plan.ReadFirst
		n := len(f.table.Columns)
		excluded := &expr.Col{Index: n + 2, T: tInt8}
		up.Set = []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), excluded)}}
		up.Where = opCall("<>", f.col("host"), lit("b"))
		up.Returning, up.Cols = []expr.Expr{f.col("host"), f.col("n")}, []plan.Column{{Type: tText}, {Type: tInt8}}
		if got := f.must(up); got != "a|15\nc|5\n" {
			t.Fatal(got)
		}
		if got := f.all(); got != "a|1|15|1.5|x\nb|1|5|9|NULL\nc|1|5|0|NULL\n" {
			t.Fatal(got)
		}
		up.Input = f.values([]any{"a", 1, 1, 0.0, nil}, []any{"a", 1, 1, 0.0, nil})
		f.refused(up, sqlerr.CardinalityViolation, "cannot affect row a second time")
		up.Input = f.values([]any{"z", 1, 1, 0.0, nil}, []any{"z", 1, 1, 0.0, nil})
		f.refused(up, sqlerr.CardinalityViolation)
	})
}

func (f *fixture) upsert(mode plan.WriteMode, named []int, rows ...[]any) *plan.Upsert {
	v := &plan.Values{}
	for _, c := range named {
		v.Cols = append(v.Cols, plan.Column{Type: f.table.Columns[c].Type})
	}
	for _, r := range rows {
		var es []expr.Expr
		for i, x := range r {
			if x == nil {
				es = append(es, null(f.table.Columns[named[i]].Type))
			} else {
				es = append(es, lit(x))
			}
		}
		v.Rows = append(v.Rows, es)
	}
	return &plan.Upsert{Table: f.table, Input: v, Named: named, Mode: mode}
}

func TestUpsert(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		all := []int{0, 1, 2, 3, 4}
		f.must(f.upsert(plan.Blind, all, []any{"a", 1, 10, 1.5, "x"}))
		if f.work.RowsRead != 0 || f.work.StorageCalls != 1 {
			t.Fatalf("blind: %+v", f.work)
		}
		f.must(f.upsert(plan.Blind, []int{1, 0, 4}, []any{1, "a", nil}))
		if got := f.all(); got != "a|1|10|1.5|NULL\n" {
			t.Fatal(got)
		}
		f.must(f.upsert(plan.Blind, all, []any{"a", 1, nil, 2.0, "y"}))
		if got := f.all(); got != "a|1|NULL|2|y\n" {
			t.Fatal(got)
		}
		c := f.upsert(plan.Conditional, []int{0, 1, 2}, []any{"a", 1, 3}, []any{"b", 1, 4}, []any{"b", 1, 5})
		c.Defaults = []plan.SetColumn{{Column: 3, Value: lit(7.0)}}
		f.must(c)
		if got := f.all(); got != "a|1|3|2|y\nb|1|5|7|NULL\n" {
			t.Fatal(got)
		}
		c = f.upsert(plan.Conditional, []int{0, 1, 2}, []any{"a", 1, 4}, []any{"new", 1, 4})
		c.Required = []int{3}
		f.refused(c, sqlerr.NotNullViolation, `column "cpu"`, "(new, 1, 4, null, null)")
		ig := f.upsert(plan.CheckAbsent, all, []any{"a", 1, 0, 0.0, "no"}, []any{"c", 1, 0, 0.0, "yes"})
		ig.OnDuplicateIgnore = true
		f.must(ig)
		if f.work.RowsWritten != 1 {
			t.Fatal(f.work)
		}
		rf := f.upsert(plan.ReadFirst, all, []any{"b", 1, 0, 0.0, "b"}, []any{"b", 1, 0, 0.0, "c"}, []any{"d", 1, 1, 1.0, "new"}, []any{"d", 1, 2, 1.0, "x"})
		rf.Set = []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(1))}}
		rf.Returning, rf.Cols = []expr.Expr{f.col("host"), f.col("n")}, []plan.Column{{Type: tText}, {Type: tInt8}}
		if got := f.must(rf); got != "b|6\nb|7\nd|1\nd|2\n" {
			t.Fatal(got)
		}
		got := f.all()
		want := "b|1|7|7|NULL\nc|1|0|0|yes\nd|1|2|1|new\n"
		if !strings.HasSuffix(got, want) {
			t.Fatal(got)
		}
	})
}

func TestUpdate(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.load(3000, 3)
		cond := opCall("<", f.col("ts"), lit(2000))
		up := &plan.Update{Table: f.table, Input: f.forWrite(cond), Cond: cond, Mode: plan.ReadFirst,
			Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(100000))}, {Column: 4, Value: null(tText)}}}
		f.must(up)
		if f.work.RowsWritten != 2000 {
			t.Fatal(f.work)
		}
		if n := strings.Count(f.all(), "|10"); n < 2000 {
			t.Fatal(n)
		}
		one := &plan.Update{Table: f.table, Input: f.onePoint("host-001", 1), Mode: plan.ReadFirst,
			Set:       []plan.SetColumn{{Column: 3, Value: lit(3.25)}},
			Returning: []expr.Expr{f.col("n"), f.col("cpu")}, Cols: []plan.Column{{Type: tInt8}, {Type: tFloat}}}
		if got := f.must(one); got != "100001|3.25\n" {
			t.Fatal(got)
		}
		if f.work.StorageCalls != 2 || f.work.RowsRead != 1 {
			t.Fatal(f.work)
		}
		one.Set[0].Value = null(tFloat)
		f.refused(one, sqlerr.NotNullViolation, `column "cpu"`)
	})
}

func TestUpdateMovesKey(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.must(f.insert([]any{"a", 1, 1, 1.0, nil}, []any{"a", 2, 2, 1.0, nil}))
		up := &plan.Update{Table: f.table, Input: f.forWrite(nil), MovesKey: true, Mode: plan.ReadFirst,
			Set: []plan.SetColumn{{Column: 1, Value: opCall("+", f.col("ts"), lit(10))}}}
		f.must(up)
		if got := f.all(); got != "a|12|2|1|NULL\na|11|1|1|NULL\n" {
			t.Fatal(got)
		}
		up.Set[0].Value = lit(11)
		f.refused(up, sqlerr.UniqueViolation, "(host, ts)=(a, 11)")
	})
}

func TestDelete(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.load(3000, 3)
		cond := opCall("<", f.col("n"), lit(2000))
		f.must(&plan.Delete{Table: f.table, Input: f.forWrite(cond), Cond: cond, Mode: plan.ReadFirst})
		if f.work.RowsWritten != 2000 {
			t.Fatal(f.work)
		}
		d := &plan.Delete{Table: f.table, Input: f.onePoint("host-002", 2999), Mode: plan.ReadFirst,
			Returning: []expr.Expr{f.col("n")}, Cols: []plan.Column{{Type: tInt8}}}
		if got := f.must(d); got != "2999\n" {
			t.Fatal(got)
		}
		if got := f.must(d); got != "" {
			t.Fatal(got)
		}
		if n := strings.Count(f.all(), "\n"); n != 999 {
			t.Fatal(n)
		}
	})
}

// TestConcurrentIncrements: UPDATE t SET n = n + 1 from many sessions loses
// nothing, on any store and in or out of transactions.
func TestConcurrentIncrements(t *testing.T) {
	const sessions, each = 16, 100
	eachStore(t, func(t *testing.T, f *fixture) {
		f.must(f.insert([]any{"a", 1, 0, 1.0, nil}))
		var wg sync.WaitGroup
		for s := range sessions {
			wg.Go(func() {
				up := &plan.Update{Table: f.table, Input: f.onePoint("a", 1), Mode: plan.ReadFirst,
					Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(1))}}}
				if s%4 == 1 { // a statement of several rows for all that is known
					up.Input = f.forWrite(nil)
				}
				st, err := Prepare(&plan.Plan{Root: up, Tables: []*catalog.Table{f.table}})
				if err != nil {
					t.Error(err)
					return
				}
				for range each {
					if err := f.once(st, s%4 == 2 && f.txns.Atomic()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if got := f.must(f.scan("n")); f.table.Options.SaltBuckets == 0 && got != fmt.Sprintln(sessions*each) {
			t.Fatal(got)
		}
		if got := f.all(); !strings.HasPrefix(got, fmt.Sprintf("a|1|%d|", sessions*each)) {
			t.Fatal(got)
		}
	})
}

// once runs a write, perhaps inside a transaction block of its own.
func (f *fixture) once(st *Statement, block bool) error {
	cx := f.context()
	if block {
		x, err := f.txns.Begin(context.Background(), txn.Options{})
		if err != nil {
			return err
		}
		defer x.Rollback()
		cx.Txn = x
		if err := drain(st, cx); err != nil {
			return err
		}
		return x.Commit(context.Background(), cx.WriteOptions())
	}
	return drain(st, cx)
}

func drain(st *Statement, cx *op.Context) error {
	defer st.Close()
	if err := st.Open(cx); err != nil {
		return err
	}
	for {
		if _, err := st.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestTransaction(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.must(f.insert([]any{"a", 1, 1, 1.0, nil}))
		x, err := f.txns.Begin(context.Background(), txn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Rollback()
		f.in = x
		f.must(f.insert([]any{"b", 1, 2, 1.0, nil}))
		up := &plan.Update{Table: f.table, Input: f.forWrite(nil), Mode: plan.ReadFirst,
			Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(10))}}}
		f.must(up)
		// A statement that fails undoes its own writes and no others.
		f.refused(f.insert([]any{"c", 1, 3, 1.0, nil}, []any{"a", 1, 3, 1.0, nil}), sqlerr.UniqueViolation)
		want := "a|1|11|1|NULL\nb|1|12|1|NULL\n"
		if got := f.all(); got != want {
			t.Fatal(got)
		}
		f.in = nil
		if got := f.all(); got != "a|1|1|1|NULL\n" {
			t.Fatal(got)
		}
		if err := x.Commit(context.Background(), f.context().WriteOptions()); err != nil {
			t.Fatal(err)
		}
		if got := f.all(); got != want {
			t.Fatal(got)
		}
	})
}

// TestBulkUpdatesDoNotDeadlock: statements over the same rows lock them in one
// order.
func TestBulkUpdatesDoNotDeadlock(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.load(2500, 3)
		var wg sync.WaitGroup
		const writers, each = 4, 3
		for range writers {
			wg.Go(func() {
				up := &plan.Update{Table: f.table, Input: f.forWrite(nil), Mode: plan.ReadFirst,
					Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(1_000_000))}}}
				st, err := Prepare(&plan.Plan{Root: up, Tables: []*catalog.Table{f.table}})
				if err != nil {
					t.Error(err)
					return
				}
				for range each {
					if err := f.once(st, false); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if n := strings.Count(f.must(f.gathered(f.scan("n"))), fmt.Sprint(writers*each)+"00"); n < 2500 {
			t.Fatal(n)
		}
	})
}

// TestMovesRace: rows whose keys are changed while others update them are
// neither lost nor doubled.
func TestMovesRace(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		if !f.txns.Atomic() {
			t.Skip("a move is two writes there, and others may come between")
		}
		const rows, each = 5, 12
		for i := range rows {
			f.must(f.insert([]any{fmt.Sprint("h", i), 0, 0, 1.0, nil}))
		}
		var wg sync.WaitGroup
		run := func(up *plan.Update) {
			st, err := Prepare(&plan.Plan{Root: up, Tables: []*catalog.Table{f.table}})
			if err != nil {
				t.Error(err)
				return
			}
			for range each {
				err := f.once(st, false)
				// Writers that meet in opposite orders are told so, and try again.
				for sqlerr.CodeOf(err) == sqlerr.DeadlockDetected {
					err = f.once(st, false)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
		wg.Go(func() {
			run(&plan.Update{Table: f.table, Input: f.forWrite(nil), MovesKey: true, Mode: plan.ReadFirst,
				Set: []plan.SetColumn{{Column: 1, Value: opCall("+", f.col("ts"), lit(1))}}})
		})
		for range 2 {
			wg.Go(func() {
				run(&plan.Update{Table: f.table, Input: f.forWrite(nil), Mode: plan.ReadFirst,
					Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(1))}}})
			})
		}
		wg.Wait()
		want := ""
		got := f.must(f.merged(f.scan("host", "ts"), plan.Forward))
		for i := range rows {
			want += fmt.Sprintf("h%d|%d\n", i, each)
		}
		if got != want {
			t.Fatalf("got\n%s", got)
		}
	})
}

func TestRepeatableReadConflict(t *testing.T) {
	f := newFixture(t, 4)
	f.must(f.insert([]any{"a", 1, 1, 1.0, nil}))
	x, err := f.txns.Begin(context.Background(), txn.Options{Isolation: txn.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Rollback()
	up := &plan.Update{Table: f.table, Input: f.onePoint("a", 1), Mode: plan.ReadFirst,
		Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(1))}}}
	f.must(up) // by another session, after the snapshot
	f.in = x
	if got := f.must(f.merged(f.scan("n"), plan.Forward)); got != "1\n" {
		t.Fatal(got)
	}
	f.refused(up, sqlerr.SerializationFailure, "could not serialize access due to concurrent update")
}

func TestLockTimeout(t *testing.T) {
	f := newFixture(t, 4)
	f.must(f.insert([]any{"a", 1, 1, 1.0, nil}))
	x, err := f.txns.Begin(context.Background(), txn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Rollback()
	up := &plan.Update{Table: f.table, Input: f.onePoint("a", 1), Mode: plan.ReadFirst, Set: []plan.SetColumn{{Column: 2, Value: lit(2)}}}
	f.in = x
	f.must(up)
	f.in, f.set.LockTimeout = nil, time.Millisecond
	f.refused(up, sqlerr.LockNotAvailable, "canceling statement due to lock timeout")
	up.Input = f.forWrite(nil)
	f.refused(up, sqlerr.LockNotAvailable)
}

func TestPackedRows(t *testing.T) {
	packed := withTable(func(t *catalog.Table) { t.Options.Layout = rowcodec.SingleCellArrayWithOffsets })
	eachStore(t, func(t *testing.T, f *fixture) {
		f.must(f.insert([]any{"a", 1, 1, 1.0, "x"}, []any{"b", 1, 2, 2.0, nil}))
		up := &plan.Update{Table: f.table, Input: f.forWrite(nil), Mode: plan.ReadFirst,
			Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(10))}}}
		f.must(up)
		f.must(f.upsert(plan.ReadFirst, []int{0, 1, 4}, []any{"b", 1, "set"}))
		if got := f.all(); got != "a|1|11|1|x\nb|1|12|2|set\n" {
			t.Fatal(got)
		}
	}, packed)
}

func TestTTL(t *testing.T) {
	ttl := withTable(func(t *catalog.Table) { t.Options.TTL = time.Hour })
	eachStore(t, func(t *testing.T, f *fixture) {
		now := time.Now()
		f.txns = txn.NewManager(f.base, txn.NewClock(func() time.Time { return now }))
		f.must(f.insert([]any{"a", 1, 1, 1.0, "x"}))
		now = now.Add(59 * time.Minute)
		if got := f.all(); got == "" {
			t.Fatal("gone too soon")
		}
		now = now.Add(2 * time.Minute)
		if got := f.all(); got != "" {
			t.Fatal(got)
		}
		f.must(f.insert([]any{"a", 1, 2, 2.0, nil}))
		if got := f.all(); got != "a|1|2|2|NULL\n" {
			t.Fatal("what had expired came back: " + got)
		}
	}, ttl)
}

func TestCancel(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.load(5000, 3)
		for _, want := range []*sqlerr.Error{op.ErrUserCancel, op.ErrStatementTimeout} {
			s, err := Prepare(&plan.Plan{Root: f.merged(f.scan(), plan.Forward)})
			if err != nil {
				t.Fatal(err)
			}
			cx := f.context()
			ctx, cancel := context.WithCancelCause(cx.Ctx)
			cx.Ctx = ctx
			if err := s.Open(cx); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
			cancel(want)
			for err == nil {
				_, err = s.Next()
			}
			if e := sqlerr.As(err); e == nil || e.Message != want.Message {
				t.Fatal(err)
			}
			s.Close()
		}
	})
}
