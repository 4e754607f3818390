package exec

import (
	"io"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// sortOp sorts all of its input before it gives its first row.
type sortOp struct {
	n      plan.Node
	in     Operator
	keys   *sortKeys
	cx     *Context
	sorter rowSorter
	sorted bool
	out    *vec.Batch
	buf    []byte
}

func newSort(n *plan.Sort) (Operator, error) {
	in, err := Build(n.Input)
	if err != nil {
		return nil, err
	}
	keys, err := newSortKeys(n.Keys)
	if err != nil {
		return nil, err
	}
	return &sortOp{n: n, in: in, keys: keys, out: vec.NewBatch(typesOf(n))}, nil
}

func (s *sortOp) Open(cx *Context) error {
	s.cx, s.sorted = cx, false
	s.sorter.open(cx)
	return s.in.Open(cx)
}

func (s *sortOp) Next() (*vec.Batch, error) {
	if !s.sorted {
		if err := s.consume(); err != nil {
			return nil, err
		}
		s.sorted = true
	}
	if err := s.sorter.fill(s.out, &s.buf); err != nil {
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
		err = s.keys.each(s.cx.Env, b, func(b *vec.Batch) error {
			for i := range b.Rows() {
				slot := b.Row(i)
				key = s.keys.append(key[:0], slot)
				row = appendRow(row[:0], b.Cols, slot)
				if err := s.sorter.add(key, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := s.cx.canceled(); err != nil {
			return err
		}
	}
	if err := s.in.Close(); err != nil { // its scans are not needed any more
		return err
	}
	if err := s.sorter.finish(); err != nil {
		return err
	}
	s.cx.addWork(s.n, &plan.Actual{SpillBytes: s.sorter.spilled})
	return nil
}

func (s *sortOp) Close() error {
	s.sorter.close()
	s.cx = nil
	return s.in.Close()
}
