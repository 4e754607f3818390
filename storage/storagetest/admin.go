package storagetest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
)

func intText(n int64) string { return strconv.FormatInt(n, 10) }

func testDeleteSpan(e *env) {
	t, other := e.table("t"), e.table("u")
	fill := func() {
		for _, tb := range []storage.Table{t, other} {
			e.put(tb, "a f:x@1=1", "ab f:x@1=1", "b f:x@1=1", "c f:x@1=1", "\xff f:x@1=1", "\xff\xff f:x@1=1")
		}
	}
	all := []string{"a", "ab", "b", "c", "\xff", "\xff\xff"}
	tests := []struct {
		span string
		left []string
	}{
		{"b,c", []string{"a", "ab", "c", "\xff", "\xff\xff"}},
		{"a,b", []string{"b", "c", "\xff", "\xff\xff"}},
		{"a,a\x00", []string{"ab", "b", "c", "\xff", "\xff\xff"}},
		{"aa,c", []string{"a", "c", "\xff", "\xff\xff"}},
		{"c,", []string{"a", "ab", "b"}},
		{"\xff,", []string{"a", "ab", "b", "c"}},
		{",b", []string{"b", "c", "\xff", "\xff\xff"}},
		{"b,b", all},
		{"x,y", all},
		{",", nil},
	}
	for _, tt := range tests {
		fill()
		e.must(t.DeleteSpan(e.ctx, span(tt.span)))
		e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), KeysOnly: true}), tt.left...)
		e.want(e.scan(other, storage.ScanRequest{Spans: spans(","), KeysOnly: true}), all...)
	}
	fill()
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), KeysOnly: true}), all...)
	e.code(t.DeleteSpan(e.ctx, span("b,a")), storage.CodeInvalidArgument)
}

func testTablets(e *env) {
	e.must(e.s.Admin().CreateTable(e.ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}},
		Splits: [][]byte{[]byte("k5"), []byte("k2"), []byte("k5")}}))
	t := e.s.Table("t")
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("k%03d f:a@1=%0100d", i, i))
	}
	e.put(t, lines...)
	for _, s := range []string{",", "k1,k3", "k3,", ",k9", "x,y"} {
		sp := span(s)
		got, err := t.Tablets(e.ctx, sp)
		e.must(err)
		if len(got) == 0 || !bytes.Equal(got[0].Span.Start, sp.Start) || !bytes.Equal(got[len(got)-1].Span.End, sp.End) {
			e.t.Fatalf("%q: %v", s, got)
		}
		for i := 1; i < len(got); i++ {
			if lo := got[i].Span.Start; len(lo) == 0 || !bytes.Equal(got[i-1].Span.End, lo) || bytes.Compare(got[i-1].Span.Start, lo) >= 0 {
				e.t.Fatalf("%q: %v", s, got)
			}
		}
	}
	got, err := t.Tablets(e.ctx, span("b,b"))
	e.must(err)
	if len(got) != 0 {
		e.t.Fatalf("%v", got)
	}
}

