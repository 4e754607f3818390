package relational

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// recursiveUnion gives the rows of start, then runs step over the rows of the round before
// until a round gives none.
//
//	start -> rows of round 0 -> step -> rows of round 1 -> step -> … -> no rows
//	   '--------> given <--------'
//
// A row is given as soon as it is made: a LIMIT above ends a recursion that has no end.
// The rows of two rounds are kept, in memory or spilled. Without ALL so is every row that was
// given: in seen and, from where that is full, in aside, which tells of a row at once as seen does.
// Rows put aside by their hash, to be looked at after each round, would be read anew for every
// round, and there may be as many rounds as rows.
type recursiveUnion struct {
	n           *plan.RecursiveUnion
	start, step op.Operator
	types       []types.T
	cx          *op.Context

	read, made *withQuery // of the round before, of this one
	was        *withQuery // what the name meant before
	named      bool
	rows       int64       // of made
	running    op.Operator // start, or step while it is open
	keeper     *op.Keeper  // of what step makes once for all rounds
	seen       *vec.Groups
	hold       memory.Share  // of seen
	aside      *spill.RowSet // nil: seen is not full
	hashes     []uint64
	ids        []uint32
	fresh      []uint16
	missing    []uint16
}

func NewRecursiveUnion(n *plan.RecursiveUnion, start, step op.Operator) (op.Operator, error) {
	r := &recursiveUnion{n: n, start: start, step: step, types: op.TypesOf(n)}
	if !n.All {
		r.hashes, r.ids, r.fresh = make([]uint64, vec.MaxRows), make([]uint32, vec.MaxRows), make([]uint16, 0, vec.MaxRows)
	}
	return r, nil
}

func (r *recursiveUnion) Open(cx *op.Context) error {
	r.cx, r.rows, r.read = cx, 0, nil
	if !r.n.All {
		r.seen, r.hold = vec.NewGroups(r.types), memory.Of(cx.Memory, true)
	}
	r.made = newWithQuery(cx, nil, r.types)
	r.was = setQuery(cx, r.n.ID, nil)
	r.named = true
	r.keeper = cx.OpenKeeper(r.n.Keeps)
	r.running = r.start
	return r.start.Open(cx)
}

func (r *recursiveUnion) Next() (*vec.Batch, error) {
	for r.running != nil {
		b, err := r.running.Next()
		if err == io.EOF {
			if err := r.nextRound(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := r.cx.Canceled(); err != nil {
			return nil, err
		}
		if !r.n.All {
			if err := r.distinct(b); err != nil {
				return nil, err
			}
		}
		if b.Rows() == 0 {
			continue
		}
		if err := r.made.Add(b); err != nil {
			return nil, err
		}
		r.rows += int64(b.Rows())
		return b, nil
	}
	return nil, io.EOF
}

// nextRound runs step over the rows made last.
func (r *recursiveUnion) nextRound() error {
	running := r.running
	r.running = nil
	if err := running.Close(); err != nil {
		return err
	}
	r.dropRead()
	if r.rows == 0 {
		return nil
	}
	if err := r.cx.Canceled(); err != nil {
		return err
	}
	r.read, r.made, r.rows = r.made, newWithQuery(r.cx, nil, r.types), 0
	setQuery(r.cx, r.n.ID, r.read)
	r.running = r.step
	return r.step.Open(r.cx)
}

func (r *recursiveUnion) dropRead() {
	if r.read == nil {
		return
	}
	if n := r.read.spilled(); n > 0 {
		r.cx.AddWork(r.n, &plan.Actual{SpillBytes: n})
	}
	r.read.close()
	r.read = nil
}

// distinct leaves the rows of b that were not given before.
func (r *recursiveUnion) distinct(b *vec.Batch) (err error) {
	sel := spill.Selection(b)
	if r.aside == nil && !r.fits(r.seen.Bytes()+r.seen.GrowthBytes(len(sel))) {
		if r.aside, err = spill.NewRowSet(r.cx, r.types); err != nil {
			return err
		}
	}
	vec.HashRows(b.Cols, sel, r.hashes)
	before := uint32(r.seen.Len())
	r.missing = r.seen.Find(b.Cols, sel, r.hashes, r.ids, r.aside == nil, r.missing)
	fresh := r.fresh[:0]
	if r.aside != nil {
		if fresh, err = r.aside.AddRows(b.Cols, r.missing, r.hashes, fresh); err != nil {
			return err
		}
		r.fresh, b.Sel = fresh, fresh
		return nil
	}
	most := before
	for _, s := range sel { // new rows have numbers in the order they come
		if r.ids[s] >= most {
			most = r.ids[s] + 1
			fresh = append(fresh, s)
		}
	}
	r.fresh, b.Sel = fresh, fresh
	if !r.fits(r.seen.Bytes()) {
		return r.moveSeen()
	}
	return nil
}

// fits books n bytes for seen, if there are so many.
func (r *recursiveUnion) fits(n int64) bool {
	return r.hold.To(n) || n <= spill.LeastKept(r.cx) && r.hold.MustTo(n) == nil
}

// moveSeen puts the rows of seen aside: their texts took more memory than there is.
func (r *recursiveUnion) moveSeen() (err error) {
	if r.aside, err = spill.NewRowSet(r.cx, r.types); err != nil {
		return err
	}
	b := vec.NewBatch(r.types)
	for lo := 0; lo < r.seen.Len(); lo += vec.MaxRows {
		hi := min(lo+vec.MaxRows, r.seen.Len())
		for i, v := range b.Cols {
			v.Resize(hi - lo)
			vec.Share(v, r.seen.Cols()[i], lo, hi)
		}
		sel := spill.EverySlot[:hi-lo]
		vec.HashRows(b.Cols, sel, r.hashes)
		if _, err := r.aside.AddRows(b.Cols, sel, r.hashes, r.missing[:0]); err != nil {
			return err
		}
		if err := r.cx.Canceled(); err != nil {
			return err
		}
	}
	r.seen = vec.NewGroups(r.types)
	r.hold.Release()
	return nil
}

func (r *recursiveUnion) Close() error {
	r.keeper.Close()
	r.keeper = nil
	err := r.step.Close()
	if e := r.start.Close(); err == nil {
		err = e
	}
	if r.cx != nil {
		r.dropRead()
		if r.made != nil {
			r.made.close()
		}
		if r.named {
			setQuery(r.cx, r.n.ID, r.was)
		}
		if r.aside != nil {
			r.cx.AddWork(r.n, &plan.Actual{SpillBytes: r.aside.Bytes()})
			r.aside.Close()
		}
		r.hold.Release()
	}
	r.aside = nil
	r.cx, r.made, r.was, r.named, r.running, r.seen = nil, nil, nil, false, nil, nil
	return err
}
