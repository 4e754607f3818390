package op

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
)

// Parts gives the rows of a batch in parts, where what is computed for all of them would
// take too much memory at a time (expr.ErrWide).
type Parts struct {
	b     vec.Batch
	rest  []uint16 // rows not given yet
	sel   []uint16 // all rows, where the batch lists none
	n     int      // of rest, in the part given last
	rows  int      // how many rows did at once last; 0 is all
	whole *vec.Batch
}

// Reset forgets the batch.
func (p *Parts) Reset() { p.rest, p.n = nil, 0 }

// Set begins with a batch.
func (p *Parts) Set(b *vec.Batch) {
	p.whole, p.n, p.rest = b, 0, b.Sel
	if b.Sel == nil {
		for i := len(p.sel); i < b.N; i++ {
			p.sel = append(p.sel, uint16(i))
		}
		p.rest = p.sel[:b.N]
	}
	if p.rows > 0 {
		p.rows *= 2 // rows may be smaller again
	}
}

// Empty says that all rows were given.
func (p *Parts) Empty() bool { return p.n >= len(p.rest) }

// Next gives the next part, nil if there is none.
func (p *Parts) Next() *vec.Batch {
	if p.rest = p.rest[p.n:]; len(p.rest) == 0 {
		p.n = 0
		return nil
	}
	if p.n = len(p.rest); p.rows > 0 {
		p.n = min(p.n, p.rows)
	}
	return p.part()
}

// Fewer gives the first rows of the last part, which was too large.
func (p *Parts) Fewer() *vec.Batch {
	p.n = max(p.n/2, 1)
	p.rows = p.n
	return p.part()
}

func (p *Parts) part() *vec.Batch {
	p.b.Cols, p.b.N, p.b.Sel = p.whole.Cols, p.whole.N, p.rest[:p.n:p.n]
	return &p.b
}

// Each calls eval, which may be called again for fewer rows when it gives expr.ErrWide,
// and then use, for each part of b.
func (p *Parts) Each(b *vec.Batch, eval, use func(part *vec.Batch) error) error {
	p.Set(b)
	for part := p.Next(); part != nil; part = p.Next() {
		err := eval(part)
		for err == expr.ErrWide {
			part = p.Fewer()
			err = eval(part)
		}
		if err == nil {
			err = use(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
