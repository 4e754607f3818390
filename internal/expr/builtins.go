package expr

import (
	"iter"

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
	Columns []SetColumn
}

// Pseudo-types, as pg_type has them.
var pseudoOIDs = map[types.Kind]uint32{
	anyElement: 2283, anyArray: 2277, anyCompatible: 5077, anyCompatibleArray: 5078, anyType: 2276, anyNonArray: 2776,
}

// PseudoTypes lists the OIDs of the pseudo-types that overloads use.
func PseudoTypes() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, oid := range pseudoOIDs {
			if !yield(oid) {
				return
			}
		}
	}
}

func oidOf(t types.T) uint32 {
	if oid, ok := pseudoOIDs[t.Kind]; ok {
		return oid
	}
	return t.OID()
}

func builtinOf(f *Func) Builtin {
	b := Builtin{Name: f.Name, Result: oidOf(f.res), Variadic: f.variadic, Strict: f.Strict, Stable: f.Stable, Volatile: f.Volatile}
	for i, a := range f.args {
		if f.variadic && i == len(f.args)-1 && a.Kind != anyType {
			a = types.ArrayOf(a)
		}
		b.Args = append(b.Args, oidOf(a))
	}
	return b
}

func listed(of iter.Seq[*Func]) iter.Seq[Builtin] {
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
		for b := range listed(allFuncs()) {
			if !yield(b) {
				return
			}
		}
		for f := range allSets() {
			b := builtinOf(f.sig)
			b.Set, b.Strict = true, !f.nullable
			if f.Named {
				b.Columns = f.cols
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

// series lists the set-returning functions that have plan nodes of their own.
func series() []Builtin {
	list := []Builtin{{Name: "unnest", Args: []uint32{pseudoOIDs[anyArray]}, Result: pseudoOIDs[anyElement], Strict: true, Set: true}}
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
func Operators() iter.Seq[Builtin] { return listed(allOps()) }

// Aggregates lists the aggregates, those WITHIN GROUP with their direct arguments
// first, in no order.
func Aggregates() iter.Seq[Builtin] {
	return func(yield func(Builtin) bool) {
		for b := range listed(allAggs()) {
			b.Strict = false
			if !yield(b) {
				return
			}
		}
	}
}

// CastEntry is a row of pg_cast.
type CastEntry struct {
	From, To types.Kind
	Context  CastContext
	// Relabel says that the two types' values look alike.
	Relabel bool
}

// Casts lists the casts that are not made through text, in no order.
func Casts() iter.Seq[CastEntry] {
	return func(yield func(CastEntry) bool) {
		for k, c := range allCasts() {
			if !yield(CastEntry{k.from, k.to, c.ctx, c.via == viaNothing}) {
				return
			}
		}
	}
}
