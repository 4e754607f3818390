package marker

import "github.com/saltsql/saltsql/internal/dialect/tree"

// maxSlab bounds how many nodes are made at once.
const maxSlab = 256

// slab makes nodes of one type several at a time: a statement has many of them,
// and they live as long as it does.
type slab[T any] struct {
	free []T
	made int
}

// of gives a node with the value v.
func (s *slab[T]) of(v T) *T {
	if len(s.free) == 0 {
		n := min(s.made+2, maxSlab)
		s.free = make([]T, n)
		s.made += n
	}
	p := &s.free[0]
	s.free = s.free[1:]
	*p = v
	return p
}

// nodes are the slabs of one statement.
type nodes struct {
	columns slab[tree.ColumnRef]
	consts  slab[tree.Const]
	params  slab[tree.Param]
	ops     slab[tree.Op]
}
