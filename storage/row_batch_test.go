package storage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

func TestRowBatchInPlace(t *testing.T) {
	var b RowBatch
	text := func() string {
		var sb strings.Builder
		for i := range b.Len() {
			fmt.Fprintf(&sb, "%s", b.Key(i))
			for j := range b.NumCells(i) {
				c := b.Cell(i, j)
				fmt.Fprintf(&sb, " %s:%s@%d=%s", c.Family, c.Qualifier, c.Timestamp, c.Value)
			}
			sb.WriteByte(';')
		}
		return sb.String()
	}
	want := func(s string) {
		t.Helper()
		if got := text(); got != s {
			t.Fatalf("got %q, want %q", got, s)
		}
	}
	b.StartRow([]byte("a"))
	b.AddCell("f", []byte("q"), 1, []byte("v"))
	f := b.Intern("f")
	b.AddCellOf(f, []byte("r"), 2, nil)
	b.ExtendValue([]byte("wx"))
	b.ExtendValue([]byte("yz"))
	b.StartRow([]byte("b"))
	b.AddCell("g", nil, 3, []byte("dropped"))
	want("a f:q@1=v f:r@2=wxyz;b g:@3=dropped;")
	b.DropRow()
	b.StartRow([]byte("c"))
	b.AddCellOf(f, []byte("q"), 4, []byte("u"))
	want("a f:q@1=v f:r@2=wxyz;c f:q@4=u;")
	if v, ok := b.Value(0, "f", []byte("r")); !ok || string(v) != "wxyz" {
		t.Fatalf("value %q, %v", v, ok)
	}
	b.Truncate(1)
	want("a f:q@1=v f:r@2=wxyz;")
	b.Recycle()
	want("")
	if b.Intern("h") != 0 {
		t.Fatal("a recycled batch knows old families")
	}
}

func TestRowBatchDoesNotAllocate(t *testing.T) {
	var b RowBatch
	key, value := []byte("key"), make([]byte, 100)
	fill := func() {
		b.Recycle()
		f := b.Intern("f")
		for range 1000 {
			b.StartRow(key)
			for range 5 {
				b.AddCellOf(f, key, 1, value)
			}
			b.ExtendValue(value)
		}
	}
	fill()
	if n := alloctest.PerRun(10, fill); n > 0 {
		t.Fatalf("%v allocations", n)
	}
}

// TestFillingIsNeverTheSame: what is emptied, cut or swapped has another name.
func TestFillingIsNeverTheSame(t *testing.T) {
	seen := map[uint64]bool{}
	fresh := func(b *RowBatch) {
		t.Helper()
		f := b.Filling()
		if f != b.Filling() {
			t.Fatal("a filling changes by itself")
		}
		if seen[f] {
			t.Fatalf("filling %d has come before", f)
		}
		seen[f] = true
	}
	var a, b RowBatch
	for range 3 {
		for _, rb := range []*RowBatch{&a, &b} {
			rb.StartRow([]byte("a"))
			rb.StartRow([]byte("b"))
			fresh(rb)
			rb.DropRow()
			fresh(rb)
			rb.StartRow([]byte("b"))
			rb.Truncate(1)
			fresh(rb)
			rb.Reset()
			fresh(rb)
		}
		was := b.Filling()
		a, b = b, a
		if a.Filling() != was {
			t.Fatal("a filling does not move with its bytes")
		}
		a.Recycle()
		b.Recycle()
	}
}

func TestFind(t *testing.T) {
	var b RowBatch
	for _, key := range []string{"b", "ba", "d"} {
		b.StartRow([]byte(key))
	}
	for key, want := range map[string]int{"": -1, "a": -1, "b": 0, "ba": 1, "bb": -1, "d": 2, "da": -1} {
		if got := b.Find([]byte(key)); got != want {
			t.Errorf("%q is at %d, want %d", key, got, want)
		}
	}
	var empty RowBatch
	if got := empty.Find([]byte("a")); got != -1 {
		t.Errorf("in no rows at %d", got)
	}
}
