package eval

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// domainNode tests values against the constraints that a domain, and those that it is over,
// have when it is compiled.
type domainNode struct {
	x       node
	to      types.T
	name    *types.UserDef
	notNull bool
	checks  []domainCheck
	batch   vec.Batch
	out     vec.Vec
}

type domainCheck struct {
	name  string
	holds *Prog
}

func (z *compiler) compileDomain(e *expr.CoerceToDomain) (node, error) {
	x, err := z.compile(e.X)
	if err != nil {
		return nil, err
	}
	n := &domainNode{x: x, to: e.To, name: e.To.Domain().Def()}
	for _, d := range e.To.Domains() {
		if d.Domain == nil { // it was dropped a moment ago
			return nil, types.UndefinedType(d.Name)
		}
		n.notNull = n.notNull || d.Domain.NotNull || d.Domain.NotNullPending
		value := func(int) (*expr.Col, bool) { return &expr.Col{T: d.Domain.Base, Name: "VALUE"}, true }
		checks := slices.Clone(d.Domain.Checks)
		slices.SortFunc(checks, func(a, b types.DomainCheck) int { return cmp.Compare(a.Name, b.Name) })
		for _, c := range checks {
			cond, err := expr.Stored(c.Cond).Bind(d.Domain.Users, value)
			if err != nil {
				return nil, err
			}
			p, err := Compile(cond)
			if err != nil {
				return nil, err
			}
			n.checks = append(n.checks, domainCheck{c.Name, p})
		}
	}
	return n, nil
}

func (n *domainNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	v, err := n.x.eval(r, sel)
	if err != nil || len(sel) == 0 {
		return v, err
	}
	if n.notNull && v.Nulls.Any() {
		for _, i := range sel {
			if v.Nulls.Get(int(i)) {
				return nil, n.violation(sqlerr.New(sqlerr.NotNullViolation, "domain %s does not allow null values", n.name.Written()))
			}
		}
	}
	n.out = *v
	n.out.Type = n.to
	n.batch.N, n.batch.Sel, n.batch.Cols = r.n, sel, append(n.batch.Cols[:0], &n.out)
	for _, c := range n.checks {
		held, err := c.holds.Eval(r.env, &n.batch)
		if err != nil {
			return nil, err
		}
		for _, i := range sel {
			if !held.Bools[i] && !held.Nulls.Get(int(i)) {
				e := n.violation(sqlerr.New(sqlerr.CheckViolation, `value for domain %s violates check constraint "%s"`, n.name.Written(), c.name))
				e.Constraint = c.name
				return nil, e
			}
		}
	}
	return &n.out, nil
}

// violation says which domain it is.
func (n *domainNode) violation(e *sqlerr.Error) *sqlerr.Error {
	e.Schema, e.DataType = n.name.Schema, n.name.Name
	return e
}
