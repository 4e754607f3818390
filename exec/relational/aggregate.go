package relational

import (
	"io"
	"sync"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// NewAggregate builds a complete aggregation, or a Final and the Partial below
// it as one operator: what goes between them is tables, not rows.
func NewAggregate(n *plan.Aggregate, in op.Operator) (op.Operator, error) {
	below := n
	if n.Phase == plan.Final {
		p, ok := n.Input.(*plan.Aggregate)
		if !ok || p.Phase != plan.Partial {
			return nil, sqlerr.Internal(nil, "final aggregation without a partial one below it")
		}
		below = p
	} else if n.Phase == plan.Partial {
		return nil, sqlerr.Internal(nil, "partial aggregation without a final one above it")
	}
	if n.Sets != nil {
		return newGroupingSets(n, in)
	}
	spec, err := newAggSpec(below)
	if err != nil {
		return nil, err
	}
	out := vec.NewBatch(op.TypesOf(n))
	if n.Ordered && len(n.Groups) > 0 {
		return &orderedAgg{spec: spec, in: in, below: below, top: n, out: out}, nil
	}
	return &hashAgg{top: n, node: n, spec: spec, in: in, out: out, rowTypes: op.TypesOf(below.Input)}, nil
}

// AggregateInput is the node whose rows an aggregation takes: for a Final, that of the
// Partial below it.
func AggregateInput(n *plan.Aggregate) plan.Node {
	if p, ok := n.Input.(*plan.Aggregate); ok && n.Phase == plan.Final && p.Phase == plan.Partial {
		return p.Input
	}
	return n.Input
}

// hashAgg aggregates all of its input before it gives the first group. Rows of
// groups that did not fit into memory are aggregated file by file after that.
type hashAgg struct {
	top      *plan.Aggregate
	node     plan.Node // whose work it is
	spec     *aggSpec
	in       op.Operator
	rowTypes []types.T
	cx       *op.Context

	table  *aggTable // whose groups are being given out
	at     int
	files  []pendingFile
	filled bool
	out    *vec.Batch
	rows   *vec.Batch // read back from files
}

// pendingFile is a file still to be aggregated; depth counts how often its rows
// were spilled.
type pendingFile struct {
	f     *spill.File
	depth int
}

func (a *hashAgg) Open(cx *op.Context) error {
	a.cx, a.filled, a.at, a.table, a.files = cx, false, 0, nil, nil
	return a.in.Open(cx)
}

func (a *hashAgg) Next() (*vec.Batch, error) {
	if !a.filled {
		if err := a.consume(); err != nil {
			return nil, err
		}
		a.filled = true
	}
	for {
		if n := min(a.table.n-a.at, a.table.emitRows()); n > 0 {
			if err := a.table.emit(a.at, a.at+n, a.out); err != nil {
				return nil, err
			}
			a.at += n
			return a.out, nil
		}
		if len(a.files) == 0 {
			return nil, io.EOF
		}
		if err := a.nextFile(); err != nil {
			return nil, err
		}
	}
}

func (a *hashAgg) consume() error {
	var mu sync.Mutex
	var tables []*aggTable
	newSink := func() (op.Sink, error) {
		mu.Lock()
		defer mu.Unlock()
		spec := a.spec
		if len(tables) > 0 {
			spec = spec.clone()
		}
		t, err := newAggTable(spec, a.cx, 0)
		if err == nil {
			tables = append(tables, t)
		}
		return t, err
	}
	var err error
	if a.top.Phase == plan.Final || a.spec.inParts() {
		err = op.Feed(a.in, newSink) // in parts, which are merged
	} else {
		err = op.FeedFrom(a.in.Next, newSink)
	}
	if err == nil && len(tables) == 0 {
		_, err = newSink()
	}
	if len(tables) > 0 {
		a.table = tables[0]
	}
	if below := a.spec.n; a.cx.Actuals != nil && below != a.top {
		for _, t := range tables {
			a.cx.Actual(below).Rows += int64(t.n)
		}
	}
	for _, t := range tables[min(1, len(tables)):] {
		if err == nil {
			err = a.table.merge(t)
		}
	}
	if err == nil {
		err = a.in.Close()
	}
	if err == nil {
		err = a.settle(tables)
	}
	for _, t := range tables[min(1, len(tables)):] {
		t.close()
	}
	return err
}

// settle looks at the rows that overflowed while there were several tables:
// those of groups that one of them took are part of those groups, the others wait in
// files.
func (a *hashAgg) settle(tables []*aggTable) error {
	var files []*spill.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, t := range tables {
		if t.overflow == nil {
			continue
		}
		fs, n, err := t.overflow.take()
		files = append(files, fs...)
		if err != nil {
			return err
		}
		a.cx.AddWork(a.node, &plan.Actual{SpillBytes: n})
	}
	if len(tables) == 1 {
		// One table's overflow holds no row of a group it took.
		for _, f := range files {
			a.files = append(a.files, pendingFile{f, 1})
		}
		files = nil
		return a.table.finish()
	}
	if len(files) > 0 && a.table.overflow == nil {
		var err error
		if a.table.overflow, err = newOverflow(a.cx, 1); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := a.readBack(f, a.table); err != nil {
			return err
		}
	}
	if a.table.overflow != nil {
		fs, _, err := a.table.overflow.take()
		for _, f := range fs {
			a.files = append(a.files, pendingFile{f, 1})
		}
		if err != nil {
			return err
		}
	}
	return a.table.finish()
}

// readBack aggregates the rows of a file into t.
func (a *hashAgg) readBack(f *spill.File, t *aggTable) error {
	if a.rows == nil {
		a.rows = vec.NewBatch(a.rowTypes)
	}
	var buf []byte
	for {
		for _, v := range a.rows.Cols {
			v.Resize(vec.MaxRows)
		}
		poison.Bytes(buf)
		buf = buf[:0]
		n := 0
		for n < vec.MaxRows && len(buf) < storage.MaxBatchBytes {
			_, row, err := f.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			at := len(buf)
			buf = append(buf, row...)
			spill.DecodeRow(buf[at:], a.rows.Cols, n)
			n++
		}
		if n == 0 {
			return nil
		}
		a.rows.N, a.rows.Sel = n, nil
		if err := t.Add(a.rows); err != nil {
			return err
		}
	}
}

// nextFile replaces the table by the groups of the next file.
func (a *hashAgg) nextFile() error {
	p := a.files[0]
	a.files = a.files[1:]
	defer p.f.Close()
	a.table.close()
	t, err := newAggTable(a.spec, a.cx, p.depth)
	if err != nil {
		return err
	}
	a.table, a.at = t, 0
	if err := a.readBack(p.f, t); err != nil {
		return err
	}
	if t.overflow != nil {
		fs, n, err := t.overflow.take()
		for _, f := range fs {
			a.files = append(a.files, pendingFile{f, p.depth + 1})
		}
		if err != nil {
			return err
		}
		a.cx.AddWork(a.node, &plan.Actual{SpillBytes: n})
	}
	return t.finish()
}

func (a *hashAgg) Close() error {
	if a.table != nil {
		a.table.close()
		a.table = nil
	}
	for _, p := range a.files {
		p.f.Close()
	}
	a.files = nil
	err := a.in.Close()
	a.cx = nil
	return err
}
