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

	kernel kernel
}

// kernel computes a function for the selected slots of its argument vectors.
// For strict functions, slots where an argument is NULL are not in sel.
type kernel func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error

// Prog is an expression ready to run. It owns the memory of its results and is
// not safe for concurrent use: Clone it for each goroutine.
type Prog struct {
	e Expr
}

// Compile makes e ready to run. It fails only for what no kernel computes.
func Compile(e Expr) (*Prog, error) { return &Prog{e: e}, nil }

// Clone gives a Prog over the same expression with memory of its own.
func (p *Prog) Clone() *Prog { return &Prog{e: p.e} }

// Expr is what p computes.
func (p *Prog) Expr() Expr { return p.e }

// Eval computes the expression for the rows of in. The result has in.N slots of
// which those that in selects hold values; it is valid until the next Eval or
// Filter of p, and may be one of in's own columns.
func (p *Prog) Eval(env *Env, in *vec.Batch) (*vec.Vec, error) { return nil, errNotYet }

// Filter gives the selected slots of in where the expression is true, ascending,
// in selBuf's memory if it has room for in.N. selBuf may be in.Sel's own memory.
func (p *Prog) Filter(env *Env, in *vec.Batch, selBuf []uint16) ([]uint16, error) {
	return nil, errNotYet
}

// EvalConst computes an expression that has no Col.
func EvalConst(env *Env, e Expr) (types.Datum, error) { return types.NullDatum, errNotYet }
