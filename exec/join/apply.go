package join

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// apply runs its right side for each left row. What it gave is kept by the bytes of the
// parameters' values while there is memory for it, and then forgotten all at once.
//
//	left row --> parameters --> kept answer --------------------.
//	                  '--> Env.Params --> right side, opened --> rows --> matcher
type apply struct {
	n           *plan.Apply
	left, right op.Operator
	params      *op.RowExprs
	m           *matcher
	cx          *op.Context
	hold        memory.Share
	keeper      *op.Keeper // of what the right side makes once for all runs

	rows    *spill.KeptRows   // of answers
	answers map[string]answer // by parameters; nil: each row has its own
	spare   map[string]answer // answers, empty, for the next run
	keyed   int64             // bytes of answers' keys

	at      int    // left row being joined
	begun   bool   // its answer has been looked up, or begun
	running bool   // the right side is open for it
	whole   bool   // rows has all of its answer
	now     answer // what is known of its answer; lo moves on with what has been added
	from    int32  // where its answer begins
	key     []byte
}

// answer is a stretch of rows.
type answer struct{ lo, hi int32 }

const (
	// mostAnswers is how many bytes of answers are kept at most, and leastAnswers how
	// many however little memory is left.
	mostAnswers  = 8 << 20
	leastAnswers = 64 << 10
	answerBytes  = 64 // of the map, per answer
)

func NewApply(n *plan.Apply, left, right op.Operator) (op.Operator, error) {
	if len(n.Keys) > 0 {
		return nil, sqlerr.Internal(nil, "apply with keys")
	}
	es := make([]expr.Expr, len(n.Params))
	for i, p := range n.Params {
		es[i] = p.Value
	}
	params, err := op.NewRowExprs(es)
	if err != nil {
		return nil, err
	}
	m, err := newMatcher(&n.Match, n.Kind, op.TypesOf(n.Left), op.TypesOf(n.Right), true)
	if err != nil {
		return nil, err
	}
	if m.marksInner() {
		return nil, sqlerr.Internal(nil, "apply of kind %v", n.Kind)
	}
	return &apply{n: n, left: left, right: right, params: params, m: m, rows: spill.NewKeptRows(op.TypesOf(n.Right))}, nil
}

func (a *apply) Open(cx *op.Context) error {
	a.cx, a.begun, a.running, a.answers = cx, false, false, nil
	a.hold = memory.Of(cx.Memory, true)
	if !a.n.Volatile {
		if a.answers = a.spare; a.answers == nil {
			a.answers = map[string]answer{}
		}
	}
	a.params.Reset()
	a.m.open(cx, a)
	a.m.inner = a.rows
	a.keeper = cx.OpenKeeper(a.n.Keeps)
	return a.left.Open(cx)
}

func (a *apply) Next() (*vec.Batch, error) { return a.m.next() }

func (a *apply) outer() (*vec.Batch, error) {
	b, err := a.params.NextPart(a.cx.Env, a.left.Next)
	a.at, a.begun = 0, false
	return b, err
}

func (a *apply) fill() error {
	m := a.m
	if err := a.makeRoom(); err != nil {
		return err
	}
	for ; a.at < len(m.sel); a.at++ {
		slot := m.sel[a.at]
		if !a.begun {
			if err := a.begin(int(slot)); err != nil {
				return err
			}
		}
		for {
			if m.decided(slot) {
				if err := a.stop(); err != nil {
					return err
				}
				break
			}
			for ; a.now.lo < a.now.hi; a.now.lo++ {
				if m.room() == 0 {
					m.upto = a.at
					return nil
				}
				m.add(slot, a.now.lo)
			}
			if !a.running {
				break
			}
			if a.full() && len(m.outers) > 0 {
				m.upto = a.at
				return nil
			}
			if err := a.read(); err != nil {
				return err
			}
		}
		a.begun = false
	}
	m.upto = a.at
	return nil
}

// begin looks for the answer to a left row, or has the right side run.
func (a *apply) begin(slot int) error {
	a.begun, a.whole = true, true
	if a.answers != nil {
		a.key = spill.AppendRow(a.key[:0], a.params.Vals, slot)
		if known, ok := a.answers[string(a.key)]; ok {
			a.now = known
			return nil
		}
	}
	a.from = int32(a.rows.Len)
	a.now = answer{a.from, a.from}
	for i, p := range a.n.Params {
		a.cx.Env.Params[p.N-1] = a.params.Vals[i].Datum(slot)
	}
	a.running = true
	return a.right.Open(a.cx)
}

// read keeps the next rows of the right side, or the answer as a whole at its end.
func (a *apply) read() error {
	b, err := a.right.Next()
	if err == io.EOF {
		return a.end()
	}
	if err != nil {
		return err
	}
	if err := a.cx.Canceled(); err != nil {
		return err
	}
	a.rows.Add(b)
	a.now.hi = int32(a.rows.Len)
	if a.m.existsOnly() { // no more rows of it matter
		return a.end()
	}
	return nil
}

// end closes the right side and keeps its answer.
func (a *apply) end() error {
	a.running = false
	if a.answers != nil && a.whole {
		a.answers[string(a.key)] = answer{a.from, a.now.hi}
		a.keyed += int64(len(a.key)) + answerBytes
	}
	return a.right.Close()
}

// stop closes the right side before its end.
func (a *apply) stop() error {
	if !a.running {
		return nil
	}
	a.running = false
	return a.right.Close()
}

// full says that no more can be kept.
func (a *apply) full() bool {
	n := a.rows.Bytes() + a.keyed
	most := int64(mostAnswers)
	if work := a.cx.Memory.Work(); work > 0 {
		most = min(most, work/2)
	}
	switch {
	case a.answers == nil && n > leastAnswers: // nobody comes back to them
		return true
	case n <= most && a.hold.To(n):
		return false
	}
	return n > leastAnswers || a.hold.MustTo(n) != nil
}

// makeRoom forgets all answers where no more can be kept.
func (a *apply) makeRoom() error {
	if a.now.lo < a.now.hi && a.begun || !a.full() {
		return nil
	}
	a.rows = spill.NewKeptRows(a.rows.Types) // rows given may still point into the one before
	a.m.inner = a.rows
	clear(a.answers)
	a.keyed, a.from, a.now, a.whole = 0, 0, answer{}, false
	return a.hold.MustTo(0)
}

func (a *apply) Close() error {
	a.keeper.Close()
	a.keeper = nil
	a.m.close()
	if a.rows.Bytes()+a.keyed <= mostSpare {
		clear(a.answers)
		a.rows.Reset()
		a.spare = a.answers
	} else {
		a.rows.Drop()
		a.spare = nil
	}
	a.answers, a.keyed, a.running, a.begun = nil, 0, false, false
	if a.cx != nil {
		a.hold.Release()
		a.cx = nil
	}
	return errors.Join(a.right.Close(), a.left.Close())
}
