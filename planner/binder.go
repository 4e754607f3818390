package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// binder binds one statement.
type binder struct {
	ctx    *Context
	params *expr.ParamTypes
	// stored says that the text being bound is not the user's but a stored one (a view, a
	// DEFAULT, a CHECK): its positions mean nothing to the user and it has no parameters.
	stored bool
	ctes   []*cte
	tables []*catalog.Table
	views  []uint32 // being expanded, outermost first
	unused bool     // WITH queries are bound that nobody names, and never run
	expand *expansion
}

func newBinder(ctx *Context, numParams int) *binder {
	declared := ctx.ParamTypes
	// A parameter below the highest may be used nowhere; it still has a number.
	if n := len(declared); n < numParams {
		declared = make([]types.T, numParams) // types.Unknown
		copy(declared, ctx.ParamTypes)
	}
	return &binder{ctx: ctx, params: expr.NewParamTypes(declared), expand: &expansion{}}
}

// ofStored gives a binder for a stored text, sharing everything but the text.
func (b *binder) ofStored() *binder {
	inner := *b
	inner.stored, inner.ctes = true, nil
	return &inner
}

// pos gives the 1-based position of a node in the user's text; 0 is unknown.
func (b *binder) pos(n interface{ Position() int }) int {
	if b.stored || n == nil {
		return 0
	}
	return n.Position()
}

// at is pos for what is no node.
func (b *binder) at(pos int) int {
	if b.stored {
		return 0
	}
	return pos
}

// uses records that the plan is good only for this version of t.
func (b *binder) uses(t *catalog.Table) {
	if !slices.Contains(b.tables, t) {
		b.tables = append(b.tables, t)
	}
}

// resolve finds a relation: 42P01 at pos.
func (b *binder) resolve(schema, name string, pos int) (catalog.Relation, error) {
	rel, err := b.ctx.Catalog.Resolve(b.ctx.SearchPath, schema, name)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			e.At(pos)
		}
		return nil, err
	}
	return rel, nil
}

// resolveTarget finds the table that a statement writes: 42809 for another kind
// of relation.
func (b *binder) resolveTarget(schema, name string, pos int) (*catalog.Table, error) {
	rel, err := b.resolve(schema, name, pos)
	if err != nil {
		return nil, err
	}
	switch rel := rel.(type) {
	case *catalog.Table:
		b.uses(rel)
		return rel, nil
	case *catalog.View:
		return nil, sqlerr.Unsupported("cannot write to view \""+rel.Name+"\"", "Write to the table that the view reads.").At(pos)
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, `cannot change %s "%s"`, rel.RelKind(), rel.RelName()).At(pos)
}
