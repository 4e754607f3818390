package storage

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

func set(family string, q, v int, ts int64) Mutation {
	return Mutation{Op: SetCell, Family: family, Qualifier: make([]byte, q), Timestamp: ts, Value: make([]byte, v)}
}

func TestCheckRows(t *testing.T) {
	key := func(n int) []byte { return bytes.Repeat([]byte{'k'}, n) }
	half := make([]byte, 90<<20)
	tests := []struct {
		name  string
		row   RowMutation
		code  Code
		limit string
	}{
		{"least", RowMutation{key(1), []Mutation{set("f", 0, 0, 0)}}, CodeUnknown, ""},
		{"longest key and qualifier", RowMutation{key(4096), []Mutation{set("f", 16384, 1, 1000)}}, CodeUnknown, ""},
		{"empty key", RowMutation{nil, []Mutation{set("f", 0, 0, 0)}}, CodeInvalidArgument, ""},
		{"key", RowMutation{key(4097), []Mutation{set("f", 0, 0, 0)}}, CodeTooLarge, "row key"},
		{"qualifier", RowMutation{key(1), []Mutation{set("f", 16385, 0, 0)}}, CodeTooLarge, "column qualifier"},
		{"deleted qualifier", RowMutation{key(1), []Mutation{{Op: DeleteCell, Family: "f", Qualifier: make([]byte, 16385)}}}, CodeTooLarge, "column qualifier"},
		{"cell", RowMutation{key(1), []Mutation{set("f", 1, MaxCellBytes+1, 0)}}, CodeTooLarge, "cell"},
		{"row", RowMutation{key(1), []Mutation{
			{Family: "f", Qualifier: []byte{1}, Value: half}, {Family: "f", Qualifier: []byte{2}, Value: half},
			{Family: "f", Qualifier: []byte{3}, Value: half}}}, CodeTooLarge, "row"},
		{"changes", RowMutation{key(1), make([]Mutation, MaxMutationsPerRow+1)}, CodeTooLarge, "row mutation"},
		{"no mutations", RowMutation{key(1), nil}, CodeInvalidArgument, ""},
		{"negative timestamp", RowMutation{key(1), []Mutation{set("f", 1, 1, -1000)}}, CodeInvalidArgument, ""},
		{"timestamp within a millisecond", RowMutation{key(1), []Mutation{set("f", 1, 1, 1001)}}, CodeInvalidArgument, ""},
		{"no family", RowMutation{key(1), []Mutation{set("", 1, 1, 0)}}, CodeInvalidArgument, ""},
		{"unknown op", RowMutation{key(1), []Mutation{{Op: 9, Family: "f"}}}, CodeInvalidArgument, ""},
	}
	good := RowMutation{key(1), []Mutation{{Op: DeleteRow}}}
	for _, tt := range tests {
		err := CheckRows("mutate", "t", []RowMutation{good, tt.row})
		if CodeOf(err) != tt.code || (err != nil) != (tt.code != CodeUnknown) {
			t.Errorf("%s: got %v", tt.name, err)
			continue
		}
		var e *Error
		if errors.As(err, &e) && (e.Row != 1 || e.Limit != tt.limit || e.Limit != "" && e.Size <= e.Max) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

func TestCheckScan(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	tests := []struct {
		spans []Span
		ok    bool
	}{
		{nil, true},
		{[]Span{{}}, true},
		{[]Span{{b("a"), b("b")}, {b("b"), nil}}, true},
		{[]Span{{b("a"), b("a")}}, true},
		{[]Span{{b("b"), b("a")}}, false},
		{[]Span{{b("a"), b("c")}, {b("b"), b("d")}}, false},
		{[]Span{{b("a"), nil}, {b("b"), nil}}, false},
		{[]Span{{b("b"), b("c")}, {b("a"), b("b")}}, false},
	}
	for _, tt := range tests {
		if err := CheckScan("scan", "t", &ScanRequest{Spans: tt.spans}); (err == nil) != tt.ok {
			t.Errorf("%q: %v", tt.spans, err)
		}
	}
	for _, req := range []ScanRequest{{Limit: -1}, {Versions: -1}, {BatchRows: MaxBatchRows + 1}, {MinTS: -1}} {
		if err := CheckScan("scan", "t", &req); CodeOf(err) != CodeInvalidArgument {
			t.Errorf("%+v: %v", req, err)
		}
	}
}

func TestCheckTableSpec(t *testing.T) {
	fam := func(name string) []FamilySpec { return []FamilySpec{{Name: name}} }
	tests := []struct {
		spec TableSpec
		ok   bool
	}{
		{TableSpec{Name: "a.B-_9", Families: fam("_x.-0")}, true},
		{TableSpec{Name: strings.Repeat("x", 50), Families: fam(strings.Repeat("f", 64))}, true},
		{TableSpec{Name: ""}, false},
		{TableSpec{Name: strings.Repeat("x", 51)}, false},
		{TableSpec{Name: "é"}, false},
		{TableSpec{Name: "t", Families: fam("")}, false},
		{TableSpec{Name: "t", Families: fam("-f")}, false},
		{TableSpec{Name: "t", Families: fam("a:b")}, false},
		{TableSpec{Name: "t", Families: fam(strings.Repeat("f", 65))}, false},
		{TableSpec{Name: "t", Families: append(fam("f"), fam("f")...)}, false},
		{TableSpec{Name: "t", Families: []FamilySpec{{Name: "f", MaxVersions: -1}}}, false},
		{TableSpec{Name: "t", Families: []FamilySpec{{Name: "f", TTL: time.Microsecond}}}, false},
		{TableSpec{Name: "t", Splits: [][]byte{{}}}, false},
	}
	for _, tt := range tests {
		if err := CheckTableSpec("create table", &tt.spec); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.spec, err)
		}
	}
}

