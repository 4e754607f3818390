package exec

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
)

// parts gives the rows of a batch in parts, where what is computed for all of them would
// take too much memory at a time (expr.ErrWide).
type parts struct {
	b     vec.Batch
	rest  []uint16 // rows not given yet
	sel   []uint16 // all rows, where the batch lists none
	n     int      // of rest, in the part given last
	rows  int      // how many rows did at once last; 0 is all
	whole *vec.Batch
}

// set begins with a batch.
func (p *parts) set(b *vec.Batch) {
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

// next gives the next part, nil if there is none.
func (p *parts) next() *vec.Batch {
	if p.rest = p.rest[p.n:]; len(p.rest) == 0 {
		p.n = 0
		return nil
	}
	if p.n = len(p.rest); p.rows > 0 {
		p.n = min(p.n, p.rows)
	}
	return p.part()
}

// fewer gives the first rows of the last part, which was too large.
func (p *parts) fewer() *vec.Batch {
	p.n = max(p.n/2, 1)
	p.rows = p.n
	return p.part()
}

func (p *parts) part() *vec.Batch {
	p.b.Cols, p.b.N, p.b.Sel = p.whole.Cols, p.whole.N, p.rest[:p.n:p.n]
	return &p.b
}

// each calls eval, which may be called again for fewer rows when it gives expr.ErrWide,
// and then use, for each part of b.
func (p *parts) each(b *vec.Batch, eval, use func(part *vec.Batch) error) error {
	p.set(b)
	for part := p.next(); part != nil; part = p.next() {
		err := eval(part)
		for err == expr.ErrWide {
			part = p.fewer()
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
