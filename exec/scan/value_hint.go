package scan

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// valueHints is what a scan's filter says of columns behind the key, as bounds of
// their stored bytes (storage.Hint). A store may drop by it what the filter would drop,
// before a row is copied or sent; the filter stays.
//
//	n < 500 AND note LIKE 'a%'    n: up to 500 | note: from "a" up to "b"
//
// The column that is thought to be the narrowest comes first: by statistics, and without them a
// value before a range, a range with two ends before one with one.
type valueHints []*valueHint

// valueHint is one column's part.
type valueHint struct {
	cell  *rowcodec.CellColumn
	terms []valueTerm
	rank  int
	part  float64 // of the rows that it lets pass; 0 is not known

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

// newValueHints reads a scan's filter; nil if it says nothing of a single column. The
// columns it gives make the condition fail for a row without them.
func newValueHints(n *plan.Scan, schema *rowcodec.Schema) valueHints {
	if n.Filter == nil || n.ForUpdate || n.WithKey || n.WithVersion || n.Table.Adopted || schema.Layout != rowcodec.OneCellPerColumn {
		return nil
	}
	r := hintReader{n: n, schema: schema, cells: cellIndexes(n), byCol: map[int]*valueHint{}}
	r.read(n.Filter)
	slices.SortStableFunc(r.found, func(a, b *valueHint) int { return cmp.Compare(a.expected(), b.expected()) })
	return r.found
}

// expected is the part of the rows that is thought to pass.
func (h *valueHint) expected() float64 {
	if h.part > 0 {
		return h.part
	}
	return [...]float64{hintsPresence: 0.9, hintsOneEnd: 0.33, hintsTwoEnds: 0.1, hintsValues: 0.01}[h.rank]
}

// hintReader collects what the conjuncts of a filter say, by column.
type hintReader struct {
	n      *plan.Scan
	schema *rowcodec.Schema
	cells  []int
	byCol  map[int]*valueHint
	found  valueHints // in the order of the text
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
	if col.Type.Kind == types.Date {
		args = daysOf(args)
	}
	for _, a := range args {
		if !expr.IsConst(a) || !keyspan.FitsKey(col.Type, a.Type()) {
			return
		}
	}
	h := r.byCol[at]
	if h == nil {
		h = &valueHint{cell: &r.schema.Cells[r.cells[at]]}
		if r.n.Parts != nil {
			h.part = r.n.Parts[c.Index]
		}
		r.byCol[at] = h
		r.found = append(r.found, h)
	}
	h.terms = append(h.terms, valueTerm{op, eval.ConstProgs(args)})
	if h.rank == hintsOneEnd && rank == hintsOneEnd {
		rank = hintsTwoEnds
	}
	h.rank = max(h.rank, rank)
}

// daysOf gives the days of timestamps that days are compared with: no day that satisfies a
// comparison is beyond these.
func daysOf(args []expr.Expr) []expr.Expr {
	out := slices.Clone(args)
	for i, a := range args {
		if a.Type().Kind != types.Timestamp {
			continue
		}
		if day, err := expr.ResolveCast(a, types.Of(types.Date), expr.Explicit, 0); err == nil {
			out[i] = day
		}
	}
	return out
}

// bytesCompare says that the stored bytes of a column compare as its values do.
func bytesCompare(col *catalog.Column) bool {
	switch col.Store.Type {
	case rowcodec.Varbinary:
		return col.Type.Kind == types.Bytea
	case rowcodec.TinyInt, rowcodec.SmallInt, rowcodec.Integer, rowcodec.BigInt,
		rowcodec.UnsignedTinyInt, rowcodec.UnsignedSmallInt, rowcodec.UnsignedInt,
		rowcodec.Float, rowcodec.Double, rowcodec.Decimal, rowcodec.Date, rowcodec.Timestamp, rowcodec.TimeMicros:
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
func (hs valueHints) compute(env *expr.Env) *storage.Hint {
	var first *storage.Hint
	for _, h := range hs {
		switch {
		case !h.compute(env):
		case first == nil:
			first = &h.hint
		default:
			first.And = append(first.And, h.hint)
		}
	}
	return first
}

// compute makes h.hint; false where there is nothing to say.
func (h *valueHint) compute(env *expr.Env) bool {
	h.hint = storage.Hint{Col: storage.Col{Family: h.cell.Family, Qualifier: h.cell.Qualifier}, Lo: []byte{}, Part: h.part}
	for i := range h.terms {
		t := &h.terms[i]
		var lo, hi []byte
		for j := range t.args {
			// What cannot be evaluated or stored is the filter's to judge.
			d, err := t.args[j].Eval(env)
			if err != nil || d.Null && t.op != "in" {
				return false
			}
			if d.Null {
				continue
			}
			first, last, ok := h.bounds(t.op, d)
			if !ok {
				return false
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
	return true
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
