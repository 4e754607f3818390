package relational

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// setOp is INTERSECT and EXCEPT: it groups the rows of the left side, counts those of each
// side in every group, and gives a group as often as the counts say.
//
//	left  a a b c   -->  a 2 1, b 1 0, c 1 2  -->  INTERSECT a c, ALL a c; EXCEPT b, ALL a b
//	right a c c d
//
// Rows that only the right side has make no groups.
type setOp struct {
	n     *plan.SetOp
	agg   *hashAgg
	out   *vec.Batch
	b     *vec.Batch // of agg; nil: ask for the next
	row   int        // of b
	again int64      // how often row is still to be given
	begun bool
}

func NewSetOp(n *plan.SetOp, left, right op.Operator) (op.Operator, error) {
	ts := op.TypesOf(n)
	side := &expr.Col{Index: len(ts), T: types.Of(types.Bool)}
	count, err := expr.ResolveAgg("count", nil, false, 0)
	if err != nil {
		return nil, err
	}
	groups := &plan.Aggregate{Aggs: []plan.AggCall{{Agg: count, Filter: side}, {Agg: count, Filter: &expr.Not{X: side}}}}
	for i, t := range ts {
		groups.Groups = append(groups.Groups, &expr.Col{Index: i, T: t})
	}
	spec, err := newAggSpec(groups)
	if err != nil {
		return nil, err
	}
	spec.side = len(ts) + 1
	both := &bothSides{left: left, right: right}
	for i, isLeft := range []bool{true, false} {
		v := vec.New(side.T)
		v.Resize(vec.MaxRows)
		for j := range v.Bools {
			v.Bools[j] = isLeft
		}
		both.marks[i] = v
	}
	big := types.Of(types.Int8)
	return &setOp{n: n, out: vec.NewBatch(ts), agg: &hashAgg{
		top: groups, node: n, spec: spec, in: both, rowTypes: append(ts[:len(ts):len(ts)], side.T),
		out: vec.NewBatch(append(ts[:len(ts):len(ts)], big, big)),
	}}, nil
}

func (s *setOp) Open(cx *op.Context) error {
	s.b, s.row, s.again, s.begun = nil, 0, 0, false
	return s.agg.Open(cx)
}

func (s *setOp) Next() (*vec.Batch, error) {
	for _, v := range s.out.Cols {
		v.Resize(vec.MaxRows)
	}
	n := 0
	for n < vec.MaxRows {
		if s.b == nil {
			if n > 0 {
				break // the rows given share the memory of the groups' batch
			}
			b, err := s.agg.Next()
			if err != nil {
				return nil, err
			}
			s.b, s.row, s.begun = b, 0, false
		}
		if !s.begun {
			s.again, s.begun = s.times(s.row), true
		}
		if s.again == 0 {
			s.begun = false
			if s.row++; s.row == s.b.N {
				s.b = nil
			}
			continue
		}
		for i, v := range s.out.Cols {
			v.Set(n, s.b.Cols[i].Datum(s.row))
		}
		s.again--
		n++
	}
	s.out.N, s.out.Sel = n, nil
	return s.out, nil
}

// times is how often a group is given.
func (s *setOp) times(row int) int64 {
	cols := s.b.Cols[len(s.out.Cols):]
	left, right := cols[0].Ints[row], cols[1].Ints[row]
	switch {
	case s.n.All && s.n.Except:
		return max(left-right, 0)
	case s.n.All:
		return min(left, right)
	case (right > 0) == s.n.Except:
		return 0
	}
	return 1
}

func (s *setOp) Close() error {
	s.b = nil
	return s.agg.Close()
}

// bothSides gives the rows of the left side, then those of the right, each with a column
// that says which it is. The right side is not opened where the left one has no rows.
type bothSides struct {
	left, right op.Operator
	marks       [2]*vec.Vec
	cx          *op.Context
	side        int // 0: left, 1: right, 2: neither
	any         bool
	out         vec.Batch
}

func (b *bothSides) Open(cx *op.Context) error {
	b.cx, b.side, b.any = cx, 0, false
	return b.left.Open(cx)
}

func (b *bothSides) Next() (*vec.Batch, error) {
	for b.side < 2 {
		in := b.left
		if b.side == 1 {
			in = b.right
		}
		rows, err := in.Next()
		if err == io.EOF {
			if err := in.Close(); err != nil {
				return nil, err
			}
			if b.side++; b.side == 1 && b.any {
				if err := b.right.Open(b.cx); err != nil {
					return nil, err
				}
			} else {
				b.side = 2
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		b.any = true
		b.out.Cols = append(append(b.out.Cols[:0], rows.Cols...), b.marks[b.side])
		b.out.N, b.out.Sel = rows.N, rows.Sel
		return &b.out, nil
	}
	return nil, io.EOF
}

func (b *bothSides) Close() error { return errors.Join(b.left.Close(), b.right.Close()) }
