package join

import (
	"bytes"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// indexLookup is a LookupJoin of an index's entries with the rows that they lead to, one each
// at most: rows are decoded into the slots of their entries, so that nothing is hashed, kept
// or copied.
//
//	entries, gathered --> full keys, sorted --> one MultiGet
//	    |                                            |
//	    '--> batch: the entries' columns, <----------'
//	         their rows' in the same slots
type indexLookup struct {
	left   op.Operator
	values *op.RowExprs
	core   *scan.Core
	filter *eval.Prog // over both

	cx     *op.Context
	from   leftRows
	b      *vec.Batch // of left rows
	rest   []uint16   // those of it that were not looked up yet
	most   int        // left rows to look up at a time
	keys   fullKeys
	wanted []scan.At
	points [][]byte
	set    rowcodec.SpanSet
	out    vec.Batch
	sel    []uint16
}

func newIndexLookup(n *plan.LookupJoin, left op.Operator) (op.Operator, error) {
	j := &indexLookup{left: left}
	var err error
	if j.values, err = op.NewRowExprs(n.Values); err != nil {
		return nil, err
	}
	if j.core, err = scan.NewCore(n.Right); err != nil {
		return nil, err
	}
	j.core.Counts = n
	filter, err := matchOf(n)
	if err != nil {
		return nil, err
	}
	if filter != nil {
		if j.filter, err = eval.Compile(filter); err != nil {
			return nil, err
		}
	}
	j.from.init(n, left)
	return j, nil
}

func (j *indexLookup) Open(cx *op.Context) error {
	var err error
	if j.most, err = j.from.open(cx); err != nil {
		return err
	}
	j.cx, j.rest = cx, nil
	j.values.Reset()
	return j.left.Open(cx)
}

func (j *indexLookup) Next() (*vec.Batch, error) {
	for {
		if len(j.rest) == 0 {
			b, err := j.values.NextPart(j.cx.Env, j.from.next)
			if err != nil {
				return nil, err
			}
			j.b, j.rest = b, spill.Selection(b)
		}
		n := min(len(j.rest), j.most)
		b, err := j.lookup(j.rest[:n])
		if err != nil {
			return nil, err
		}
		j.most = moreLookups(n)
		if wide := j.core.BytesRead() / n; wide > 0 {
			j.most = max(min(j.most, spill.MostWide/wide), 1)
		}
		if j.rest = j.rest[n:]; b != nil {
			return b, nil
		}
		if err := j.cx.Canceled(); err != nil {
			return nil, err
		}
	}
}

// lookup gives some left rows with their rows; nil if there are none.
func (j *indexLookup) lookup(sel []uint16) (*vec.Batch, error) {
	if err := j.core.Close(); err != nil { // what was given last
		return nil, err
	}
	j.ask(sel)
	if err := j.core.OpenSet(j.cx, &j.set, scan.ExactKey); err != nil {
		return nil, err
	}
	rows, err := j.core.ReadAt(j.wanted, j.b.N)
	if rows == nil || err != nil {
		return nil, err
	}
	j.out.Cols = append(append(j.out.Cols[:0], j.b.Cols...), rows.Cols...)
	j.out.N, j.out.Sel = j.b.N, rows.Sel
	if j.filter == nil {
		return &j.out, nil
	}
	if j.sel, err = j.filter.Filter(j.cx.Env, &j.out, j.sel); len(j.sel) == 0 || err != nil {
		return nil, err
	}
	j.out.Sel = j.sel
	return &j.out, nil
}

// ask says what to read for some left rows.
func (j *indexLookup) ask(sel []uint16) {
	j.wanted, j.points = slices.Grow(j.wanted[:0], len(sel)), slices.Grow(j.points[:0], len(sel))
	j.keys.reset()
	for _, s := range sel {
		if slices.ContainsFunc(j.values.Vals, func(v *vec.Vec) bool { return v.Nulls.Get(int(s)) }) {
			continue
		}
		if key := j.keys.of(&j.core.Schema.Key, j.values.Vals, int(s)); key != nil {
			j.wanted = append(j.wanted, scan.At{Key: key, Slot: s})
		}
	}
	slices.SortFunc(j.wanted, func(a, b scan.At) int { return bytes.Compare(a.Key, b.Key) })
	for i, w := range j.wanted {
		if i == 0 || !bytes.Equal(w.Key, j.wanted[i-1].Key) {
			j.points = append(j.points, w.Key)
		}
	}
	j.set = rowcodec.SpanSet{Points: j.points, AllPoints: true, Exact: true}
}

func (j *indexLookup) Close() error {
	j.from.reset()
	j.cx, j.b, j.rest = nil, nil, nil
	return errors.Join(j.core.Close(), j.left.Close())
}
