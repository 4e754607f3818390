package scan

import (
	"bytes"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// valueHint is what a scan's filter says of one column behind the key, as bounds of
// its stored bytes (storage.Hint). A store may drop by it what the filter would drop,
// before a row is copied or sent; the filter stays.
//
//	n < 500 AND note LIKE 'a%'    n: up to 500 | note: from "a" up to "b"
//
// Of several columns the one that is surely the narrowest is taken: a value before a
// range, a range with two ends before one with one.
type valueHint struct {
	cell  *rowcodec.CellColumn
	terms []valueTerm
	rank  int

	hint storage.Hint
}

type valueTerm struct {
	op   string // as in plan's texts: = < <= > >= in, like; "" is IS NOT NULL
	args []eval.ConstProg
}

// Ranks of what a hint says.
const (
	hintsPresence = iota
	hintsOneEnd
	hintsTwoEnds
	hintsValues
)

// newValueHint reads a scan's filter; nil if it says nothing of a single column. The
// columns it can give make the condition fail for a row without them.
func newValueHint(n *plan.Scan, schema *rowcodec.Schema) *valueHint {
	if n.Filter == nil || n.ForUpdate || n.WithKey || n.WithVersion || n.Table.Adopted || schema.Layout != rowcodec.OneCellPerColumn {
		return nil
	}
	r := hintReader{n: n, schema: schema, cells: cellIndexes(n), byCol: map[int]*valueHint{}}
	r.read(n.Filter)
	var best *valueHint
	for _, h := range r.found {
		if best == nil || h.rank > best.rank {
			best = h
		}
	}
	return best
}

// hintReader collects what the conjuncts of a filter say, by column.
type hintReader struct {
	n      *plan.Scan
	schema *rowcodec.Schema
	cells  []int
	byCol  map[int]*valueHint
	found  []*valueHint // in the order of the text
}

func (r *hintReader) read(e expr.Expr) {
	switch e := e.(type) {
	case *expr.And:
		for _, a := range e.Args {
			r.read(a)
		}
	case *expr.Call:
		if len(e.Args) == 2 {
			r.compare(e.Fn.Name, e.Args[0], e.Args[1])
		}
	case *expr.InList:
		r.add(e.X, "in", hintsValues, e.List...)
	case *expr.Not:
		if x, ok := e.X.(*expr.IsNull); ok {
			r.add(x.X, "", hintsPresence)
		}
	}
}

var mirroredOp = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (r *hintReader) compare(op string, l, right expr.Expr) {
	if op == "~~" {
		r.add(l, "like", hintsTwoEnds, right)
		return
	}
	mirrored, ok := mirroredOp[op]
	if !ok {
		return
	}
	if expr.IsConst(l) {
		l, right, op = right, l, mirrored
	}
	rank := hintsOneEnd
	if op == "=" {
		rank = hintsValues
	}
	r.add(l, op, rank, right)
}

// add notes a term on the column that x is.
func (r *hintReader) add(x expr.Expr, op string, rank int, args ...expr.Expr) {
	if c, ok := x.(*expr.Cast); ok && (keyspan.IsWholeType(c.X.Type().Kind) && keyspan.IsWholeType(c.To.Kind) && !c.Explicit || keyspan.IsTextType(c.X.Type().Kind) && c.To.Kind == types.Text) {
		x = c.X
	}
	c, ok := x.(*expr.Col)
	if !ok || c.Index >= len(r.n.Cols) {
		return
	}
	at := r.n.Cols[c.Index]
	col := &r.n.Table.Columns[at]
	if col.Missing != nil { // a row without the cell may pass
		return
	}
	if col.KeyPos >= 0 || !bytesCompare(col) || op == "like" && !keyspan.IsTextType(col.Type.Kind) {
		return
	}
	for _, a := range args {
		if !expr.IsConst(a) || !keyspan.FitsKey(col.Type, a.Type()) {
			return
		}
	}
	h := r.byCol[at]
	if h == nil {
		h = &valueHint{cell: &r.schema.Cells[r.cells[at]]}
		r.byCol[at] = h
		r.found = append(r.found, h)
	}
	h.terms = append(h.terms, valueTerm{op, eval.ConstProgs(args)})
	if h.rank == hintsOneEnd && rank == hintsOneEnd {
		rank = hintsTwoEnds
	}
	h.rank = max(h.rank, rank)
}

// bytesCompare says that the stored bytes of a column compare as its values do.
func bytesCompare(col *catalog.Column) bool {
	switch col.Store.Type {
	case rowcodec.TinyInt, rowcodec.SmallInt, rowcodec.Integer, rowcodec.BigInt,
		rowcodec.UnsignedTinyInt, rowcodec.UnsignedSmallInt, rowcodec.UnsignedInt,
		rowcodec.Float, rowcodec.Double, rowcodec.Date, rowcodec.Timestamp, rowcodec.Varbinary:
		return true
	case rowcodec.Varchar:
		return keyspan.IsTextType(col.Type.Kind)
	case rowcodec.Binary:
		return col.Type.Kind == types.UUID
	}
	return false
}

// compute gives the hint for the parameters of env; nil where they leave nothing to
// say. It is valid until the next compute.
func (h *valueHint) compute(env *expr.Env) *storage.Hint {
	h.hint = storage.Hint{Col: storage.Col{Family: h.cell.Family, Qualifier: h.cell.Qualifier}, Lo: []byte{}}
	for i := range h.terms {
		t := &h.terms[i]
		var lo, hi []byte
		for j := range t.args {
			// What cannot be evaluated or stored is the filter's to judge.
			d, err := t.args[j].Eval(env)
			if err != nil || d.Null && t.op != "in" {
				return nil
			}
			if d.Null {
				continue
			}
			first, last, ok := h.bounds(t.op, d)
			if !ok {
				return nil
			}
			if lo == nil || bytes.Compare(first, lo) < 0 {
				lo = first
			}
			if hi == nil || last != nil && bytes.Compare(last, hi) > 0 {
				hi = last
			}
		}
		if lo != nil && bytes.Compare(lo, h.hint.Lo) > 0 {
			h.hint.Lo = lo
		}
		if hi != nil && (h.hint.Hi == nil || bytes.Compare(hi, h.hint.Hi) < 0) {
			h.hint.Hi = hi
		}
	}
	return &h.hint
}

// bounds gives the least and the greatest stored bytes, nil for no bound, with which
// one comparison can hold; false if none can be told.
func (h *valueHint) bounds(op string, d types.Datum) (lo, hi []byte, ok bool) {
	if op == "like" {
		prefix, whole, _ := keyspan.LikePrefix(d.Bytes)
		if whole || len(prefix) == 0 {
			return prefix, nil, true
		}
		return prefix, append(bytes.Clone(prefix), 0xFF), true // no text has the byte FF
	}
	b, err := rowcodec.AppendValue([]byte{}, &h.cell.Column, d) // the empty value is a bound too
	if err != nil {
		return nil, nil, false
	}
	switch op {
	case "<", "<=":
		return nil, b, true
	case ">", ">=":
		return b, nil, true
	}
	return b, b, true
}
