package expr

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CastContext says who asks for a cast, which decides what is allowed.
type CastContext uint8

// The contexts, each allowing all that the one before allows.
const (
	Implicit   CastContext = iota // an operator's or a function's argument
	Assignment                    // a value stored into a column
	Explicit                      // CAST and ::
)

const castHint = "You might need to add explicit type casts."

// ResolveOp chooses the overload of operator name for its operands (left is nil
// for a prefix operator) and gives the call with the casts it needs. Names are
// Postgres's: = <> < <= > >= + - * / % ^ & | # ~ << >> || ~~ !~~ ~~* !~~* ~ ~*
// !~ !~* -> ->> #> #>> @> <@ && ? and prefix + - ~ @ |/ ||/. != is <>. AND, OR
// and NOT are nodes of their own. 42883 if none fits, 42725 if several do.
func ResolveOp(name string, left, right Expr, pos int) (Expr, error) {
	if name == "!=" {
		name = "<>"
	}
	args := []Expr{right}
	if left != nil {
		args = []Expr{left, right}
	}
	f, ambiguous := chooseOp(name, TypesOf(args))
	if f == nil {
		return nil, noOperator(name, args, ambiguous, pos)
	}
	return Apply(f, args, pos)
}

// TypesOf gives the types of args as signatures name them.
func TypesOf(args []Expr) []types.T {
	out := make([]types.T, len(args))
	for i, a := range args {
		out[i] = a.Type().Bare()
	}
	return out
}

// chooseOp follows oper(): an exact match first, taking an untyped operand for
// one of the other's type; then the rules for functions.
func chooseOp(name string, args []types.T) (f *Func, ambiguous bool) {
	cands := ops[name]
	var room [2]types.T
	exact := append(room[:0], args...)
	if len(args) == 2 {
		switch {
		case args[0].Kind == types.Unknown:
			exact[0] = args[1]
		case args[1].Kind == types.Unknown:
			exact[1] = args[0]
		}
	}
	if f := exactMatch(cands, exact); f != nil {
		return f, false
	}
	if f := selectCandidate(args, cands); f != nil {
		return f, false
	}
	return nil, severalFit(cands, args)
}

func exactMatch(cands []*Func, args []types.T) *Func {
next:
	for _, f := range cands {
		if !f.accepts(len(args)) {
			continue
		}
		for i, a := range args {
			if a.Kind == types.Unknown || f.arg(i) != a {
				continue next
			}
		}
		return f
	}
	return nil
}

func noOperator(name string, args []Expr, ambiguous bool, pos int) error {
	sig := name + " " + TypeName(args[len(args)-1].Type())
	if len(args) == 2 {
		sig = TypeName(args[0].Type()) + " " + sig
	}
	if ambiguous {
		return sqlerr.New(sqlerr.AmbiguousFunction, "operator is not unique: %s", sig).
			WithHint("Could not choose a best candidate operator. " + castHint).At(pos)
	}
	if hint := unsupportedOperator(name, len(args)); hint != "" {
		return sqlerr.Unsupported("operator "+name+" is not supported", hint).At(pos)
	}
	if t, hint := unsupportedOf(name, args); hint != "" {
		return sqlerr.Unsupported("operator "+name+" is not supported for type "+TypeName(t), hint).At(pos)
	}
	e := sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", sig).At(pos)
	if len(args) == 1 {
		return e.WithHint("No operator matches the given name and argument type. You might need to add an explicit type cast.")
	}
	hint := "No operator matches the given name and argument types. " + castHint
	if (name == "+" || name == "-") && daysTo(args[0].Type(), args[1].Type()) {
		hint += " A number of days is n * interval '1 day'."
	}
	return e.WithHint("%s", hint)
}

// daysTo says that a number of days may be meant to be added to a date or timestamp, as
// Phoenix does.
func daysTo(t, days types.T) bool {
	switch t.Kind {
	case types.Date, types.Timestamp, types.Timestamptz:
	default:
		return false
	}
	switch days.Kind {
	case types.Int2, types.Int4, types.Int8, types.Numeric, types.Float4, types.Float8:
		return true
	}
	return false
}

