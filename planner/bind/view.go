package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// View binds the query of a view and gives what is kept of it. names are those of the
// first columns, where the statement gives them. 42P02 for a parameter; 0A000 for what cannot
// be kept.
func View(ctx *Context, stmt *tree.Statement, names []string, pos int) (*catalog.ViewDef, error) {
	def, err := captured(ctx, stmt, names, pos)
	if err != nil {
		return nil, err
	}
	// What is kept must mean what the user wrote: it is read again as it will be, and has
	// to come out as it is.
	b := newBinder(ctx, 0).ofText()
	again, err := viewStatement(def.Query.SQL(def.Columns, ctx.Catalog.ByID))
	if err != nil {
		return nil, notKept(err)
	}
	second, err := captured(b.ctx, again, names, 0)
	if err != nil {
		return nil, notKept(err)
	}
	if second.Query.Text != def.Query.Text || !slices.Equal(second.Columns, def.Columns) {
		return nil, notKept(nil)
	}
	return def, nil
}

// notKept refuses a query whose printed form is not the query.
func notKept(err error) error {
	e := sqlerr.Unsupported("this query cannot be kept as a view", "Write its expressions in another way, with explicit casts, or run the query itself.")
	if err != nil {
		e.Detail = err.Error()
	}
	return e
}

func captured(ctx *Context, stmt *tree.Statement, names []string, pos int) (*catalog.ViewDef, error) {
	if stmt.NumParams > 0 {
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1").At(pos)
	}
	q, ok := stmt.DML.(tree.Query)
	if !ok {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "views must not contain data-modifying statements in WITH").At(pos)
	}
	b := newBinder(ctx, 0)
	b.capture = newCapture()
	r, err := b.bindQuery(nil, q, nil)
	if err != nil {
		return nil, err
	}
	if _, err := b.params.Finish(); err != nil {
		return nil, err
	}
	if len(names) > len(r.cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "CREATE VIEW specifies more column names than columns").At(pos)
	}
	def := &catalog.ViewDef{}
	for i, c := range r.cols {
		col := catalog.ViewColumn{Name: c.name, Type: c.t}
		if i < len(names) {
			col.Name = names[i]
		}
		if c.t.Kind == types.Record || c.t.Kind == types.Void {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has pseudo-type %s`, col.Name, c.t).At(pos)
		}
		def.Columns = append(def.Columns, col)
	}
	return def, b.capture.define(def, q, ctx.Env)
}
