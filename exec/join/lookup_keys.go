package join

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
)

// leftRows are the left rows of a LookupJoin, many of them at a time, so that many keys are
// read by one call; few at first where few joined rows may be wanted.
type leftRows struct {
	in      op.Operator
	atFirst expr.Expr // LookupJoin.Limit
	rows    *spill.GatherRows
	many    int // rows to gather
	limit   int // with atFirst: how many at a time
}

const (
	// firstLookup is how many left rows are looked up at first: perhaps few joined rows
	// are wanted.
	firstLookup = 128
	mostLookup  = 1000
	// mostRead is how many bytes of rows are read for some left rows at most.
	mostRead = 16 << 20
)

// moreLookups is how many left rows to look up after n.
func moreLookups(n int) int { return min(8*max(n, firstLookup/8), mostLookup) }

func (l *leftRows) init(n *plan.LookupJoin, in op.Operator) {
	l.in, l.atFirst, l.rows = in, n.Limit, spill.NewGatherRows(op.TypesOf(n.Left))
	l.rows.Full = n.Limit != nil
	if s, ok := in.(interface{ Ended() bool }); ok { // a scan
		l.rows.Ended = s.Ended
	}
}

// open starts a run, and says how many left rows to look up first.
func (l *leftRows) open(cx *op.Context) (int, error) {
	first := firstLookup
	if l.atFirst != nil {
		d, err := eval.EvalConst(cx.Env, l.atFirst)
		if err != nil {
			return 0, err
		}
		if !d.Null && d.Int >= 0 && d.Int <= mostLookup {
			first = int(max(d.Int, 1))
		}
	}
	l.many, l.limit = first, first
	l.reset()
	return first, nil
}

func (l *leftRows) reset() { l.rows.Reset() }

func (l *leftRows) next() (*vec.Batch, error) {
	b, err := l.rows.Next(l.in.Next, l.many)
	switch {
	case err != nil || l.atFirst == nil || l.many == mostLookup:
		l.many = mostLookup
	case l.many > b.Rows():
		l.many -= b.Rows() // the rest of the rows that may be enough
	default:
		l.limit = min(2*l.limit, mostLookup)
		l.many = l.limit
	}
	return b, err
}

// exactKeys says that the keys of a table's rows are made of a join's Values as they are.
func exactKeys(n *plan.LookupJoin) bool {
	schema := &n.Right.Table.Codec().Key
	exact := n.FullKey() && !schema.Adopted
	for i, v := range n.Values {
		exact = exact && keyspan.FitsKey(schema.Columns[i].SQL, v.Type())
	}
	return exact
}

// fullKeys makes full keys of values.
type fullKeys struct {
	arena []byte
	vals  []types.Datum
}

// reset is called where the keys made before are not needed any more.
func (k *fullKeys) reset() { k.arena = k.arena[:0] }

// of makes the key of a slot's values; nil where no such key can be stored.
func (k *fullKeys) of(schema *rowcodec.KeySchema, vals []*vec.Vec, slot int) []byte {
	k.vals = k.vals[:0]
	for _, v := range vals {
		k.vals = append(k.vals, v.Datum(slot))
	}
	from := len(k.arena)
	grown, err := schema.AppendKey(k.arena, k.vals)
	if err != nil {
		return nil
	}
	k.arena = grown // keys before stay in the array that they lie in
	return grown[from:len(grown):len(grown)]
}
