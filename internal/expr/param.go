package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ParamTypes records the types of a statement's parameters: those the client
// declared and those that the contexts of their uses decide. One ParamTypes
// serves one binding of one statement.
type ParamTypes struct {
	ts []types.T
}

// NewParamTypes starts with the types the client declared, of n parameters or more; Unknown
// leaves one to be found out.
func NewParamTypes(declared []types.T, n int) *ParamTypes {
	ts := make([]types.T, max(n, len(declared))) // types.Unknown
	copy(ts, declared)
	return &ParamTypes{ts: ts}
}

// Ref makes the node for $n, n from 1, of the type known so far.
func (p *ParamTypes) Ref(n, pos int) *Param {
	for len(p.ts) < n {
		p.ts = append(p.ts, types.Of(types.Unknown))
	}
	return &Param{N: n, T: p.ts[n-1], At: pos, types: p}
}

// IsUntyped says that x is a parameter whose type its context decides.
func IsUntyped(x Expr) bool {
	p, ok := x.(*Param)
	return ok && p.T.Kind == types.Unknown
}

// typed gives a parameter the type that is known of it.
func typed(x Expr) Expr {
	if p, ok := x.(*Param); ok && IsUntyped(x) && p.types != nil {
		return p.types.Ref(p.N, p.At)
	}
	return x
}

// set decides the type of $n: 42P08 if it has another one already.
func (p *ParamTypes) set(n int, t types.T, pos int) error {
	t = t.Base()
	switch have := p.ts[n-1]; {
	case have.Kind == types.Unknown:
		p.ts[n-1] = t
	case have != t:
		return sqlerr.New(sqlerr.AmbiguousParameter, "inconsistent types deduced for parameter $%d", n).
			WithDetail("%s versus %s", have, t).At(pos)
	}
	return nil
}

// Types gives the types found so far, $1 first; Unknown where nothing decided.
func (p *ParamTypes) Types() []types.T { return p.ts }

// Finish gives all types: 42P18 for a parameter that nothing decided.
func (p *ParamTypes) Finish() ([]types.T, error) {
	for i, t := range p.ts {
		if t.Kind == types.Unknown {
			return nil, sqlerr.New(sqlerr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	return p.ts, nil
}
