package expr

import (
	"math"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// withins lists the ordered-set aggregates: their direct arguments, then the one
// of WITHIN GROUP (ORDER BY …).
var withins = map[string][]*Func{}

// RegisterWithin adds an overload of an ordered-set aggregate.
func RegisterWithin(f *Func) { withins[f.Name] = append(withins[f.Name], f) }

// hypothetical are the aggregates that rank a made-up row.
var hypothetical = map[string]bool{"rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true}

// IsWithin says whether name is an ordered-set aggregate.
func IsWithin(name string) bool { return len(withins[name]) > 0 }

// IsHypothetical says whether name is an ordered-set aggregate that ranks a made-up row:
// ResolveHypothetical resolves it.
func IsHypothetical(name string) bool { return hypothetical[name] }

// ResolveHypothetical resolves name(direct) WITHIN GROUP (ORDER BY sorted), of which order
// says how each is ordered. Args of what it gives are the direct arguments, then the values to
// sort by, pair by pair of one type. Where Ordered is set the aggregate takes its rows in that
// order, else in any.
func ResolveHypothetical(name string, direct, sorted []Expr, order []Direction, pos int) (*Agg, error) {
	if len(direct) != len(sorted) {
		e := sqlerr.As(noOverload(name, append(direct[:len(direct):len(direct)], sorted...), pos))
		return nil, e.WithHint("To use the hypothetical-set aggregate %s, the number of hypothetical direct arguments (here %d) must match the number of ordering columns (here %d).",
			name, len(direct), len(sorted))
	}
	a := &Agg{Name: name, T: tInt8, Order: order, Ordered: name == "dense_rank", At: pos, Args: make([]Expr, 2*len(direct))}
	if name == "percent_rank" || name == "cume_dist" {
		a.T = tFloat8
	}
	for i, d := range direct {
		pair, t, err := Unify("WITHIN GROUP", []Expr{sorted[i], d})
		if err != nil {
			return nil, err
		}
		if err := CheckOrderable(t, sorted[i].Pos()); err != nil {
			return nil, err
		}
		a.Args[len(direct)+i], a.Args[i] = pair[0], pair[1]
	}
	return a, nil
}

// ResolveWithin chooses the overload of name(direct) WITHIN GROUP (ORDER BY
// sorted): 42809 if name is no ordered-set aggregate. Args of what it gives are the
// direct arguments, folded, then the value to sort by.
func ResolveWithin(name string, direct, sorted []Expr, fold func(Expr) Expr, pos int) (*Agg, error) {
	if !IsWithin(name) {
		return nil, notWithin(name, append(direct[:len(direct):len(direct)], sorted...), pos)
	}
	args := append(direct[:len(direct):len(direct)], sorted...)
	cands := withins[name]
	typs := TypesOf(args)
	f := exactMatch(cands, typs)
	if f == nil {
		f = selectCandidate(typs, cands)
	}
	if f == nil {
		return nil, noFunction(name, args, severalFit(cands, typs), pos)
	}
	x, err := Apply(f, args, pos)
	if err != nil {
		return nil, err
	}
	c := x.(*Call)
	last := c.Args[len(c.Args)-1]
	if err := CheckOrderable(last.Type(), last.Pos()); err != nil {
		return nil, err
	}
	c.Args[0] = fold(c.Args[0])
	if k, ok := c.Args[0].(*Const); ok && len(direct) > 0 {
		if err := CheckFractions(k.Value); err != nil {
			return nil, err
		}
	}
	return &Agg{Name: name, Args: c.Args, T: c.T, Ordered: true, At: pos}, nil
}

// notWithin is what WITHIN GROUP of any other function is told.
func notWithin(name string, args []Expr, pos int) error {
	typs := TypesOf(args)
	takes := func(f *Func) bool { return f.fits(typs) }
	switch {
	case slices.ContainsFunc(aggs[name], takes):
		return sqlerr.New(sqlerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name).At(pos)
	case slices.ContainsFunc(funcs[name], takes):
		return sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP specified, but %s is not an aggregate function", name).At(pos)
	}
	return noFunction(name, args, false, pos)
}

// CheckFractions checks a percentile's fraction, or an array of them: 22003 beside
// 0 to 1.
func CheckFractions(d types.Datum) error {
	check := func(d types.Datum) error {
		if !d.Null && (d.Float < 0 || d.Float > 1 || math.IsNaN(d.Float)) {
			return sqlerr.New(sqlerr.NumericValueOutOfRange, "percentile value %g is not between 0 and 1", d.Float)
		}
		return nil
	}
	if d.Null || d.Array == nil {
		return check(d)
	}
	for _, e := range d.Array.Elems {
		if err := check(e); err != nil {
			return err
		}
	}
	return nil
}
