package storagetest

import (
	"encoding/binary"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

func testCheckAndMutate(e *env) {
	t := e.table("t")
	x := col("f:x")
	cond := func(op storage.CondOp, c storage.Col, v string, ms int64) storage.Cond {
		return storage.Cond{Op: op, Family: c.Family, Qualifier: c.Qualifier, Value: []byte(v), Timestamp: ms * 1000}
	}
	minTS := func(c storage.Cond, ms int64) storage.Cond { c.MinTS = ms * 1000; return c }
	tests := []struct {
		row  string // mutations of the row before; "" for none
		cond storage.Cond
		want bool
	}{
		{"", cond(storage.RowAbsent, storage.Col{}, "", 0), true},
		{"g:y@1=1", cond(storage.RowAbsent, storage.Col{}, "", 0), false},
		{"", cond(storage.RowPresent, storage.Col{}, "", 0), false},
		{"g:y@1=1", cond(storage.RowPresent, storage.Col{}, "", 0), true},
		{"g:y@1=", cond(storage.RowPresent, storage.Col{}, "", 0), true},
		{"", cond(storage.CellAbsent, x, "", 0), true},
		{"f:y@1=1 g:x@1=1", cond(storage.CellAbsent, x, "", 0), true},
		{"f:x@1=1", cond(storage.CellAbsent, x, "", 0), false},
		{"f:x@1=", cond(storage.CellAbsent, x, "", 0), false},
		{"", cond(storage.CellPresent, x, "", 0), false},
		{"f:y@1=1 g:x@1=1", cond(storage.CellPresent, x, "", 0), false},
		{"f:x@1=", cond(storage.CellPresent, x, "", 0), true},
		{"v:x@1=1 v:x@2=2", cond(storage.CellEquals, col("v:x"), "2", 0), true},
		{"v:x@1=1 v:x@2=2", cond(storage.CellEquals, col("v:x"), "1", 0), false}, // the latest decides
		{"f:x@1=abc", cond(storage.CellEquals, x, "ab", 0), false},
		{"f:x@1=ab", cond(storage.CellEquals, x, "abc", 0), false},
		{"f:x@1=", cond(storage.CellEquals, x, "", 0), true},
		{"", cond(storage.CellEquals, x, "", 0), false},
		{"f:x@1=a.*b\n", cond(storage.CellEquals, x, "a.*b\n", 0), true},
		{"f:x@1=\xff\x00\xfe", cond(storage.CellEquals, x, "\xff\x00\xfe", 0), true},
		{"f:x@1=" + strings.Repeat("v", 20000), cond(storage.CellEquals, x, strings.Repeat("v", 20000), 0), true},
		{"f:x@7=1", cond(storage.CellTSEquals, x, "", 7), true},
		{"f:x@7=1", cond(storage.CellTSEquals, x, "", 6), false},
		{"f:x@7=1", cond(storage.CellTSEquals, x, "", 8), false},
		{"v:x@7=1 v:x@8=1", cond(storage.CellTSEquals, col("v:x"), "", 7), false}, // the latest decides
		{"v:x@7=1 v:x@8=1", cond(storage.CellTSEquals, col("v:x"), "", 8), true},
		{"", cond(storage.CellTSEquals, x, "", 0), false},
		{"f:x@0=1", cond(storage.CellTSEquals, x, "", 0), true},
		// what is older than MinTS is not there
		{"f:x@5=1", minTS(cond(storage.RowAbsent, storage.Col{}, "", 0), 6), true},
		{"f:x@6=1", minTS(cond(storage.RowAbsent, storage.Col{}, "", 0), 6), false},
		{"f:x@5=1", minTS(cond(storage.RowPresent, storage.Col{}, "", 0), 6), false},
		{"f:x@5=1", minTS(cond(storage.CellPresent, x, "", 0), 6), false},
		{"f:x@5=1", minTS(cond(storage.CellAbsent, x, "", 0), 6), true},
		{"f:x@5=1", minTS(cond(storage.CellEquals, x, "1", 0), 6), false},
		{"f:x@6=1", minTS(cond(storage.CellEquals, x, "1", 0), 6), true},
		{"f:x@5=1", minTS(cond(storage.CellTSEquals, x, "", 5), 6), false},
		{"f:x@5=1", minTS(cond(storage.CellTSEquals, x, "", 5), 5), true},
	}
	for i, tt := range tests {
		e.put(t, "k -")
		if tt.row != "" {
			e.must(t.Mutate(e.ctx, []storage.RowMutation{{Key: []byte("k"), Mutations: valueMuts(tt.row)}}, storage.WriteOptions{}))
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

// valueMuts is muts for values that may hold white space: a space before a
// known family starts the next mutation.
func valueMuts(s string) []storage.Mutation {
	var out []storage.Mutation
	for _, w := range strings.Split(s, " ") {
		head, val, _ := strings.Cut(w, "=")
		m := muts(head + "=")
		m[0].Value = []byte(val)
		out = append(out, m...)
	}
	return out
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

func testReadModifyWrite(e *env) {
	t := e.table("t")
	k := []byte("k")
	add := func(want string, adds ...storage.AddInt64) {
		e.t.Helper()
		var b storage.RowBatch
		b.StartRow([]byte("before"))
		e.must(t.ReadModifyWrite(e.ctx, k, adds, &b))
		if b.Len() != 2 || string(b.Key(1)) != "k" || b.NumCells(1) != len(adds) {
			e.t.Fatalf("%d rows", b.Len())
		}
		var stored storage.RowBatch
		_, err := t.MultiGet(e.ctx, [][]byte{k}, nil, &stored)
		e.must(err)
		var got []string
		for _, a := range adds {
			v, ok := b.Value(1, a.Family, a.Qualifier)
			s, _ := stored.Value(0, a.Family, a.Qualifier)
			if !ok || len(v) != 8 || string(s) != string(v) {
				e.t.Fatalf("%s:%s: answered %x, stored %x", a.Family, a.Qualifier, v, s)
			}
			got = append(got, intText(int64(binary.BigEndian.Uint64(v))))
		}
		if s := strings.Join(got, " "); s != want {
			e.t.Fatalf("got %s, want %s", s, want)
		}
	}
	a := func(c string, ms, d int64) storage.AddInt64 {
		return storage.AddInt64{Family: col(c).Family, Qualifier: col(c).Qualifier, Timestamp: ms * 1000, Delta: d}
	}
	add("5", a("f:n", 1, 5))
	add("3", a("f:n", 1, -2))
	add("3 -7", a("f:n", 2, 0), a("g:n", 2, -7))
	add("9223372036854775807", a("f:m", 1, 1<<63-1))
	add("-9223372036854775808", a("f:m", 2, 1)) // wraps
	e.put(t, "k f:s@1=abc")
	err := t.ReadModifyWrite(e.ctx, k, []storage.AddInt64{a("f:s", 2, 1)}, &storage.RowBatch{})
	e.code(err, storage.CodeInvalidArgument)
	e.want(e.get(t, storage.ScanRequest{Project: cols("f:s")}, "k"), "k f:s@1=abc")
	e.code(t.ReadModifyWrite(e.ctx, k, nil, &storage.RowBatch{}), storage.CodeInvalidArgument)
	e.code(t.ReadModifyWrite(e.ctx, k, []storage.AddInt64{a("f:n", 1, 1), a("f:n", 1, 1)}, &storage.RowBatch{}), storage.CodeInvalidArgument)
}
