package storagetest

import (
	"bytes"
	"fmt"

	"github.com/saltsql/saltsql/storage"
)

// testSample loads rows that crowd at one end of the key space and looks at
// what a store says of them. A store that knows its rows must be right within
// 20 % for halves of the table; the pieces must be contiguous on any store.
func testSample(e *env) {
	t := e.table("t")
	other := e.table("u")
	var lines []string
	for i := range 4000 {
		lines = append(lines, fmt.Sprintf("a%06d f:a@1=%040d", i, i))
	}
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("%c%04d f:a@1=%040d", 'b'+i%20, i, i))
	}
	e.put(t, lines...)
	e.put(other, lines[:100]...)
	for _, most := range []int{1, 16, 64} {
		for _, s := range []string{",", "a,b", "a001000,a003000", "b,", "x,y"} {
			sp := span(s)
			got, err := t.Sample(e.ctx, sp, most)
			e.must(err)
			e.wantPieces(sp, got, most)
		}
	}
	got, err := t.Sample(e.ctx, storage.Span{}, 64)
	e.must(err)
	e.wantRows(got, 5000, 4000)
	if got.Pieces[0].Rows < 0 {
		return
	}
	_, err = t.Sample(e.ctx, span("b,a"), 1)
	e.code(err, storage.CodeInvalidArgument)
	_, err = t.Sample(e.ctx, span(","), 0)
	e.code(err, storage.CodeInvalidArgument)
	_, err = e.s.Table("none").Sample(e.ctx, span(","), 1)
	e.code(err, storage.CodeNotFound)
	got, err = t.Sample(e.ctx, span("b,b"), 4)
	e.must(err)
	if len(got.Pieces) != 0 {
		e.t.Fatalf("pieces of an empty span: %v", got.Pieces)
	}
	// What is written again is not more, and what is deleted is less.
	e.put(t, lines[:2000]...)
	for i := range lines[2000:4000] {
		lines[2000+i] = lines[2000+i][:7] + " -"
	}
	e.put(t, lines[2000:4000]...)
	got, err = t.Sample(e.ctx, storage.Span{}, 64)
	e.must(err)
	e.wantRows(got, 3000, 2000)
	e.must(t.DeleteSpan(e.ctx, span("a,b")))
	got, err = t.Sample(e.ctx, storage.Span{}, 64)
	e.must(err)
	e.wantRows(got, 1000, 0)
}

func (e *env) wantPieces(sp storage.Span, got *storage.TableSample, most int) {
	e.t.Helper()
	ps := got.Pieces
	if len(ps) == 0 || !bytes.Equal(ps[0].Span.Start, sp.Start) || !bytes.Equal(ps[len(ps)-1].Span.End, sp.End) {
		e.t.Fatalf("pieces of %v: %v", sp, ps)
	}
	for i := 1; i < len(ps); i++ {
		if lo := ps[i].Span.Start; len(lo) == 0 || !bytes.Equal(ps[i-1].Span.End, lo) || bytes.Compare(ps[i-1].Span.Start, lo) >= 0 {
			e.t.Fatalf("pieces of %v: %v", sp, ps)
		}
	}
	if ps[0].Rows < 0 {
		return // the service chooses them
	}
	if len(ps) > most {
		e.t.Fatalf("%d pieces, asked for %d", len(ps), most)
	}
	if limit := storage.MaxSampleWork(most); got.Calls > limit || got.Rows > limit {
		e.t.Fatalf("%d calls and %d rows for %d pieces", got.Calls, got.Rows, most)
	}
}

// wantRows compares the rows of all pieces, and of those that begin below "b",
// with what is there. Bytes, where only these are known, must be in proportion.
func (e *env) wantRows(got *storage.TableSample, all, below int64) {
	e.t.Helper()
	var sumAll, sumBelow int64
	known := true
	for _, p := range got.Pieces {
		known = known && p.Rows >= 0
		n := p.Rows
		if !known {
			n = p.Bytes
		}
		if n < 0 {
			return
		}
		sumAll += n
		if bytes.Compare(p.Span.Start, []byte("b")) < 0 {
			sumBelow += n
		}
	}
	near := func(got, want, of int64) bool { return got >= want-of/5 && got <= want+of/5 }
	if known && (!near(sumAll, all, all) || !near(sumBelow, below, all)) || !known && sumAll > 0 && !near(sumBelow*all/sumAll, below, all) {
		e.t.Fatalf("the pieces tell %d, and %d below b, of %d and %d rows: %+v", sumAll, sumBelow, all, below, got.Pieces)
	}
}
