package relational

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// aggPart is what some groups are made of, and none of the others: rows that were put
// aside, and groups of tables of other rows.
type aggPart struct {
	rows   []*overflowPart
	depth  int           // how often the rows were put aside
	tables *sharedTables // with groups of this part; nil: none
	number int           // of the part, of those of tables
}

// sharedTables are tables whose groups go to several parts. The last of them closes them.
type sharedTables struct {
	tables []*aggTable
	groups [][][]uint32 // of each table, those of each part
	users  atomic.Int32
}

func (s *sharedTables) leave() {
	if s.users.Add(-1) > 0 {
		return
	}
	for _, t := range s.tables {
		t.close()
	}
}

func (p *aggPart) close() {
	for _, r := range p.rows {
		r.close()
	}
	p.rows = nil
	if p.tables != nil {
		p.tables.leave()
		p.tables = nil
	}
}

// count is how many rows are in memory.
func (p *aggPart) count() (n int) {
	for _, r := range p.rows {
		for _, b := range r.batches {
			n += b.N
		}
	}
	return n
}

func (p *aggPart) inMemory() bool {
	for _, r := range p.rows {
		if r.file != nil {
			return false
		}
	}
	return true
}

// take gives what overflowed from a table.
func (a *hashAgg) take(t *aggTable) ([]*overflowPart, error) {
	if t.overflow == nil {
		return nil, nil
	}
	parts, n, err := t.overflow.take()
	a.cx.AddWork(a.node, &plan.Actual{SpillBytes: n})
	t.overflow = nil
	return parts, err
}

// takeParts has what overflowed from a table, all of whose groups are complete, wait: before
// the parts that wait already, so that there are never more files than those of one part of
// each depth.
func (a *hashAgg) takeParts(t *aggTable) error {
	depth := t.depth + 1
	parts, err := a.take(t)
	var first []aggPart
	for _, p := range parts {
		if !p.empty() {
			first = append(first, aggPart{rows: []*overflowPart{p}, depth: depth})
		}
	}
	a.parts = append(first, a.parts...)
	return err
}

// canCombine says that something overflowed from tables, that there is memory left beside
// the tables, and that no values are put aside.
func (a *hashAgg) canCombine() bool {
	any, held := false, int64(0)
	for _, t := range a.tables {
		any = any || t.overflow != nil
		held += t.hold.Bytes()
		if slices.ContainsFunc(t.sorts, func(s *spill.Sorter) bool { return s != nil }) {
			return false
		}
	}
	work := a.cx.Memory.Work()
	return any && (work <= 0 || held < work/4)
}

// combineParts splits what several tables have, their groups and what overflowed, so that
// each part is complete.
func (a *hashAgg) combineParts() error {
	shared := &sharedTables{tables: a.tables}
	shared.users.Store(overflowParts)
	for i := range overflowParts {
		a.parts = append(a.parts, aggPart{depth: 1, tables: shared, number: i})
	}
	a.tables = nil
	for _, t := range shared.tables {
		shared.groups = append(shared.groups, t.byPart())
		parts, err := a.take(t)
		for i, p := range parts {
			a.parts[i].rows = append(a.parts[i].rows, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// aggregateParts replaces parts by their tables: all of them, in parallel, where their rows
// are in memory, else one.
func (a *hashAgg) aggregateParts() error {
	todo := a.parts[:1]
	for n := 1; todo[0].inMemory() && n < len(a.parts) && a.parts[n].inMemory(); n++ {
		todo = a.parts[:n+1]
	}
	a.tables = make([]*aggTable, len(todo))
	workers := min(len(todo), a.cx.Fanout())
	if workers == 1 {
		for i := range todo {
			var err error
			if a.tables[i], err = a.aggregatePart(&todo[i], a.spec); err != nil {
				return err
			}
		}
	} else if err := a.inParallel(todo, workers); err != nil {
		return err
	}
	a.parts = a.parts[len(todo):]
	for _, t := range a.tables {
		if err := a.takeParts(t); err != nil {
			return err
		}
	}
	return nil
}

// inParallel makes tables of parts, by so many goroutines.
func (a *hashAgg) inParallel(todo []aggPart, workers int) error {
	var taken atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			errs[w] = op.Guarded(func() error {
				spec := a.spec.clone()
				for {
					i := int(taken.Add(1)) - 1
					if i >= len(todo) {
						return nil
					}
					var err error
					if a.tables[i], err = a.aggregatePart(&todo[i], spec); err != nil {
						taken.Store(int64(len(todo)))
						return err
					}
				}
			})
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// aggregatePart makes the table of a part, which is closed. The table is to be closed where
// there is one.
func (a *hashAgg) aggregatePart(p *aggPart, spec *aggSpec) (*aggTable, error) {
	defer p.close()
	t, err := newAggTable(spec, a.cx, p.depth)
	if err != nil {
		return nil, err
	}
	if p.tables != nil {
		for i, o := range p.tables.tables {
			if err := t.mergeSome(o, p.tables.groups[i][p.number]); err != nil {
				return t, err
			}
		}
	}
	t.groups.Expect(p.count())
	for _, r := range p.rows {
		if err := a.read(r, t); err != nil {
			return t, err
		}
		r.close()
	}
	return t, nil
}

// read aggregates the rows of p into t.
func (a *hashAgg) read(p *overflowPart, t *aggTable) error {
	for _, b := range p.batches {
		if err := t.Add(b); err != nil {
			return err
		}
	}
	if p.file == nil {
		return nil
	}
	if err := p.file.Rewind(); err != nil {
		return err
	}
	rows := vec.NewBatch(a.rowTypes)
	var buf []byte
	for {
		for _, v := range rows.Cols {
			v.Resize(vec.MaxRows)
		}
		poison.Bytes(buf)
		buf = buf[:0]
		n := 0
		for n < vec.MaxRows && len(buf) < storage.MaxBatchBytes {
			_, row, err := p.file.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			at := len(buf)
			buf = append(buf, row...)
			spill.DecodeRow(buf[at:], rows.Cols, n)
			n++
		}
		if n == 0 {
			return nil
		}
		rows.N, rows.Sel = n, nil
		if err := t.Add(rows); err != nil {
			return err
		}
	}
}
