package saltadvice

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/planner/advise"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/plan"
)

// scans is what the statements of a load do to a table beside reading full keys, each counted as often
// as it ran.
type scans struct {
	n       float64   // scans
	buckets float64   // that they read
	one     float64   // scans of one bucket
	reverse float64   // scans against the key's order
	turns   []float64 // of those, by how many first columns of the key are bound to values
	binds   []float64 // scans that bind a key column to values, by its position
}

// perScan is how many buckets a scan reads; 0 where there are no scans.
func (s scans) perScan() float64 {
	if s.n == 0 {
		return 0
	}
	return s.buckets / s.n
}

// scansOf plans the statements as if the table were as, and looks at their scans.
func (l *Load) scansOf(as *catalog.Table) scans {
	if s, ok := l.shapes[as]; ok {
		return s
	}
	var s scans
	for i := range l.Statements {
		st := &l.Statements[i]
		p, err := advise.WithTable(st.Context, st.Stmt, l.Table, as)
		if err != nil {
			continue // it cannot be planned any more
		}
		s.add(p.Plan.Root, as, st.Calls)
	}
	if l.shapes == nil {
		l.shapes = map[*catalog.Table]scans{}
	}
	l.shapes[as] = s
	return s
}

func (s *scans) add(n plan.Node, as *catalog.Table, calls float64) {
	if scan, ok := n.(*plan.Scan); ok && scan.Table.ID == as.ID && !scan.PointsOnly() {
		b := bucketsBound(scan)
		s.n += calls
		s.buckets += calls * b
		if b <= 1 {
			s.one += calls
		}
		keys := len(as.PrimaryKey)
		if s.binds == nil {
			s.binds, s.turns = make([]float64, keys), make([]float64, keys+1)
		}
		run := 0
		for pos := range keys {
			if binds(scan, pos) {
				s.binds[pos] += calls
				if run == pos {
					run++
				}
			}
		}
		if scan.Order == plan.Reverse {
			s.reverse += calls
			s.turns[run] += calls
		}
	}
	for _, in := range n.Inputs() {
		s.add(in, as, calls)
	}
}

// said is what a scan's conditions say of the key.
func said(s *plan.Scan) []plan.KeyConj {
	if s.Said == nil && s.Key != nil {
		return s.Key.Or
	}
	return s.Said
}

// binds says that a scan binds a key column to values.
func binds(s *plan.Scan, pos int) bool {
	or := said(s)
	for i := range or {
		if all, _ := or[i].Values([]int{pos}); !all {
			return false
		}
	}
	return len(or) > 0
}

// bucketsBound is how many buckets a scan reads whatever its parameters are: as many as the columns
// that are hashed have values, and all where one is not bound to any.
func bucketsBound(s *plan.Scan) float64 {
	n := s.Table.Buckets()
	if n <= 1 {
		return 1
	}
	or := said(s)
	if len(or) == 0 {
		return float64(n)
	}
	hashed, sum := s.Table.Codec().Key.HashedColumns(), 0
	for i := range or {
		all, m := or[i].Values(hashed)
		switch {
		case !all:
			return float64(n)
		case m == 0:
			m = estimate.ManyValues
		}
		sum += m
	}
	return float64(min(sum, n))
}
