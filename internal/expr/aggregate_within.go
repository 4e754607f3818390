package expr

import (
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// withins lists the ordered-set aggregates: their direct arguments, then the one
// of WITHIN GROUP (ORDER BY …).
var withins = map[string][]*Func{}

func init() {
	within := func(name string, res types.T, args ...types.T) {
		withins[name] = append(withins[name], fn(name, args, res, nil))
	}
	many := types.ArrayOf(tFloat8)
	within("percentile_cont", tFloat8, tFloat8, tFloat8)
	within("percentile_cont", tInt, tFloat8, tInt)
	within("percentile_cont", many, many, tFloat8)
	within("percentile_cont", types.ArrayOf(tInt), many, tInt)
	within("percentile_disc", tAnyEl, tFloat8, tAnyEl)
	within("percentile_disc", tAnyArr, many, tAnyEl)
	within("mode", tAnyEl, tAnyEl)
}

// hypothetical are the aggregates that rank a made-up row.
var hypothetical = map[string]bool{"rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true}

// IsWithin says whether name is an ordered-set aggregate.
func IsWithin(name string) bool { return len(withins[name]) > 0 }

// ResolveWithin chooses the overload of name(direct) WITHIN GROUP (ORDER BY
// sorted): 42809 if name is no ordered-set aggregate. Args of what it gives are the
// direct arguments, then the value to sort by.
func ResolveWithin(name string, direct, sorted []Expr, pos int) (*Agg, error) {
	switch {
	case hypothetical[name]:
		return nil, sqlerr.Unsupported(name+" WITHIN GROUP is not supported", "Count the rows that come before.").At(pos)
	case !IsWithin(name):
		return nil, notWithin(name, append(direct[:len(direct):len(direct)], sorted...), pos)
	}
	for _, d := range direct {
		if len(Cols(d)) > 0 {
			return nil, sqlerr.Unsupported("a direct argument of "+name+" that names a column is not supported", "Give a constant or a parameter.").At(d.Pos())
		}
	}
	args := append(direct[:len(direct):len(direct)], sorted...)
	cands := keep(withins[name], func(f *Func) bool { return len(f.args) == len(args) })
	typs := typesOf(args)
	f := exactMatch(cands, typs)
	if f == nil {
		f = selectCandidate(typs, cands)
	}
	if f == nil {
		fits := keep(cands, func(f *Func) bool { return acceptsAll(f, typs) })
		return nil, noFunction(name, args, len(fits) > 1, pos)
	}
	x, err := call(f, args, pos)
	if err != nil {
		return nil, err
	}
	c := x.(*Call)
	last := c.Args[len(c.Args)-1]
	if err := CheckOrderable(last.Type(), last.Pos()); err != nil {
		return nil, err
	}
	c.Args[0] = Fold(emptyEnv, c.Args[0])
	if k, ok := c.Args[0].(*Const); ok && len(direct) > 0 {
		if err := CheckFractions(k.Value); err != nil {
			return nil, err
		}
	}
	return &Agg{Name: name, Args: c.Args, T: c.T, Ordered: true, At: pos}, nil
}

// notWithin is what WITHIN GROUP of any other function is told.
func notWithin(name string, args []Expr, pos int) error {
	typs := typesOf(args)
	takes := func(f *Func) bool { return f.accepts(len(args)) && acceptsAll(f, typs) }
	switch {
	case len(keep(aggs[name], takes)) > 0:
		return sqlerr.New(sqlerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name).At(pos)
	case len(keep(funcs[name], takes)) > 0:
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

// InterpolateInterval gives lo + (hi - lo) * f.
func InterpolateInterval(lo, hi types.IntervalValue, f float64) (types.IntervalValue, error) {
	neg, err := negSpan(lo)
	if err != nil {
		return lo, err
	}
	diff, err := addSpans(hi, neg)
	if err != nil {
		return lo, err
	}
	if diff, err = mulSpan(diff, f); err != nil {
		return lo, err
	}
	return addSpans(diff, lo)
}
