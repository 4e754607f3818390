package expr

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Agg is a bound aggregate call. What computes it is package expr/agg.
type Agg struct {
	Name     string // "count", "sum", …; count(*) has no Args
	Args     []Expr // cast to what the overload takes
	Distinct bool
	// DistinctBy is how many of the first Args DISTINCT compares, where the aggregate
	// takes the others; 0: it compares and takes all.
	DistinctBy int
	// Ordered says that the values come in the order the call asks for.
	Ordered bool
	// Order is how the last Args are ordered, where the aggregate ranks the first ones among
	// them (rank(…) WITHIN GROUP); of others it is nil.
	Order []Direction
	// Lines says that json_agg begins a line before each value: those of arrays and records.
	Lines bool
	T     types.T // of the result
	At    int
}

// ShowsOrder says that the result tells in which order the values came.
func (a *Agg) ShowsOrder() bool {
	switch a.Name {
	case "string_agg", "array_agg", "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg":
		return true
	}
	return false
}

// Direction is the order of one column.
type Direction struct{ Desc, NullsFirst bool }

// aggs lists the aggregates' overloads; their kernels are in package agg.
var aggs = map[string][]*Func{}

// RegisterAggs adds overloads of aggregates.
func RegisterAggs(fs ...*Func) {
	for _, f := range fs {
		aggs[f.Name] = append(aggs[f.Name], f)
	}
}

// IsAgg says whether name is an aggregate function.
func IsAgg(name string) bool { return len(aggs[name]) > 0 || IsWithin(name) }

// ResolveAgg chooses the overload of aggregate name; no args is count(*). 42883
// if none fits.
func ResolveAgg(name string, args []Expr, distinct bool, pos int) (*Agg, error) {
	cands := aggs[name]
	typs := TypesOf(args)
	f := exactMatch(cands, typs)
	if f == nil {
		f = selectCandidate(typs, cands)
	}
	if f == nil {
		if len(args) == 0 && IsAgg(name) {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", name).At(pos)
		}
		return nil, noFunction(name, args, severalFit(cands, typs), pos)
	}
	a := &Agg{Name: name, Distinct: distinct, At: pos}
	if len(args) == 0 {
		if distinct {
			return nil, sqlerr.New(sqlerr.SyntaxError, "DISTINCT specified, but %s(*) has no arguments", name).At(pos)
		}
		a.T = f.ResultType
		return a, nil
	}
	if name == "array_agg" {
		if err := NoArrayOf(typs[0], pos); err != nil {
			return nil, err
		}
	}
	if name == "array_agg" && typs[0].Kind != types.Unknown && typs[0].Kind != types.Array && types.ArrayOf(typs[0]).ArrayOID() == 0 {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", TypeName(typs[0])).At(pos)
	}
	if f.ResultType.Kind == types.JSON || f.ResultType.Kind == types.JSONB {
		return jsonAgg(a, f, args)
	}
	x, err := Apply(f, args, pos)
	if err != nil {
		return nil, err
	}
	c := x.(*Call)
	a.Args, a.T = c.Args, c.T
	if (name == "min" || name == "max") && a.T.Kind == types.Bpchar {
		a.T = a.Args[0].Type() // its length is what the blanks come back by
	}
	if name == "array_agg" && a.Args[0].Type().Kind == types.Array {
		a.T = a.Args[0].Type().Base()
	}
	return a, a.checkDistinct()
}

// checkDistinct refuses DISTINCT over types without equality.
func (a *Agg) checkDistinct() error {
	if !a.Distinct {
		return nil
	}
	args := a.Args
	if a.DistinctBy > 0 {
		args = args[:a.DistinctBy]
	}
	for _, x := range args {
		if !Orderable(x.Type()) {
			return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", TypeName(x.Type())).At(x.Pos())
		}
	}
	return nil
}

// jsonAgg gives the JSON aggregates their values as JSON, and before them, with
// DISTINCT, as they were: 1.0 and 1.00 are one value.
func jsonAgg(a *Agg, f *Func, args []Expr) (*Agg, error) {
	to := "to_json"
	if f.ResultType.Kind == types.JSONB {
		to = "to_jsonb"
	}
	a.T = f.ResultType
	plain := make([]Expr, len(args))
	for i, x := range args {
		x, err := ResolveUnknown(x)
		if err != nil {
			return nil, err
		}
		plain[i] = x
		a.Lines = x.Type().Kind == types.Array || x.Type().Kind == types.Record
		if i == 0 && len(args) == 2 {
			x, err = fieldName(x)
		} else {
			x, err = ResolveFunc(to, []Expr{x}, a.At)
		}
		if err != nil {
			return nil, err
		}
		a.Args = append(a.Args, x)
	}
	if a.Distinct {
		a.Args, a.DistinctBy = append(plain, a.Args...), len(plain)
	}
	return a, a.checkDistinct()
}

// Written gives the arguments of a call of a as they were written: those of the aggregates
// that make JSON are kept as the JSON of the values.
func (a *Agg) Written(args []Expr) []Expr {
	switch a.Name {
	case "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg":
	default:
		return args
	}
	if a.DistinctBy > 0 {
		return args[:a.DistinctBy]
	}
	out := make([]Expr, len(args))
	for i, x := range args {
		out[i] = x
		if c, ok := x.(*Call); ok && len(c.Args) == 1 { // as jsonAgg made it
			out[i] = c.Args[0]
		}
	}
	return out
}

// fieldName makes the text that names an object's field.
func fieldName(x Expr) (Expr, error) {
	switch x.Type().Kind {
	case types.JSON, types.JSONB, types.Array, types.Record:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "key value must be scalar, not array, composite, or json").At(x.Pos())
	}
	return &Call{Fn: fieldNameFunc, Args: []Expr{x}, T: tText, At: x.Pos()}, nil
}

// Orderable says that values of t have a btree order: ORDER BY, DISTINCT, GROUP
// BY need one.
func Orderable(t types.T) bool {
	if s := t.Shape(); s != nil && slices.ContainsFunc(s.Fields, func(f types.Field) bool { return !Orderable(f.T) }) {
		return false
	}
	f, _ := chooseOp("<", []types.T{t.Bare(), t.Bare()})
	return f != nil && t.Kind != types.Unknown && (t.Kind != types.Array || Orderable(t.ElemType()))
}

// CheckOrderable refuses types without an order (json): 42883.
func CheckOrderable(t types.T, pos int) error {
	if Orderable(t) {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an ordering operator for type %s", TypeName(t)).
		WithHint("Use an explicit ordering operator or modify the query.").At(pos)
}
