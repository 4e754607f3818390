package builtin

import (
	"iter"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Builtin describes one overload of what can be called: a row of pg_proc or of
// pg_operator. Types are OIDs, those of pseudo-types among them.
type Builtin struct {
	Name     string
	Args     []uint32 // a prefix operator has one
	Result   uint32
	Variadic bool // the last of Args, an array where it has a type, takes any number
	Strict   bool
	Stable   bool
	Volatile bool
	Set      bool // gives rows
	// Columns are those of the rows, where they have names.
	Columns []expr.SetColumn
}

// Pseudo-types, as pg_type has them.
var pseudoOIDs = map[types.Kind]uint32{
	expr.KindAnyElement: 2283, expr.KindAnyArray: 2277, expr.KindAnyCompatible: 5077, expr.KindAnyCompatibleArray: 5078, expr.KindAny: 2276, expr.KindAnyNonArray: 2776, expr.KindAnyEnum: 3500,
}

func oidOf(t types.T) uint32 {
	if oid, ok := pseudoOIDs[t.Kind]; ok {
		return oid
	}
	return t.OID()
}

func builtinOf(f *expr.Func) Builtin {
	b := Builtin{Name: f.Name, Result: oidOf(f.ResultType), Variadic: f.Variadic, Strict: f.Strict, Stable: f.Stable, Volatile: f.Volatile}
	for i, a := range f.ArgTypes {
		if f.Variadic && i == len(f.ArgTypes)-1 && a.Kind != expr.KindAny {
			a = types.ArrayOf(a)
		}
		b.Args = append(b.Args, oidOf(a))
	}
	return b
}

func listed(of iter.Seq[*expr.Func]) iter.Seq[Builtin] {
	return func(yield func(Builtin) bool) {
		for f := range of {
			if !yield(builtinOf(f)) {
				return
			}
		}
	}
}

// Functions lists the functions that give a value or rows, in no order.
func Functions() iter.Seq[Builtin] {
	return func(yield func(Builtin) bool) {
		for b := range listed(expr.EachFunc()) {
			if !yield(b) {
				return
			}
		}
		for f := range expr.EachSet() {
			b := builtinOf(f.Sig)
			b.Set, b.Strict = true, !f.Nullable
			if f.Named {
				b.Columns = f.Cols
			}
			if len(b.Columns) > 1 {
				b.Result = types.Of(types.Record).OID()
			}
			if !yield(b) {
				return
			}
		}
		for _, b := range series() {
			if !yield(b) {
				return
			}
		}
	}
}

func init() {
	for _, b := range series() {
		expr.RegisterPlanned(b.Name)
	}
}

// series lists the set-returning functions that have plan nodes of their own.
func series() []Builtin {
	list := []Builtin{{Name: "unnest", Args: []uint32{pseudoOIDs[expr.KindAnyArray]}, Result: pseudoOIDs[expr.KindAnyElement], Strict: true, Set: true}}
	add := func(res types.T, args ...types.T) {
		b := Builtin{Name: "generate_series", Result: res.OID(), Strict: true, Set: true}
		for _, a := range args {
			b.Args = append(b.Args, a.OID())
		}
		list = append(list, b)
	}
	for _, t := range []types.T{tInt4, tInt8, tNum} {
		add(t, t, t)
		add(t, t, t, t)
	}
	add(tTS, tTS, tTS, tInt)
	add(tTSTZ, tTSTZ, tTSTZ, tInt)
	return list
}

// Operators lists the operators, in no order.
func Operators() iter.Seq[Builtin] { return listed(expr.EachOp()) }

// Aggregates lists the aggregates, those WITHIN GROUP with their direct arguments
// first, in no order.
func Aggregates() iter.Seq[Builtin] {
	return func(yield func(Builtin) bool) {
		for b := range listed(expr.EachAgg()) {
			b.Strict = false
			if !yield(b) {
				return
			}
		}
	}
}

// Windows lists the window functions that are not aggregates, in no order.
func Windows() iter.Seq[Builtin] { return listed(expr.EachWindow()) }

// CastEntry is a row of pg_cast.
type CastEntry struct {
	From, To types.Kind
	Context  expr.CastContext
	// Relabel says that the two types' values look alike.
	Relabel bool
	Stable  bool // it depends on the session
}

// Casts lists the casts that are not made through text, in no order.
func Casts() iter.Seq[CastEntry] {
	return func(yield func(CastEntry) bool) {
		for k, c := range expr.EachCast() {
			if !yield(CastEntry{k.From, k.To, c.Context, c.Via == expr.ViaNothing, c.Stable}) {
				return
			}
		}
	}
}
