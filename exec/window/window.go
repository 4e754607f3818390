package window

import (
	"io"
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// window computes window functions, partition by partition.
//
//	input -> sort, unless sorted -> kept rows    a a a a a | b b | c c c c …
//	                                             what calls read lies beside each row
//	     a partition whose end has come -> frames of a block of rows -> calls -> a page given
//
// Rows of one partition and those of the batches that end it are kept, in memory or
// spilled; a page of them is given with the calls' results beside it.
type window struct {
	n      *plan.Window
	in     op.Operator
	cx     *op.Context
	keys   *spill.Keys // partition, then order
	nIn    int
	sorted []types.T // of a row that is sorted: the input's, then keys that are no columns
	wide   []types.T // of a kept row: those, then the extra ones, then whether its peers begin
	part   []int     // columns of the partition's keys
	order  []int
	extra  []*eval.Prog // over the input's columns
	peer   int          // column
	calls  []windowCall
	frames []*frame
	peers  peers
	wideOK bool // no result is bytes or an array

	sorter spill.Sorter
	kept   spill.KeptBatches
	begun  bool
	eof    bool // of the input
	starts []int64
	from   int64 // the present partition
	to     int64
	next   int64 // the first row not given
	main   spill.KeptReader
	parts  op.Parts
	batch  *vec.Batch // from the sorter
	buf    []byte
	all    []*vec.Vec // columns of a batch that is kept
	last   *vec.Batch // the keys of the row kept last
	marks  *vec.Vec
	sel    []uint16
	out    vec.Batch
	hold   memory.Share // of results and states
}

// windowCall is one function or aggregate.
type windowCall struct {
	call *plan.WindowCall
	eval windowEval
	res  *vec.Vec
}

// windowEval computes one call. Blocks come in order.
type windowEval interface {
	// begin starts a partition.
	begin(w *window) error
	// block computes rows lo to hi-1 of the partition into slots at … of out.
	block(w *window, lo, hi int64, out *vec.Vec, at int) error
	bytes() int64
	close()
}

func NewWindow(n *plan.Window, in op.Operator) (op.Operator, error) {
	w := &window{n: n, in: in, keys: &spill.Keys{}}
	w.wide = op.TypesOf(n.Input)
	w.nIn = len(w.wide)
	keyAt := func(e expr.Expr, desc, first bool) (int, error) {
		if err := w.keys.AddKey(e, desc, first); err != nil {
			return 0, err
		}
		if c, ok := e.(*expr.Col); ok {
			return c.Index, nil
		}
		w.wide = append(w.wide, e.Type())
		return len(w.wide) - 1, nil
	}
	for _, e := range n.Partition {
		at, err := keyAt(e, false, false)
		if err != nil {
			return nil, err
		}
		w.part = append(w.part, at)
	}
	for _, k := range n.Order {
		at, err := keyAt(k.Expr, k.Desc, k.NullsFirst)
		if err != nil {
			return nil, err
		}
		w.order = append(w.order, at)
	}
	w.sorted = w.wide[:len(w.wide):len(w.wide)]
	w.wideOK = true
	for i := range n.Calls {
		c := windowCall{call: &n.Calls[i], res: vec.New(n.Calls[i].T)}
		var err error
		if c.eval, err = w.newEval(c.call); err != nil {
			return nil, err
		}
		switch c.call.T.Phys() {
		case types.PhysBytes, types.PhysArray:
			w.wideOK = false
		}
		w.calls = append(w.calls, c)
	}
	w.peer = len(w.wide)
	w.wide = append(w.wide, types.Of(types.Bool))
	w.marks = vec.New(types.Of(types.Bool))
	var keyTypes []types.T
	for _, at := range append(w.part[:len(w.part):len(w.part)], w.order...) {
		keyTypes = append(keyTypes, w.wide[at])
	}
	w.last = vec.NewBatch(keyTypes)
	w.all = make([]*vec.Vec, len(w.wide))
	w.batch = vec.NewBatch(w.sorted)
	w.out.Cols = make([]*vec.Vec, w.nIn+len(w.calls))
	for i := range w.calls {
		w.out.Cols[w.nIn+i] = w.calls[i].res
	}
	return w, nil
}

// column gives the column of kept rows that holds e, an expression over the input's.
func (w *window) column(e expr.Expr) (int, error) {
	if c, ok := e.(*expr.Col); ok {
		return c.Index, nil
	}
	p, err := eval.Compile(e)
	if err != nil {
		return 0, err
	}
	w.extra = append(w.extra, p)
	w.wide = append(w.wide, e.Type())
	return len(w.wide) - 1, nil
}

// columns is column of several.
func (w *window) columns(es []expr.Expr) ([]int, error) {
	at := make([]int, len(es))
	for i, e := range es {
		var err error
		if at[i], err = w.column(e); err != nil {
			return nil, err
		}
	}
	return at, nil
}

func (w *window) Open(cx *op.Context) error {
	w.cx, w.begun, w.eof = cx, false, false
	w.starts, w.from, w.to, w.next = w.starts[:0], 0, 0, 0
	w.kept.Open(cx, w.wide)
	w.main.Open(&w.kept)
	w.peers.open(w)
	w.hold = memory.Of(cx.Memory, false)
	w.sorter.Open(cx)
	// The last one first: in PostgreSQL it is the uppermost of as many nodes, and the first to
	// look at its offsets.
	for _, f := range slices.Backward(w.frames) {
		if err := f.open(w); err != nil {
			return err
		}
	}
	return w.in.Open(cx)
}

func (w *window) Next() (*vec.Batch, error) {
	if !w.begun {
		w.begun = true
		if !w.n.Sorted {
			if err := w.sort(); err != nil {
				return nil, err
			}
		}
	}
	w.kept.Forget(min(w.from, w.next))
	for w.next == w.kept.Rows {
		if w.eof {
			return nil, io.EOF
		}
		if err := w.take(); err != nil {
			return nil, err
		}
	}
	return w.give()
}

// sort sorts the whole input.
func (w *window) sort() error {
	var key, row []byte
	for {
		b, err := w.in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		err = w.keys.Each(w.cx.Env, b, func(b *vec.Batch) error {
			cols := w.withKeys(b)
			for i := range b.Rows() {
				slot := b.Row(i)
				key = w.keys.Append(key[:0], slot)
				row = spill.AppendRow(row[:0], cols, slot)
				if err := w.sorter.Add(key, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := w.cx.Canceled(); err != nil {
			return err
		}
	}
	if err := w.in.Close(); err != nil {
		return err
	}
	if err := w.sorter.Finish(); err != nil {
		return err
	}
	w.cx.AddWork(w.n, &plan.Actual{SpillBytes: w.sorter.Spilled})
	return nil
}

// withKeys gives the columns of a batch and the keys, computed, that are none of them.
func (w *window) withKeys(b *vec.Batch) []*vec.Vec {
	cols := append(w.all[:0], b.Cols[:w.nIn]...)
	at := append(w.part[:len(w.part):len(w.part)], w.order...)
	for i, v := range w.keys.Columns() {
		if at[i] >= w.nIn {
			cols = append(cols, v)
		}
	}
	return cols
}

// book books what results and states hold, and gives the former.
func (w *window) book() (int64, error) {
	var res, all int64
	for i := range w.calls {
		res += w.calls[i].res.Own()
		all += w.calls[i].eval.bytes()
	}
	return res, w.hold.MustTo(res + all)
}

// nextPartition finds the end of the partition that begins at next.
func (w *window) nextPartition() error {
	for len(w.starts) < 2 && !w.eof {
		if err := w.take(); err != nil {
			return err
		}
	}
	w.from, w.to = w.starts[0], w.kept.Rows
	if len(w.starts) > 1 {
		w.to = w.starts[1]
	}
	w.starts = w.starts[:copy(w.starts, w.starts[1:])]
	w.peers.begin(w)
	for _, f := range w.frames {
		f.begin(w)
	}
	for i := range w.calls {
		if err := w.calls[i].eval.begin(w); err != nil {
			return err
		}
	}
	return nil
}

func (w *window) Close() error {
	if w.cx != nil {
		w.cx.AddWork(w.n, &plan.Actual{SpillBytes: w.kept.Spilled})
		w.main.Close()
		w.peers.close()
		for _, f := range w.frames {
			f.close()
		}
		for i := range w.calls {
			w.calls[i].eval.close()
		}
		w.kept.Close()
		w.sorter.Close()
		w.hold.Release()
		poison.Bytes(w.buf)
	}
	w.cx = nil
	return w.in.Close()
}
