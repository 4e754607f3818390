package agg

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// hypothetical is rank, dense_rank, percent_rank and cume_dist of a row that is made up,
// among those of the group. The arguments are its values, then each row's, which for
// dense_rank come in order.
type hypothetical struct {
	name   string
	order  []expr.Direction
	rows   []int64
	before []int64    // rows before the made-up one; of cume_dist those equal to it too
	last   []*vec.Vec // of dense_rank, the values of each group's last row before
}

func newHypothetical(a *expr.Agg) State {
	s := &hypothetical{name: a.Name, order: a.Order}
	if a.Name == "dense_rank" {
		for _, x := range a.Args[len(a.Order):] {
			s.last = append(s.last, vec.New(x.Type()))
		}
	}
	return s
}

func (s *hypothetical) Resize(n int) {
	s.rows, s.before = extend(s.rows, n), extend(s.before, n)
	for _, v := range s.last {
		v.Extend(max(n, v.Len()))
	}
}

func (s *hypothetical) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	made, rows := args[:len(s.order)], args[len(s.order):]
	for _, i := range sel {
		g := groups[i]
		s.rows[g]++
		c := s.compare(rows, int(i), made, int(i))
		if c > 0 || c == 0 && s.name != "cume_dist" {
			continue
		}
		if s.last != nil {
			if s.before[g] > 0 && s.compare(rows, int(i), s.last, int(g)) == 0 {
				continue
			}
			for k, v := range s.last {
				if v.Type.Phys() == types.PhysBytes && !rows[k].Nulls.Get(int(i)) {
					v.Nulls.Clear(int(g))
					v.Bytes[g] = append([]byte(nil), rows[k].Bytes[i]...)
				} else {
					vec.CopySlot(v, int(g), rows[k], int(i))
				}
			}
		}
		s.before[g]++
	}
	return nil
}

// compare orders slot i of some columns and slot j of others.
func (s *hypothetical) compare(a []*vec.Vec, i int, b []*vec.Vec, j int) int {
	for k, d := range s.order {
		an, bn := a[k].Nulls.Get(i), b[k].Nulls.Get(j)
		if an || bn {
			switch {
			case an && bn:
				continue
			case an == d.NullsFirst:
				return -1
			}
			return 1
		}
		if c := vec.Compare(a[k], i, b[k], j); c != 0 {
			if d.Desc {
				return -c
			}
			return c
		}
	}
	return 0
}

// Merge of dense_rank is only called before there are values, as percentile's.
func (s *hypothetical) Merge(other State, from, to []uint32) error {
	o := other.(*hypothetical)
	for k, i := range from {
		g := to[k]
		s.rows[g] += o.rows[i]
		s.before[g] += o.before[i]
	}
	return nil
}

func (s *hypothetical) Final(lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	for g := lo; g < hi; g++ {
		rows, before := s.rows[g], s.before[g]
		switch s.name {
		case "percent_rank":
			out.Floats[g-lo] = 0
			if rows > 0 {
				out.Floats[g-lo] = float64(before) / float64(rows)
			}
		case "cume_dist":
			out.Floats[g-lo] = float64(before+1) / float64(rows+1)
		default:
			out.Ints[g-lo] = before + 1
		}
	}
	return nil
}

func (s *hypothetical) Bytes() int64 {
	n := int64(16 * cap(s.rows))
	for _, v := range s.last {
		n += v.Size()
	}
	return n
}
