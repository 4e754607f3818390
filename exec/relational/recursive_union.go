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
// The rows of two rounds are kept, in memory or spilled; without ALL every row that was given,
// in memory.
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
	hold       memory.Share // of seen
	hashes     []uint64
	ids        []uint32
	fresh      []uint16
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
		r.seen, r.hold = vec.NewGroups(r.types), memory.Of(cx.Memory, false)
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
func (r *recursiveUnion) distinct(b *vec.Batch) error {
	sel := spill.Selection(b)
	vec.HashRows(b.Cols, sel, r.hashes)
	before := uint32(r.seen.Len())
	r.seen.Find(b.Cols, sel, r.hashes, r.ids, true, nil)
	fresh, most := r.fresh[:0], before
	for _, s := range sel { // new rows have numbers in the order they come
		if r.ids[s] >= most {
			most = r.ids[s] + 1
			fresh = append(fresh, s)
		}
	}
	r.fresh, b.Sel = fresh, fresh
	return r.hold.MustTo(r.seen.Bytes())
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
		r.hold.Release()
	}
	r.cx, r.made, r.was, r.named, r.running, r.seen = nil, nil, nil, false, nil, nil
	return err
}
