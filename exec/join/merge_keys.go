package join

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// mergeKeys gives the keys of one side's rows, one after another, as bytes in their order.
type mergeKeys struct {
	*op.RowExprs
	bytes *spill.Keys
	equal []bool // per key: two NULLs are equal
	b     *vec.Batch
	sel   []uint16
	at    int
	key   []byte
	null  bool // the key at at matches none
}

func newMergeKeys(n *plan.MergeJoin, left bool) (*mergeKeys, error) {
	k := &mergeKeys{}
	var es []expr.Expr
	var order []plan.SortKey
	for i, key := range n.Keys {
		e := key.Right
		if left {
			e = key.Left
		}
		es = append(es, e)
		order = append(order, plan.SortKey{Expr: e, Desc: n.Desc[i], NullsFirst: n.Desc[i]})
		k.equal = append(k.equal, key.NullsEqual)
	}
	var err error
	if k.RowExprs, err = op.NewRowExprs(es); err != nil {
		return nil, err
	}
	if k.bytes, err = spill.NewSortKeys(order); err != nil {
		return nil, err
	}
	k.bytes.Vals = k.Vals
	return k, nil
}

// take takes a batch whose keys are computed.
func (k *mergeKeys) take(b *vec.Batch) { k.b, k.sel, k.at = b, spill.Selection(b), 0 }

// look computes the key of the row at at.
func (k *mergeKeys) look() {
	slot := int(k.sel[k.at])
	k.key = k.bytes.Append(k.key[:0], slot)
	k.null = false
	for i, v := range k.Vals {
		k.null = k.null || !k.equal[i] && v.Nulls.Get(slot)
	}
}
