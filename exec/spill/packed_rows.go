package spill

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/vec"
)

// CopyRows makes a compact copy of the rows of b from the one at next on.
func CopyRows(b *vec.Batch, next int) *PackedRows {
	p := &PackedRows{rows: b.Rows() - next}
	for _, v := range b.Cols {
		p.like = append(p.like, vec.New(v.Type))
	}
	for i := next; i < b.Rows(); i++ {
		p.bytes = AppendRow(p.bytes, b.Cols, b.Row(i))
	}
	p.bytes = bytes.Clone(p.bytes)
	return p
}

// PackedRows are rows as bytes.
type PackedRows struct {
	like  []*vec.Vec
	rows  int
	bytes []byte
}

// Size is what they hold.
func (p *PackedRows) Size() int64 {
	return int64(cap(p.bytes)) + int64(len(p.like))*int64(vec.EmptySize)
}

// Unpack makes a batch of the rows; it points into them.
func (p *PackedRows) Unpack() *vec.Batch {
	for _, v := range p.like {
		v.Resize(p.rows)
	}
	rest := p.bytes
	for i := range p.rows {
		rest = DecodeRow(rest, p.like, i)
	}
	return &vec.Batch{Cols: p.like, N: p.rows}
}
