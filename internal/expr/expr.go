package expr

import (
	"strings"

	"github.com/saltsql/saltsql/internal/types"
)

// Expr is a bound expression. Trees are immutable once made and may be shared
// by goroutines; what evaluating needs is in a Prog.
type Expr interface {
	Type() types.T
	// Pos is the 1-based character position in the statement, 0 if unknown.
	Pos() int
}

// Col reads column Index of the input batch.
type Col struct {
	Index int
	T     types.T
	Name  string // for EXPLAIN
	At    int
}

// Const is a literal.
type Const struct {
	Value types.Datum
	T     types.T
	Name  string       // of a regclass's relation, for EXPLAIN
	Read  *types.IOEnv // of an untyped literal: the settings by which it is read; nil: those of the run
	At    int
}

// Param is $N, N from 1. A plan may have more than the statement wrote: a join passes
// values of its one side to the other by them; those have a Name, for EXPLAIN.
type Param struct {
	N    int
	T    types.T
	Name string
	At   int
	// types learns the type that the context gives to an untyped parameter.
	types *ParamTypes
}

// Call applies one overload of a function or an operator. Args have exactly
// the overload's argument types: casts are nodes of their own.
type Call struct {
	Fn     *Func
	Args   []Expr
	T      types.T
	Syntax string // how it was written, if not as name(…); it means nothing
	At     int
}

// Cast converts X. Casts that only change the modifier (varchar to varchar(3))
// are Casts too.
type Cast struct {
	X        Expr
	To       types.T
	Explicit bool // varchar(n) and char(n) truncate in silence
	At       int
}

// CoerceToDomain makes X, of the type under all domains, a value of a domain, which it
// fails to be where it violates a constraint.
type CoerceToDomain struct {
	X        Expr
	To       types.T
	Explicit bool // the statement says so
	At       int
}

// And and Or take two or more booleans, by three-valued logic.
type (
	And struct {
		Args []Expr
		At   int
	}
	Or struct {
		Args []Expr
		At   int
	}
	// Not negates a boolean.
	Not struct {
		X  Expr
		At int
	}
)

// IsNull is X IS NULL.
type IsNull struct {
	X  Expr
	At int
}

// IsDistinct is X IS DISTINCT FROM Y; both have one type, Eq is its equality.
type IsDistinct struct {
	X, Y Expr
	Eq   *Func
	At   int
}

// Case is CASE WHEN … THEN … ELSE … END; the simple form is rewritten to it.
// A WHEN after the first true one is not evaluated, nor is its THEN.
type Case struct {
	// Operand is what each WHEN compares, where that may be computed only once: there it
	// stands as a CaseOperand. Else it stands there itself, and this is nil.
	Operand Expr
	Whens   []When
	Else    Expr // nil is NULL
	Simple  bool // CASE operand WHEN … was written; it means nothing
	T       types.T
	At      int
}

// CaseOperand is the operand of the innermost Case around it, in a WHEN.
type CaseOperand struct {
	T  types.T
	At int
}

// When is one arm of a Case.
type When struct{ Cond, Then Expr }

// Coalesce gives the first argument that is not NULL, evaluating no more.
type Coalesce struct {
	Args []Expr
	T    types.T
	At   int
}

// InList is X IN (List) over one type; Eq is its equality. NOT IN is Not{InList}.
type InList struct {
	X    Expr
	List []Expr
	Eq   *Func
	At   int
}

// AnyAll is X op ANY(Array) or, with All, X op ALL(Array).
type AnyAll struct {
	X     Expr
	Array Expr // of an array type whose elements are Op's right argument
	Op    *Func
	All   bool
	At    int
}

// RowCmp compares two rows of equal length lexically: Op is one of < <= > >=.
// (= and <> are rewritten to And and Or.)
type RowCmp struct {
	Op   string
	L, R []Expr
	Lt   []*Func // per position, the type's <
	Eq   []*Func // per position, the type's =
	At   int
}

// MakeArray is ARRAY[…].
type MakeArray struct {
	Elems []Expr
	T     types.T
	At    int
}

// Subscript is X[I].
type Subscript struct {
	X, I Expr
	T    types.T
	At   int
}

// Subscripts is X[I][J] of several dimensions or, with Slice, X[I:J], where an index alone
// is 1 to it.
type Subscripts struct {
	X      Expr
	Ranges []Range
	Slice  bool
	T      types.T
	At     int
}

// Range is a subscript's bounds; nil is the dimension's own. An index is the High one.
type Range struct{ Low, High Expr }

func (e *Subscripts) Type() types.T { return e.T }
func (e *Subscripts) Pos() int      { return e.At }

// form says which bounds there are: "h" of an index, "lh" of both, "" of none.
func (r Range) form() string {
	form := ""
	if r.Low != nil {
		form = "l"
	}
	if r.High != nil {
		form += "h"
	}
	return form
}

// forms is form of all.
func (e *Subscripts) forms() string {
	all := make([]string, len(e.Ranges))
	for i, r := range e.Ranges {
		all[i] = r.form()
	}
	return strings.Join(all, ",")
}

func (e *Col) Type() types.T            { return e.T }
func (e *Const) Type() types.T          { return e.T }
func (e *Param) Type() types.T          { return e.T }
func (e *Call) Type() types.T           { return e.T }
func (e *Cast) Type() types.T           { return e.To }
func (e *CoerceToDomain) Type() types.T { return e.To }
func (e *And) Type() types.T            { return types.Of(types.Bool) }
func (e *Or) Type() types.T             { return types.Of(types.Bool) }
func (e *Not) Type() types.T            { return types.Of(types.Bool) }
func (e *IsNull) Type() types.T         { return types.Of(types.Bool) }
func (e *IsDistinct) Type() types.T     { return types.Of(types.Bool) }
func (e *Case) Type() types.T           { return e.T }
func (e *CaseOperand) Type() types.T    { return e.T }
func (e *Coalesce) Type() types.T       { return e.T }
func (e *InList) Type() types.T         { return types.Of(types.Bool) }
func (e *AnyAll) Type() types.T         { return types.Of(types.Bool) }
func (e *RowCmp) Type() types.T         { return types.Of(types.Bool) }
func (e *MakeArray) Type() types.T      { return e.T }
func (e *Subscript) Type() types.T      { return e.T }

func (e *Col) Pos() int            { return e.At }
func (e *Const) Pos() int          { return e.At }
func (e *Param) Pos() int          { return e.At }
func (e *Call) Pos() int           { return e.At }
func (e *Cast) Pos() int           { return e.At }
func (e *CoerceToDomain) Pos() int { return e.At }
func (e *And) Pos() int            { return e.At }
func (e *Or) Pos() int             { return e.At }
func (e *Not) Pos() int            { return e.At }
func (e *IsNull) Pos() int         { return e.At }
func (e *IsDistinct) Pos() int     { return e.At }
func (e *Case) Pos() int           { return e.At }
func (e *CaseOperand) Pos() int    { return e.At }
func (e *Coalesce) Pos() int       { return e.At }
func (e *InList) Pos() int         { return e.At }
func (e *AnyAll) Pos() int         { return e.At }
func (e *RowCmp) Pos() int         { return e.At }
func (e *MakeArray) Pos() int      { return e.At }
func (e *Subscript) Pos() int      { return e.At }
