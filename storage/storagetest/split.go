package storagetest

import (
	"bytes"
	"fmt"

	"github.com/saltsql/saltsql/storage"
)

// testSplit cuts tables of rows that crowd at one end of the key space: the pieces must make
// up the span, and where a store cuts by itself none may hold far more than its share.
func testSplit(e *env) {
	t := e.table("t")
	pieces := func(s string, most int) []storage.Span {
		sp := span(s)
		got, err := t.Split(e.ctx, sp, most)
		e.must(err)
		if len(got) == 0 || !bytes.Equal(got[0].Start, sp.Start) || !bytes.Equal(got[len(got)-1].End, sp.End) {
			e.t.Fatalf("pieces of %s: %v", s, got)
		}
		for i := 1; i < len(got); i++ {
			if len(got[i].Start) == 0 || !bytes.Equal(got[i-1].End, got[i].Start) || bytes.Compare(got[i-1].Start, got[i].Start) >= 0 {
				e.t.Fatalf("pieces of %s: %v", s, got)
			}
		}
		return got
	}
	pieces(",", 8) // of no rows
	e.put(t, "a f:a@1=x")
	pieces(",", 8)
	var lines []string
	for i := range 4000 {
		lines = append(lines, fmt.Sprintf("a%06d f:a@1=%040d", i, i))
	}
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("%c%04d f:a@1=%040d", 'b'+i%20, i, i))
	}
	e.put(t, lines...)
	for _, most := range []int{1, 2, 16, 64} {
		for _, s := range []string{",", "a,b", "a001000,a003000", "b,", "x,y", "b,b"} {
			if got := pieces(s, most); len(got) > most {
				e.t.Fatalf("%d pieces of %s, %d wanted at most", len(got), s, most)
			}
		}
	}
	whole, err := t.Sample(e.ctx, storage.Span{}, 1)
	e.must(err)
	chooses := whole.Pieces[0].Rows >= 0 // and not its service
	for _, sp := range pieces(",", 16) {
		if n := len(e.scan(t, storage.ScanRequest{Spans: []storage.Span{sp}})); chooses && n > 5000/2 {
			e.t.Fatalf("%d of 5,000 rows in one of 16 pieces", n)
		}
	}
	_, err = t.Split(e.ctx, span("b,a"), 1)
	e.code(err, storage.CodeInvalidArgument)
	_, err = t.Split(e.ctx, span(","), 0)
	e.code(err, storage.CodeInvalidArgument)
	_, err = e.s.Table("none").Split(e.ctx, span(","), 1)
	e.code(err, storage.CodeNotFound)
}