func TestRowBatch(t *testing.T) {
	var b RowBatch
	for range 2 { // the second time in used memory
		b.Reset()
		b.StartRow([]byte("r1"))
		b.AddCell("f", []byte("q"), 2000, []byte("new"))
		b.AddCell("f", []byte("q"), 1000, []byte("old"))
		b.AddCell("g", nil, 1000, nil)
		b.StartRow([]byte("dropped"))
		b.AddCell("f", []byte("q"), 0, []byte("x"))
		b.DropRow()
		b.StartRow([]byte("r2"))
		base := b.AddBytes([]byte("..qqvv"))
		cells := b.AddCells(3)
		cells[0] = CellRef{QualLo: base + 2, QualHi: base + 4, ValLo: base + 4, ValHi: base + 6, Timestamp: 7000, Family: b.Intern("g")}
		b.TrimCells(2)
		b.StartRow([]byte("r3"))
	}
	var c RowBatch
	for i := range b.Len() {
		c.AppendRow(&b, i)
	}
	for _, b := range []*RowBatch{&b, &c} {
		if b.Len() != 3 || string(b.Key(0)) != "r1" || string(b.Key(1)) != "r2" || string(b.Key(2)) != "r3" {
			t.Fatalf("rows: %d", b.Len())
		}
		if b.NumCells(0) != 3 || b.NumCells(1) != 1 || b.NumCells(2) != 0 {
			t.Fatal("cells")
		}
		if v, ok := b.Value(0, "f", []byte("q")); !ok || string(v) != "new" {
			t.Fatalf("value %q", v)
		}
		if _, ok := b.Value(2, "f", []byte("q")); ok {
			t.Fatal("value of a row without cells")
		}
		if c := b.Cell(1, 0); c.Family != "g" || string(c.Qualifier) != "qq" || string(c.Value) != "vv" || c.Timestamp != 7000 {
			t.Fatalf("packed cell %+v", c)
		}
		b.Truncate(1)
		if b.Len() != 1 || b.NumCells(0) != 3 {
			t.Fatal("truncate")
		}
	}
	if b.Fits(1<<32) || !b.Fits(1<<20) {
		t.Fatal("fits")
	}
}

func TestRowBatchReuseAllocatesNothing(t *testing.T) {
	var b RowBatch
	key, q, v := []byte("key"), []byte("q"), []byte("value")
	fill := func() {
		b.Reset()
		for range 100 {
			b.StartRow(key)
			b.AddCell("f", q, 1, v)
			b.AddBytes(v)
			b.AddCells(2)
		}
	}
	fill()
	if n := alloctest.PerRun(20, fill); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("disk on fire")
	e := Errorf(CodeUnavailable, "scan", "t", "read: %w", cause)
	if !errors.Is(e, cause) || e.Error() != "storage: scan t: read: disk on fire" || !IsRetryable(e) {
		t.Fatalf("%v", e)
	}
	p := &PartialError{Rows: []RowError{{3, e}}, Written: 3}
	if CodeOf(p) != CodeUnavailable || CodeOf(cause) != CodeUnknown || CodeOf(nil) != CodeUnknown {
		t.Fatal("code")
	}
	for c := CodeUnknown; c <= CodeClosed; c++ {
		if s := c.String(); s == "" || strings.HasPrefix(s, "code") {
			t.Errorf("%d has no name", c)
		}
	}
}
