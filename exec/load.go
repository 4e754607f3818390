package exec

import (
	"io"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
)

// Load is a run of a statement that writes rows which are handed to it, instead
// of pulling them: COPY FROM STDIN. Its plan is a write over an External, with
// nothing but Project and Filter between.
type Load struct {
	s   *Statement
	d   *dml
	src pushed
}

// pushed is a Source of one batch at a time.
type pushed struct{ b *vec.Batch }

func (p *pushed) Next() (*vec.Batch, error) {
	b := p.b
	p.b = nil
	if b == nil {
		return nil, io.EOF
	}
	return b, nil
}

// writer is an operator that is a dml.
type writer interface{ base() *dml }

func (d *dml) base() *dml { return d }

// OpenLoad starts a run that takes its rows from Load.Write. The statement must
// be closed, also after an error. cx.Source is set.
func (s *Statement) OpenLoad(cx *Context) (*Load, error) {
	w, ok := s.root.(*counted).in.(writer)
	if !ok {
		return nil, sqlerr.Internal(nil, "statement writes nothing")
	}
	l := &Load{s: s, d: w.base()}
	cx.Source = &l.src
	return l, s.Open(cx)
}

// Write writes the rows of a batch. After an error the load is over and what
// it wrote is undone, but for parts committed already (Settings.Chunked).
func (l *Load) Write(b *vec.Batch) error {
	if l.s.state != running {
		return l.s.err
	}
	l.src.b = b
	if err := l.d.pump(); err != nil {
		return l.s.fail(l.d.told(err))
	}
	return nil
}

// Finish commits, where the load is not part of a transaction, and gives the
// number of rows written.
func (l *Load) Finish() (int64, error) {
	if l.s.state != running {
		return 0, l.s.err
	}
	if err := l.d.finish(); err != nil {
		return 0, l.s.fail(l.d.told(err))
	}
	l.s.state, l.s.err = finished, io.EOF
	return l.d.written, nil
}
