package relational

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// with keeps the rows of its query for the withScans of its body. A query that writes is
// run to its end when the body has come to its own, whether its rows were read or not.
type with struct {
	n           *plan.With
	query, body op.Operator
	types       []types.T // of the query
	writes      bool
	cx          *op.Context
	rows, was   *withQuery
}

func NewWith(n *plan.With, query, body op.Operator) (op.Operator, error) {
	return &with{n: n, query: query, body: body, types: op.TypesOf(n.Query), writes: plan.Writes(n.Query)}, nil
}

func (w *with) Open(cx *op.Context) error {
	w.cx = cx
	w.rows = newWithQuery(cx, w.query, w.types)
	w.was = setQuery(cx, w.n.ID, w.rows)
	return w.body.Open(cx)
}

func (w *with) Next() (*vec.Batch, error) {
	b, err := w.body.Next()
	if err == io.EOF && w.writes {
		if err := w.rows.finish(); err != nil {
			return nil, err
		}
	}
	return b, err
}

func (w *with) Close() error {
	err := w.body.Close()
	if w.rows != nil {
		if n := w.rows.spilled(); n > 0 {
			w.cx.AddWork(w.n, &plan.Actual{SpillBytes: n})
		}
		w.rows.close()
		setQuery(w.cx, w.n.ID, w.was)
		w.rows, w.was, w.cx = nil, nil, nil
	}
	return errors.Join(err, w.query.Close())
}

// withScan reads the rows that are kept for its ID.
type withScan struct {
	n *plan.WithScan
	r withReader
}

func NewWithScan(n *plan.WithScan) (op.Operator, error) {
	return &withScan{n: n, r: withReader{out: vec.NewBatch(op.TypesOf(n))}}, nil
}

func (s *withScan) Open(cx *op.Context) error {
	q := queryOf(cx, s.n.ID)
	if q == nil {
		return sqlerr.Internal(nil, "no rows for WITH query %q", s.n.Name)
	}
	s.r.q, s.r.at = q, 0
	return nil
}

func (s *withScan) Next() (*vec.Batch, error) { return s.r.next() }

func (s *withScan) Close() error {
	s.r.close()
	return nil
}