func testAdmin(e *env) {
	a := e.s.Admin()
	names := func() string {
		e.t.Helper()
		specs, err := a.Tables(e.ctx)
		e.must(err)
		var out []string
		for _, s := range specs {
			out = append(out, s.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(); got != "" {
		e.t.Fatalf("a new store has tables %q", got)
	}
	tb := e.table("b.1")
	e.table("A-x")
	if got := names(); got != "A-x b.1" {
		e.t.Fatalf("tables %q", got)
	}
	err := a.CreateTable(e.ctx, storage.TableSpec{Name: "b.1", Families: []storage.FamilySpec{{Name: "z"}}})
	e.code(err, storage.CodeAlreadyExists)

	e.put(tb, "a f:x@1=1", "b f:x@1=1")
	e.put(e.s.Table("A-x"), "a f:x@1=2")
	e.must(a.Truncate(e.ctx, "b.1"))
	e.want(e.all(tb))
	e.put(tb, "a g:x@1=3") // families stay
	e.want(e.all(tb), "a g:x@1=3")
	e.want(e.all(e.s.Table("A-x")), "a f:x@1=2")

	e.must(a.DropTable(e.ctx, "b.1"))
	e.code(a.DropTable(e.ctx, "b.1"), storage.CodeNotFound)
	e.code(a.Truncate(e.ctx, "b.1"), storage.CodeNotFound)
	_, err = e.tryScan(tb, &storage.ScanRequest{Spans: spans(",")})
	e.code(err, storage.CodeNotFound)
	if got := names(); got != "A-x" {
		e.t.Fatalf("tables %q", got)
	}
	e.table("b.1") // a new table, and the old handle speaks of it
	e.want(e.all(tb))

	for _, spec := range []storage.TableSpec{
		{Name: ""}, {Name: "a b"}, {Name: strings.Repeat("x", 51)},
		{Name: "t", Families: []storage.FamilySpec{{Name: "-f"}}},
		{Name: "t", Families: []storage.FamilySpec{{Name: "f"}, {Name: "f"}}},
	} {
		e.code(a.CreateTable(e.ctx, spec), storage.CodeInvalidArgument)
	}
}

func testAdminAlter(e *env) {
	a := e.s.Admin()
	e.must(a.CreateTable(e.ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{
		{Name: "f", MaxVersions: 3}, {Name: "g", TTL: 48 * time.Hour}}}))
	spec := func() string {
		e.t.Helper()
		specs, err := a.Tables(e.ctx)
		e.must(err)
		if len(specs) != 1 {
			e.t.Fatalf("%+v", specs)
		}
		var out []string
		for _, f := range specs[0].Families {
			out = append(out, fmt.Sprintf("%s/%d/%v", f.Name, f.MaxVersions, f.TTL))
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if got := spec(); got != "f/3/0s g/1/48h0m0s" {
		e.t.Fatal(got)
	}
	t := e.s.Table("t")
	nowMS := time.Now().UnixMilli()
	e.put(t, fmt.Sprintf("a f:x@%d=1 g:x@%d=2", nowMS, nowMS))
	e.must(a.AlterTable(e.ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{
		{Name: "h", MaxVersions: 2}, {Name: "f", MaxVersions: 5, TTL: 24 * time.Hour}}}))
	if got := spec(); got != "f/5/24h0m0s g/1/48h0m0s h/2/0s" {
		e.t.Fatal(got)
	}
	e.put(t, fmt.Sprintf("a h:x@%d=3", nowMS))
	e.want(e.all(t), fmt.Sprintf("a f:x@%d=1 g:x@%[1]d=2 h:x@%[1]d=3", nowMS))
	e.must(a.AlterTable(e.ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}))
	if got := spec(); got != "f/1/0s g/1/48h0m0s h/2/0s" {
		e.t.Fatal(got)
	}
	e.code(a.AlterTable(e.ctx, storage.TableSpec{Name: "none", Families: []storage.FamilySpec{{Name: "f"}}}), storage.CodeNotFound)
}

func testNoSuchTable(e *env) {
	t := e.s.Table("none")
	_, err := e.tryScan(t, &storage.ScanRequest{Spans: spans(",")})
	e.code(err, storage.CodeNotFound)
	_, err = t.MultiGet(e.ctx, byteKeys("a"), nil, &storage.RowBatch{})
	e.code(err, storage.CodeNotFound)
	e.code(t.Mutate(e.ctx, rows("a f:x@1=1"), storage.WriteOptions{}), storage.CodeNotFound)
	_, err = t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("a"), Then: muts("f:x@1=1")})
	e.code(err, storage.CodeNotFound)
	_, err = t.Tablets(e.ctx, storage.Span{})
	e.code(err, storage.CodeNotFound)
	e.code(t.DeleteSpan(e.ctx, storage.Span{}), storage.CodeNotFound)
}

func testNoSuchFamily(e *env) {
	t := e.table("t")
	e.put(t, "a f:x@1=1")
	// not "-nope": the emulator takes the deletion of a family it does not know
	for _, m := range []string{"nope:x@1=1", "-nope:x", "- nope:x@1=1"} {
		if err := t.Mutate(e.ctx, rows("b "+m), storage.WriteOptions{}); err == nil {
			e.t.Fatalf("%s: no error", m)
		}
		_, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("b"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: muts(m)})
		if err == nil {
			e.t.Fatalf("%s: no error from CheckAndMutate", m)
		}
	}
	e.want(e.all(t), "a f:x@1=1")
	// reading a family that is not there is no error
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: cols("nope:x", "f:x")}), "a f:x@1=1")
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: cols("nope:x")}))
}
