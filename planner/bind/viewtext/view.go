package viewtext

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/fail"
)

// View binds the query of a view and gives what is kept of it. names are those of the
// first columns, where the statement gives them. 42P02 for a parameter; 0A000 for what cannot
// be kept.
func View(ctx *query.Context, stmt *tree.Statement, names []string, pos int) (*catalog.ViewDef, error) {
	def, text, err := captured(ctx, stmt, names, pos)
	if err != nil {
		return nil, err
	}
	// What is kept must mean what the user wrote: it is read again as it will be, and has
	// to come out as it is.
	b := query.NewBinder(ctx, 0).OfText()
	again, err := query.ViewStatement(def.Query.SQL(def.Columns, ctx.Catalog.Member))
	if err != nil {
		return nil, notKept(err)
	}
	second, secondText, err := captured(b.Ctx, again, names, 0)
	if err != nil {
		return nil, notKept(err)
	}
	if secondText != text || !slices.Equal(second.Columns, def.Columns) {
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

// captured binds a view's query. bare is its text as define gives it.
func captured(ctx *query.Context, stmt *tree.Statement, names []string, pos int) (def *catalog.ViewDef, bare string, err error) {
	if stmt.NumParams > 0 {
		return nil, "", sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1").At(pos)
	}
	q, ok := stmt.DML.(tree.Query)
	if !ok {
		return nil, "", sqlerr.New(sqlerr.FeatureNotSupported, "views must not contain data-modifying statements in WITH").At(pos)
	}
	b := query.NewBinder(ctx, 0)
	b.Capture = query.NewCapture()
	defer fail.Caught(&err)
	r := b.BindQuery(nil, q, nil)
	if _, err := b.Params.Finish(); err != nil {
		return nil, "", err
	}
	if len(names) > len(r.Cols) {
		return nil, "", sqlerr.New(sqlerr.SyntaxError, "CREATE VIEW specifies more column names than columns").At(pos)
	}
	def = &catalog.ViewDef{}
	for i, c := range r.Cols {
		col := catalog.ViewColumn{Name: c.Name, Type: c.T}
		if i < len(names) {
			col.Name = names[i]
		}
		if c.T.Kind == types.Record && c.T.Shape().Table() {
			return nil, "", sqlerr.Unsupported(`a column of a view that holds rows of a table is not supported`, "Give the row's columns, or row_to_json of it.").At(pos)
		}
		if c.T.Kind == types.Record || c.T.Kind == types.Array && c.T.Elem == types.Record || c.T.Kind == types.Void {
			return nil, "", sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has pseudo-type %s`, col.Name, c.T).At(pos)
		}
		def.Columns = append(def.Columns, col)
	}
	bare, err = define(b.Capture, def, q, ctx.Env)
	return def, bare, err
}
