package spill

import (
	"io"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// GatherRows makes larger batches of small ones.
type GatherRows struct {
	// Full has as many rows given as are asked for, not half as many, while there are so many.
	Full bool
	// Ended, where set, says that surely no batch follows the one that came last.
	Ended func() bool
	out   *vec.Batch
	late  *vec.Batch // has come, and found no room
	done  bool
}

func NewGatherRows(ts []types.T) *GatherRows { return &GatherRows{out: vec.NewBatch(ts)} }

func (g *GatherRows) Reset() { g.late, g.done = nil, false }

// Next gives about as many rows of next as are asked for, or io.EOF.
func (g *GatherRows) Next(Next func() (*vec.Batch, error), many int) (*vec.Batch, error) {
	b, err := g.pull(Next)
	if err != nil || b.Rows() >= many || !g.Full && b.Rows() >= many/2 || g.done {
		return b, err
	}
	for _, v := range g.out.Cols {
		v.Resize(vec.MaxRows)
		v.EmptyBuf()
	}
	g.out.N, g.out.Sel = 0, nil
	for size := 0; ; {
		sel := Selection(b)
		for i, v := range g.out.Cols {
			vec.CopySlots(v, g.out.N, b.Cols[i], sel)
		}
		g.out.N += len(sel)
		if size += WidestRow(b.Cols, sel) * len(sel); g.out.N >= many || size >= MostWide {
			return g.out, nil
		}
		if b, err = g.pull(Next); err == io.EOF {
			return g.out, nil
		}
		if err != nil {
			return nil, err
		}
		if g.out.N+b.Rows() > vec.MaxRows {
			g.late = b
			return g.out, nil
		}
	}
}

func (g *GatherRows) pull(next func() (*vec.Batch, error)) (*vec.Batch, error) {
	if b := g.late; b != nil {
		g.late = nil
		return b, nil
	}
	if g.done {
		return nil, io.EOF
	}
	b, err := next()
	g.done = err == io.EOF || err == nil && g.Ended != nil && g.Ended()
	return b, err
}