// Apply casts args to what f takes and makes the node.
func Apply(f *Func, args []Expr, pos int) (Expr, error) {
	want, res, err := f.signature(args)
	if err != nil {
		return nil, err
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		if want[i].Kind == KindAny || want[i].Kind == KindAnyNonArray {
			if f.KeepsUnknown {
				out[i] = a
			} else if out[i], err = ResolveUnknown(a); err != nil {
				return nil, err
			}
			continue
		}
		y, ok, err := coerce(a, want[i], Implicit, 0)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, CannotCast(a.Type(), want[i], a.Pos())
		}
		if f.polymorphic(i) && LosesLength(a.Type(), want[i]) {
			y = &Cast{X: a, To: want[i], At: a.Pos()}
		}
		out[i] = y
	}
	return &Call{Fn: f, Args: out, T: res, At: pos}, nil
}

// polymorphic says that the type of argument i is what is given.
func (f *Func) polymorphic(i int) bool {
	switch f.arg(i).Kind {
	case KindAnyElement, KindAnyArray, KindAnyCompatible, KindAnyCompatibleArray:
		return true
	}
	return false
}

// signature replaces the pseudo-types of f by what args make of them. want is not to be changed.
func (f *Func) signature(args []Expr) (want []types.T, res types.T, err error) {
	var elem types.T
	var common []Expr
	poly, vector := false, false
	for i, a := range args {
		t := a.Type()
		switch f.arg(i).Kind {
		case KindAnyElement, KindAnyEnum:
			poly = true
			if t.Kind != types.Unknown {
				elem = sharedElem(elem, t)
			}
		case KindAnyArray:
			poly = true
			if t.Kind == types.Array {
				elem = sharedElem(elem, t.ElemType())
			}
			vector = vector || t.IsVector()
		case KindAnyCompatible:
			poly = true
			common = append(common, a)
		case KindAnyCompatibleArray:
			poly = true
			if t.Kind == types.Array {
				common = append(common, &Const{Value: types.NullDatum, T: t.ElemType(), At: a.Pos()})
			}
		}
	}
	if len(common) > 0 {
		if elem, err = SelectCommonType("function arguments", common); err != nil {
			return nil, res, err
		}
		elem = elem.Base()
	}
	if poly && elem.Kind == types.Unknown {
		return nil, res, sqlerr.New(sqlerr.DatatypeMismatch,
			"could not determine polymorphic type because input has type unknown")
	}
	concrete := func(t types.T) types.T {
		switch t.Kind {
		case KindAnyElement, KindAnyCompatible, KindAnyEnum:
			return elem
		case KindAnyArray, KindAnyCompatibleArray:
			return types.ArrayOf(elem)
		}
		return t
	}
	if !poly && len(args) == len(f.ArgTypes) {
		return f.ArgTypes, concrete(f.ResultType), nil
	}
	want = make([]types.T, len(args))
	for i := range args {
		want[i] = concrete(f.arg(i))
		// A vector is taken as the array that it is, its lower bound with it.
		if t := args[i].Type(); vector && t.IsVector() && want[i] == types.ArrayOf(elem) {
			want[i] = t
		}
	}
	return want, concrete(f.ResultType), nil
}

// sharedElem is what anyelement stands for after one argument more: records of two shapes
// are records.
func sharedElem(before, t types.T) types.T {
	if before.Kind == types.Record && before.Shape() != t.Shape() {
		return before.Bare()
	}
	return t.Base()
}

// ResolveFunc chooses the overload of function name; a type's name with one
// argument is a cast. coalesce, nullif, greatest and least are accepted by name
// too. 42883 if none fits, 42725 if several do, 0A000 for what Postgres has and
// saltsql does not.
func ResolveFunc(name string, args []Expr, pos int) (Expr, error) {
	written := name
	name = strings.TrimPrefix(name, "pg_catalog.")
	switch name {
	case "coalesce":
		return MakeCoalesce(args, pos)
	case "greatest", "least":
		return MakeGreatest(args, name == "least", pos)
	case "nullif":
		if len(args) == 2 {
			return MakeNullIf(args[0], args[1], pos)
		}
	}
	cands := funcs[name]
	typs := TypesOf(args)
	f := exactMatch(cands, typs)
	if f == nil {
		if x, ok, err := castByName(name, args, pos); ok {
			return x, err
		}
		f = selectCandidate(typs, cands)
	}
	if f == nil {
		return nil, noFunction(written, args, severalFit(cands, typs), pos)
	}
	return Apply(f, args, pos)
}

