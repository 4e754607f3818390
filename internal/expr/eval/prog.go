package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Prog is an expression ready to run. It owns the memory of its results and is
// not safe for concurrent use: Clone it for each goroutine. Keeping one for the
// next execution saves its memory from being allocated again.
type Prog struct {
	e     expr.Expr
	root  node
	run   run
	grows bool
	sel   []uint16 // a selection, while Filter overwrites it
}

// wideBytes is how many bytes of values one function makes of a batch before EvalNarrow
// gives up.
const wideBytes = 4 << 20

// Compile makes e ready to run. It fails only for what no kernel computes.
func Compile(e expr.Expr) (*Prog, error) {
	var z compiler
	root, err := z.compile(e)
	if err != nil {
		return nil, err
	}
	return &Prog{e: e, root: root, grows: z.grows}, nil
}

// Grows says that EvalNarrow may give ErrWide.
func (p *Prog) Grows() bool { return p.grows }

// Clone gives a Prog over the same expression with memory of its own.
func (p *Prog) Clone() *Prog {
	root, err := new(compiler).compile(p.e)
	if err != nil {
		panic(err) // it compiled before
	}
	return &Prog{e: p.e, root: root, grows: p.grows}
}

// Expr is what p computes.
func (p *Prog) Expr() expr.Expr { return p.e }

// Type is the type of p's results.
func (p *Prog) Type() types.T { return p.e.Type() }

// Eval computes the expression for the rows of in. The result has in.N slots of
// which those that in selects hold values; it is valid until the next Eval or
// Filter of p, and may be one of in's own columns.
func (p *Prog) Eval(env *expr.Env, in *vec.Batch) (*vec.Vec, error) {
	sel := p.start(env, in)
	return p.root.eval(&p.run, sel)
}

// EvalNarrow is Eval for who can do with a part of the rows at a time: ErrWide where
// there are several and their values are large.
func (p *Prog) EvalNarrow(env *expr.Env, in *vec.Batch) (*vec.Vec, error) {
	sel := p.start(env, in)
	if p.grows && len(sel) > 1 {
		p.run.most = wideBytes
	}
	return p.root.eval(&p.run, sel)
}

// Filter gives the selected slots of in where the expression is true, ascending,
// in selBuf's memory if it has room for in.N. selBuf may be in.Sel's own memory.
func (p *Prog) Filter(env *expr.Env, in *vec.Batch, selBuf []uint16) ([]uint16, error) {
	sel := p.start(env, in)
	if cap(selBuf) < len(sel) {
		selBuf = make([]uint16, len(sel), in.N)
	}
	if !p.grows || len(sel) <= 1 {
		return filter(p.root, &p.run, sel, selBuf[:0])
	}
	p.sel = append(p.sel[:0], sel...)
	return p.filterNarrow(p.sel, selBuf[:0])
}

// filterNarrow goes by parts where the values of all rows would be too large.
func (p *Prog) filterNarrow(sel, dst []uint16) ([]uint16, error) {
	p.run.most = 0
	if len(sel) > 1 {
		p.run.most = wideBytes
	}
	out, err := filter(p.root, &p.run, sel, dst)
	if err != expr.ErrWide {
		return out, err
	}
	half := len(sel) / 2
	if dst, err = p.filterNarrow(sel[:half], dst); err != nil {
		return nil, err
	}
	return p.filterNarrow(sel[half:], dst)
}

func (p *Prog) start(env *expr.Env, in *vec.Batch) []uint16 {
	if env == nil {
		env = emptyEnv
	}
	p.run.env, p.run.in, p.run.n, p.run.most = env, in, in.N, 0
	if in.Sel != nil {
		if poison.On {
			mustAscend(in.Sel)
		}
		return in.Sel
	}
	return identity[:in.N]
}

// mustAscend holds the callers to what kernels rely on, as a test of theirs.
func mustAscend(sel []uint16) {
	for i := 1; i < len(sel); i++ {
		if sel[i] <= sel[i-1] {
			panic("expr: a selection that does not ascend")
		}
	}
}

// identity selects every slot.
var identity = func() (s [vec.MaxRows]uint16) {
	for i := range s {
		s[i] = uint16(i)
	}
	return s
}()

var oneRow = &vec.Batch{N: 1}

// EvalConst computes an expression that has no Col.
func EvalConst(env *expr.Env, e expr.Expr) (types.Datum, error) {
	switch e := e.(type) {
	case *expr.Const:
		return e.Value, nil
	case *expr.Param:
		if env != nil && e.N <= len(env.Params) {
			return env.Params[e.N-1], nil
		}
	}
	root, err := new(compiler).compileNode(e) // there is but one row: nothing is computed twice
	if err != nil {
		return types.NullDatum, err
	}
	p := Prog{e: e, root: root}
	v, err := p.Eval(env, oneRow)
	if err != nil {
		return types.NullDatum, err
	}
	return v.Datum(0), nil
}

// emptyEnv is for where there is no session.
var emptyEnv = &expr.Env{}
