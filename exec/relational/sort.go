package relational

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// sortOp sorts all of its input before it gives its first row.
type sortOp struct {
	n       plan.Node
	in      op.Operator
	keys    *spill.Keys
	cx      *op.Context
	sorter  spill.Sorter
	sorted  bool
	out     *vec.Batch
	buf     []byte
	scratch spill.Scratch
}

// NewSort makes the operator of a Sort.
func NewSort(n *plan.Sort, in op.Operator) (op.Operator, error) {
	keys, err := spill.NewSortKeys(n.Keys)
	if err != nil {
		return nil, err
	}
	return &sortOp{n: n, in: in, keys: keys, out: vec.NewBatch(op.TypesOf(n))}, nil
}

func (s *sortOp) Open(cx *op.Context) error {
	s.cx, s.sorted = cx, false
	s.sorter.Open(cx)
	s.scratch.Open(cx)
	return s.in.Open(cx)
}

func (s *sortOp) Next() (*vec.Batch, error) {
	if !s.sorted {
		if err := s.consume(); err != nil {
			return nil, err
		}
		s.sorted = true
	}
	if err := s.sorter.Fill(s.out, &s.buf); err != nil {
		return nil, err
	}
	return s.out, nil
}

func (s *sortOp) consume() error {
	var key, row []byte
	for {
		b, err := s.in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		err = s.keys.Each(s.cx.Env, b, func(b *vec.Batch) error {
			for i := range b.Rows() {
				slot := b.Row(i)
				key = s.keys.Append(key[:0], slot)
				row = spill.AppendRow(row[:0], b.Cols, slot)
				if err := s.scratch.Book(cap(key) + cap(row)); err != nil {
					return err
				}
				if err := s.sorter.Add(key, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := s.cx.Canceled(); err != nil {
			return err
		}
	}
	if err := s.in.Close(); err != nil { // its scans are not needed any more
		return err
	}
	if err := s.sorter.Finish(); err != nil {
		return err
	}
	s.cx.AddWork(s.n, &plan.Actual{SpillBytes: s.sorter.Spilled})
	return nil
}

func (s *sortOp) Close() error {
	s.sorter.Close()
	s.scratch.Close()
	s.cx = nil
	return s.in.Close()
}
