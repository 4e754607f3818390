package storagetest

import (
	"math"

	"github.com/saltsql/saltsql/storage"
)

func testCheckAndMutate(e *env) {
	t := e.table("t")
	x := col("f:x")
	cond := func(op storage.CondOp, c storage.Col, ms int64) storage.Cond {
		return storage.Cond{Op: op, Family: c.Family, Qualifier: c.Qualifier, Timestamp: ms * 1000}
	}
	is := func(c, value string, ms int64) storage.Cond {
		m := cond(storage.CellIs, col(c), ms)
		m.Value = []byte(value)
		return m
	}
	untouched := func(family, c string, ms int64) storage.Cond {
		return storage.Cond{Op: storage.Untouched, Family: family, Other: col(c), Timestamp: ms * 1000}
	}
	minTS := func(c storage.Cond, ms int64) storage.Cond { c.MinTS = ms * 1000; return c }
	tests := []struct {
		row  string // mutations of the row before; "" for none
		cond storage.Cond
		want bool
	}{
		{"", cond(storage.RowAbsent, storage.Col{}, 0), true},
		{"g:y@1=1", cond(storage.RowAbsent, storage.Col{}, 0), false},
		{"", cond(storage.RowPresent, storage.Col{}, 0), false},
		{"g:y@1=1", cond(storage.RowPresent, storage.Col{}, 0), true},
		{"g:y@1=", cond(storage.RowPresent, storage.Col{}, 0), true},
		{"", cond(storage.CellAbsent, x, 0), true},
		{"f:y@1=1 g:x@1=1", cond(storage.CellAbsent, x, 0), true},
		{"f:x@1=1", cond(storage.CellAbsent, x, 0), false},
		{"f:x@1=", cond(storage.CellAbsent, x, 0), false},
		{"", cond(storage.CellPresent, x, 0), false},
		{"f:y@1=1 g:x@1=1", cond(storage.CellPresent, x, 0), false},
		{"f:x@1=", cond(storage.CellPresent, x, 0), true},
		{"f:x@7=1", cond(storage.CellTSEquals, x, 7), true},
		{"f:x@7=1", cond(storage.CellTSEquals, x, 6), false},
		{"f:x@7=1", cond(storage.CellTSEquals, x, 8), false},
		{"v:x@7=1 v:x@8=1", cond(storage.CellTSEquals, col("v:x"), 7), false}, // the latest decides
		{"v:x@7=1 v:x@8=1", cond(storage.CellTSEquals, col("v:x"), 8), true},
		{"", cond(storage.CellTSEquals, x, 0), false},
		{"f:x@0=1", cond(storage.CellTSEquals, x, 0), true},
		{"", is("f:x", "1", 0), false},
		{"f:x@7=1", is("f:x", "1", 0), true},
		{"f:x@7=1", is("f:x", "1", 7), true},
		{"f:x@7=1", is("f:x", "1", 6), false},
		{"f:x@7=12", is("f:x", "1", 0), false},
		{"f:x@7=", is("f:x", "", 0), true},
		{"v:x@7=1 v:x@8=2", is("v:x", "1", 0), false}, // the latest decides
		{"v:x@7=1 v:x@8=2", is("v:x", "2", 8), true},
		{"", untouched("f", "v:x", 7), true},
		{"f:y@1=1", untouched("f", "v:x", 7), false},
		{"g:y@9=1 v:y@9=1 v:x@7=1", untouched("f", "v:x", 7), true},
		{"v:x@7=1 v:x@8=1", untouched("f", "v:x", 7), false},
		{"v:x@1=1", untouched("f", "v:x", 0), false},
		{"v:x@8=1", untouched("f", "v:x", 1<<40), true},
		{"v:x@8=1", untouched("f", "v:x", math.MaxInt64/1000), true},
		{"f:x@8=1", untouched("f", "v:x", math.MaxInt64/1000), false},
		// what is older than MinTS is not there
		{"f:x@5=1", minTS(is("f:x", "1", 0), 6), false},
		{"f:x@5=1 v:x@5=1", minTS(untouched("f", "v:x", 1), 6), true},
		{"f:x@6=1", minTS(untouched("f", "v:x", 1), 6), false},
		{"f:x@5=1", minTS(cond(storage.RowAbsent, storage.Col{}, 0), 6), true},
		{"f:x@6=1", minTS(cond(storage.RowAbsent, storage.Col{}, 0), 6), false},
		{"f:x@5=1", minTS(cond(storage.RowPresent, storage.Col{}, 0), 6), false},
		{"f:x@5=1", minTS(cond(storage.CellPresent, x, 0), 6), false},
		{"f:x@5=1", minTS(cond(storage.CellAbsent, x, 0), 6), true},
		{"f:x@5=1", minTS(cond(storage.CellTSEquals, x, 5), 6), false},
		{"f:x@5=1", minTS(cond(storage.CellTSEquals, x, 5), 5), true},
	}
	for i, tt := range tests {
		e.put(t, "k -")
		if tt.row != "" {
			e.put(t, "k "+tt.row)
		}
		got, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("k"), Cond: tt.cond,
			Then: muts("- g:r@1=then"), Else: muts("- g:r@1=else")})
		e.must(err)
		want := "k g:r@1=else"
		if tt.want {
			want = "k g:r@1=then"
		}
		if got != tt.want {
			e.t.Errorf("case %d: %q %+v: matched %v", i, tt.row, tt.cond, got)
			continue
		}
		e.want(e.get(t, storage.ScanRequest{}, "k"), want)
	}
}

func testCheckAndMutateArms(e *env) {
	t := e.table("t")
	absent := storage.Cond{Op: storage.RowAbsent}
	try := func(m storage.CondMutation, want bool) {
		e.t.Helper()
		got, err := t.CheckAndMutate(e.ctx, &m)
		e.must(err)
		if got != want {
			e.t.Fatalf("matched %v", got)
		}
	}
	k := []byte("k")
	try(storage.CondMutation{Key: k, Cond: absent}, true) // a test only
	e.want(e.all(t))
	try(storage.CondMutation{Key: k, Cond: absent, Else: muts("f:x@1=1")}, true)
	e.want(e.all(t))
	try(storage.CondMutation{Key: k, Cond: absent, Then: muts("f:x@1=1 f:y@1=2 -f:x")}, true)
	e.want(e.all(t), "k f:y@1=2")
	try(storage.CondMutation{Key: k, Cond: absent, Then: muts("f:x@1=1")}, false)
	try(storage.CondMutation{Key: k, Cond: absent}, false)
	e.want(e.all(t), "k f:y@1=2")
	try(storage.CondMutation{Key: k, Cond: absent, Then: muts("f:x@1=1"), Else: muts("f:z@3=4")}, false)
	e.want(e.all(t), "k f:y@1=2 f:z@3=4")
	try(storage.CondMutation{Key: k, Cond: storage.Cond{Op: storage.RowPresent}, Then: muts("-")}, true)
	e.want(e.all(t))
}
