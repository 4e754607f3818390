package agg

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// State holds one aggregate's values for all groups, which are numbered from 0.
type State interface {
	// Resize makes room for n groups; new ones are empty. n does not shrink.
	Resize(n int)
	// Update adds the selected slots; groups, indexed by slot, names the group
	// of each and must be below Resize's n. args are the aggregate's evaluated
	// arguments: none for count(*). Nothing of them is kept.
	Update(groups []uint32, sel []uint16, args []*vec.Vec) error
	// Merge adds groups of other, a State of the same aggregate: each that from lists
	// becomes part of the group that to has in its place. other is read only, by several
	// goroutines perhaps, and no group of it may be added twice.
	Merge(other State, from, to []uint32) error
	// Final puts the results of groups lo..hi-1 into out's slots 0..hi-lo-1; out
	// has the aggregate's type and is resized. It may be called once per group.
	Final(lo, hi int, out *vec.Vec) error
	// Bytes is the memory held, about.
	Bytes() int64
}

// New makes the accumulator of a. With Distinct it drops repeated values itself, as a
// *Distinct, and gives the others to the aggregate in ascending order; where repeats change
// nothing it does not look for them.
func New(a *expr.Agg) (State, error) {
	if !a.Distinct || len(a.Args) == 0 || !MindsRepeats(a.Name) {
		st, _, err := NewPlain(a)
		return st, err
	}
	argTypes := make([]types.T, len(a.Args))
	for i, x := range a.Args {
		argTypes[i] = x.Type()
	}
	count := a.Name == "count" && a.DistinctBy == 0 && len(a.Args) == 1
	return newDistinct(argTypes, a.DistinctBy, count, func() (State, error) {
		st, _, err := NewPlain(a)
		return st, err
	}), nil
}

// NewPlain makes the accumulator of a for values that do not repeat, or need not: it takes
// the arguments from skip on.
func NewPlain(a *expr.Agg) (st State, skip int, err error) {
	if len(a.Order) > 0 {
		return newHypothetical(a), 0, nil
	}
	argTypes := make([]types.T, len(a.Args))
	for i, x := range a.Args {
		argTypes[i] = x.Type()
	}
	if a.Distinct {
		skip = a.DistinctBy
	}
	st, err = newState(a.Name, argTypes[skip:], a.T)
	if c, ok := st.(*collect); ok {
		c.lines = a.Lines
	}
	return st, skip, err
}

// MindsRepeats says that DISTINCT makes a difference to an aggregate.
func MindsRepeats(name string) bool {
	switch name {
	case "min", "max", "bool_and", "bool_or", "every", "bit_and", "bit_or":
		return false
	}
	return true
}

func newState(name string, args []types.T, res types.T) (State, error) {
	if name == "count" {
		return &count{star: len(args) == 0}, nil
	}
	if len(args) == 0 {
		return nil, unknown(name)
	}
	t := args[0]
	switch name {
	case "sum", "avg":
		return newSum(name == "avg", t, res)
	case "min", "max":
		return &extreme{max: name == "max", best: vec.New(res)}, nil
	case "bool_and", "every":
		return &boolean{and: true}, nil
	case "bool_or":
		return &boolean{}, nil
	case "bit_and", "bit_or", "bit_xor":
		return &bit{op: name}, nil
	case "string_agg":
		return &concat{}, nil
	case "array_agg":
		return &collect{t: res, elem: t}, nil
	case "json_agg", "jsonb_agg":
		return &collect{t: types.ArrayOf(t), elem: t, json: res.Kind}, nil
	case "json_object_agg", "jsonb_object_agg":
		return &object{kind: res.Kind}, nil
	case "percentile_cont", "percentile_disc":
		return &percentile{cont: name == "percentile_cont", res: res}, nil
	case "mode":
		return &mode{}, nil
	case "corr", "covar_pop", "covar_samp", "regr_count", "regr_sxx", "regr_syy", "regr_sxy", "regr_avgx", "regr_avgy",
		"regr_r2", "regr_slope", "regr_intercept":
		return &regression{name: name}, nil
	case "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop":
		sample := name != "stddev_pop" && name != "var_pop"
		dev := name[0] == 's'
		if res.Kind == types.Float8 {
			return &floatVar{sample: sample, dev: dev}, nil
		}
		return &numVar{sample: sample, dev: dev, ints: t.Phys() == types.PhysInt}, nil
	}
	return nil, unknown(name)
}

func unknown(name string) error {
	return sqlerr.Internal(fmt.Errorf("agg: no accumulator for %s", name), "aggregate cannot be evaluated")
}

// extend makes s n long, new elements zero.
func extend[E any](s []E, n int) []E {
	if n <= len(s) {
		return s
	}
	if n <= cap(s) {
		return s[:n]
	}
	t := make([]E, n, max(n, 2*cap(s)))
	copy(t, s)
	return t
}

// count is count(*) and count(x).
type count struct {
	star bool
	n    []int64
}

func (c *count) Resize(n int) { c.n = extend(c.n, n) }

func (c *count) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	if c.star || !args[0].Nulls.Any() {
		for _, i := range sel {
			c.n[groups[i]]++
		}
		return nil
	}
	for _, i := range sel {
		if !args[0].Nulls.Get(int(i)) {
			c.n[groups[i]]++
		}
	}
	return nil
}

func (c *count) Merge(other State, from, to []uint32) error {
	o := other.(*count)
	for k, i := range from {
		c.n[to[k]] += o.n[i]
	}
	return nil
}

func (c *count) Final(lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	copy(out.Ints, c.n[lo:hi])
	return nil
}

func (c *count) Bytes() int64 { return int64(8 * cap(c.n)) }
