package expr

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Func is one overload of a function or an operator, as pg_proc lists it.
type Func struct {
	Name   string // "lower", "+", "~~"
	Args   []types.Kind
	Result types.Kind
	// Strict functions give NULL when an argument is NULL, without being called.
	Strict bool
	// Volatile functions are evaluated per row and never folded.
	Volatile bool
	// Stable functions are folded per execution, immutable ones at planning.
	Stable bool
	// TextOnly says that a stable function depends on the session by the text of its arguments alone.
	TextOnly     bool
	State        State // that calls see and, with ChangesState, change
	ChangesState bool

	Kernel Kernel
	Need   Need // of memory, before Kernel is called
	// Prepare makes a kernel for a call with given arguments, for what is worth
	// knowing beforehand (a constant pattern); nil where Kernel is all.
	Prepare      func(args []Expr) (Kernel, error)
	ArgTypes     []types.T // Args in full
	ResultType   types.T
	Variadic     bool // the last argument may be repeated
	spread       bool // the last argument is an array of what may be: VARIADIC
	operator     bool
	special      bool  // made for a call: NULLIF, GREATEST and LEAST
	KeepsUnknown bool  // untyped arguments stay untyped
	Equal        *Func // of NULLIF: the equality
	Cmp          CmpOp // CmpNone of what is no comparison
	Class        CmpClass
}

// Kernel computes a function for the selected slots of its argument vectors.
// For strict functions, slots where an argument is NULL are not in sel.
type Kernel func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error

// Need is about how many bytes a function takes to compute one value, its result
// included: what is asked for before it is called. nil asks for nothing.
type Need func(args []types.Datum) int