// castByName takes f(x) for a cast where f names a type and the conversion is
// trivial: of an untyped literal, between equal representations or by text.
func castByName(name string, args []Expr, pos int) (Expr, bool, error) {
	if len(args) != 1 {
		return nil, false, nil
	}
	to, err := types.FromName(name, nil, false)
	if err != nil {
		return nil, false, nil
	}
	to = to.Base()
	from := args[0].Type()
	if from.Kind != types.Unknown {
		c, ok := FindCast(from, to, Explicit)
		if !ok {
			return nil, false, nil
		}
		listed := castTable[from.Kind][to.Kind] != nil
		if c.Via != ViaNothing && !listed && to.Category() != 'S' && from.Category() != 'S' {
			return nil, false, nil
		}
	}
	x, err := ResolveCast(args[0], to, Explicit, pos)
	return x, true, err
}

// noFunction says why a name, as it is written, is no function of the arguments.
func noFunction(written string, args []Expr, ambiguous bool, pos int) error {
	name := strings.TrimPrefix(written, "pg_catalog.")
	if err := UnsupportedFunction(name, pos); err != nil {
		return err
	}
	if err := withoutOver(name, args, pos); err != nil {
		return err
	}
	if ambiguous {
		return sqlerr.New(sqlerr.AmbiguousFunction, "function %s is not unique", signatureText(written, args)).
			WithHint("Could not choose a best candidate function. " + castHint).At(pos)
	}
	return noOverload(written, args, pos)
}

// NoFunction says of a name with its schema that there is no such function.
func NoFunction(name string, args []Expr, pos int) error { return noOverload(name, args, pos) }

// noOverload says that no overload of a function takes the arguments.
func noOverload(name string, args []Expr, pos int) error {
	if t, hint := unsupportedOf(strings.TrimPrefix(name, "pg_catalog."), args); hint != "" {
		return sqlerr.Unsupported("function "+name+" is not supported for type "+TypeName(t), hint).At(pos)
	}
	hint := "No function matches the given name and argument types. " + castHint
	if own := PhoenixSchema + "." + strings.TrimPrefix(name, "pg_catalog."); len(funcs[own]) > 0 {
		if _, err := ResolveFunc(own, args, pos); err == nil {
			hint = "Phoenix's function is " + own + ": write it so, or SET search_path = phoenix, public."
		}
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", signatureText(name, args)).
		WithHint("%s", hint).At(pos)
}

// OfExtension has the names of functions that PostgreSQL has in an extension.
var OfExtension = map[string]bool{}

// RegisterExtension adds functions that PostgreSQL has in an extension.
func RegisterExtension(list ...*Func) {
	for _, f := range list {
		OfExtension[f.Name] = true
	}
	RegisterFuncs(list...)
}

// PhoenixSchema is the schema of Apache Phoenix's functions.
const PhoenixSchema = "phoenix"

func signatureText(name string, args []Expr) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = TypeName(a.Type())
	}
	return name + "(" + strings.Join(names, ", ") + ")"
}

// FuncName gives the name that a function of a schema is registered by: its own for
// those of pg_catalog, which need no schema, and else with the schema before it. What PostgreSQL
// has in an extension is in the schema public, too, where dumps name it. ok is
// false where the schema has no such function.
func FuncName(schema, name string) (registered string, ok bool) {
	if schema == "" || schema == "pg_catalog" || schema == "public" && OfExtension[name] {
		return name, true
	}
	registered = schema + "." + name
	return registered, len(funcs[registered]) > 0 || len(sets[registered]) > 0
}
