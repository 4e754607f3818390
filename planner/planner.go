package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
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
func Plan(ctx *Context, stmt *tree.Statement) (*plan.Plan, error) {
	b := newBinder(readHints(ctx, stmt), stmt.NumParams)
	p, err := b.bindStatement(stmt.DML)
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

func (b *binder) bindStatement(d tree.DML) (*plan.Plan, error) {
	p, err := b.bindTop(d)
	if err != nil {
		return nil, err
	}
	return p, b.bindUnused(0)
}

func (b *binder) bindTop(d tree.DML) (*plan.Plan, error) {
	switch st := d.(type) {
	case *tree.Insert:
		if st.Upsert {
			return b.bindUpsert(st)
		}
		return b.bindInsert(st)
	case *tree.Update:
		return b.bindUpdate(st)
	case *tree.Delete:
		return b.bindDelete(st)
	}
	q, ok := d.(tree.Query)
	if !ok {
		return nil, sqlerr.Unsupported("this statement cannot be planned", "Only queries, INSERT, UPSERT, UPDATE and DELETE have plans.")
	}
	node, err := b.bindQuery(q, nil)
	if err != nil {
		return nil, err
	}
	return &plan.Plan{Root: node, Columns: node.Columns(), Tag: "SELECT", ReadOnly: true}, nil
}
