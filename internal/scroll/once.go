package scroll

import (
	"slices"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
)

// Once is the place of a cursor that goes forward only: its rows are given once, in order, and
// what is left of the batch that was read last is kept between two FETCHes. The zero value is
// before all rows.
type Once struct {
	batch  *vec.Batch
	next   int               // of batch, the row to give
	packed *spill.PackedRows // in place of batch, where the portal is parked
	eof    bool
	at     int64 // rows that FETCH and MOVE have passed
	rest   vec.Batch
	sel    []uint16
}

// Keep makes the rows of b, from the one at next on, those that come next.
func (o *Once) Keep(b *vec.Batch, next int) { o.batch, o.next, o.packed = b, next, nil }

// Pack keeps what is left of the batch in as few bytes as it takes.
func (o *Once) Pack() {
	if o.batch != nil && o.next < o.batch.Rows() {
		o.packed = spill.CopyRows(o.batch, o.next)
	}
	o.batch, o.next = nil, 0
}

// Packed is how many bytes Pack has kept.
func (o *Once) Packed() int64 {
	if o.packed == nil {
		return 0
	}
	return o.packed.Size()
}

// Rest gives out all that is left of the batch, valid until the next call; nil where nothing is.
func (o *Once) Rest() *vec.Batch {
	b := o.left()
	if b == nil {
		return nil
	}
	o.rest, o.sel = o.slice(b.Rows()-o.next, o.sel)
	o.batch = nil
	return &o.rest
}

// left gives the batch, if rows of it are left.
func (o *Once) left() *vec.Batch {
	if o.packed != nil {
		o.batch, o.next, o.packed = o.packed.Unpack(), 0, nil
	}
	if o.batch == nil || o.next >= o.batch.Rows() {
		return nil
	}
	return o.batch
}

// slice gives out the next n rows, listed in sel, which may be the batch's own.
func (o *Once) slice(n int, sel []uint16) (vec.Batch, []uint16) {
	sel = slices.Grow(sel[:0], n)
	for i := range n {
		sel = append(sel, uint16(o.batch.Row(o.next+i)))
	}
	o.next += n
	return vec.Batch{Cols: o.batch.Cols, N: o.batch.N, Sel: sel}, sel
}
