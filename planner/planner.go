package planner

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// Catalog is what names mean; *catalog.Snapshot is one.
type Catalog interface {
	// Resolve finds a relation in schema, or where that is empty in the
	// schemas of searchPath in order: 42P01 if there is none.
	Resolve(searchPath []string, schema, name string) (catalog.Relation, error)
	// ByID finds a relation; nil if there is none.
	ByID(id uint32) catalog.Relation
}

// Context is what planning one statement may know.
type Context struct {
	Catalog    Catalog
	SearchPath []string
	// ParamTypes are the types the client declared; Unknown, or too short a list, means: infer.
	ParamTypes []types.T
	Options    Options
	// Hints are the session's; those of the statement are added.
	Hints Hints
	// Estimator knows how large tables are; nil knows nothing.
	Estimator Estimator
	// Env evaluates constants; nil leaves them to run time.
	Env *expr.Env
	// Notice is called with each notice; may be nil.
	Notice func(*sqlerr.Error)
}

// Options switch rules off. For tests.
type Options struct {
	// DisableRules names rules that do not run; DisableAllRules is all of them.
	DisableRules    []string
	DisableAllRules bool
	// Fired, if not nil, is called with the name of each rule that changed the plan.
	Fired func(rule string)
}

// Plan plans a query, INSERT, UPSERT, UPDATE or DELETE. Errors are *sqlerr.Error
// with positions in the text given to dialect.Parse.
func Plan(ctx *Context, stmt *dialect.Statement) (*plan.Plan, error) {
	b := newBinder(readHints(ctx, stmt), stmt)
	p, err := b.bindStatement()
	if err != nil {
		return nil, err
	}
	return b.finish(p)
}

// finish infers what is left of the parameters' types, then optimizes and checks.
func (b *binder) finish(p *plan.Plan) (*plan.Plan, error) {
	var err error
	if p.ParamTypes, err = b.params.Finish(); err != nil {
		return nil, err
	}
	p.Tables = b.tables
	p.Serial = b.ctx.Hints.has(hintSerial)
	if p.Root, err = optimize(b.ctx, p.Root); err != nil {
		return nil, err
	}
	if err := check(p.Root); err != nil {
		return nil, err
	}
	return p, nil
}

func (b *binder) bindStatement() (*plan.Plan, error) {
	p, err := b.bindTop()
	if err != nil {
		return nil, err
	}
	return p, b.bindUnused(0)
}

func (b *binder) bindTop() (*plan.Plan, error) {
	switch st := b.stmt.AST.(type) {
	case *ast.InsertStmt:
		view := marker.Insert(st)
		if view.Upsert {
			return b.bindUpsert(view)
		}
		return b.bindInsert(view)
	case *ast.UpdateStmt:
		return b.bindUpdate(marker.Update(st))
	case *ast.DeleteStmt:
		return b.bindDelete(marker.Delete(st))
	}
	q := marker.DecodeQuery(b.stmt.AST)
	if q == nil {
		return nil, sqlerr.Unsupported("this statement cannot be planned", "Only queries, INSERT, UPSERT, UPDATE and DELETE have plans.")
	}
	node, err := b.bindQuery(q, nil)
	if err != nil {
		return nil, err
	}
	return &plan.Plan{Root: node, Columns: node.Columns(), Tag: "SELECT", ReadOnly: true}, nil
}
