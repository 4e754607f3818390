package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/lower"
	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Catalog is what names mean; *catalog.Snapshot is one.
type Catalog = query.Catalog

// Context is what planning one statement may know.
type Context struct {
	Catalog Catalog
	// Stored is what names mean in stored texts, such as a view's: whoever made them had the
	// right to name what they name. nil is Catalog.
	Stored     Catalog
	SearchPath []string
	// ParamTypes are the types the client declared; Unknown, or too short a list, means: infer.
	ParamTypes []types.T
	// Values are those of the parameters, of whose types ParamTypes has all, where the plan is
	// for these alone; nil is a plan for any.
	Values  []types.Datum
	Options Options
	// Hints are the session's; those of the statement are added.
	Hints Hints
	// Estimator knows how large tables are; nil knows nothing.
	Estimator estimate.Estimator
	// Env evaluates constants; nil leaves them to run time.
	Env *expr.Env
	// Literals are the settings by which literals of the text are read; nil leaves those that
	// depend on settings to run time.
	Literals *types.IOEnv
	// Notice is called with each notice; may be nil.
	Notice func(*sqlerr.Error)

	indexHints []indexHint // the statement's
	// newParam numbers a parameter by which a join passes values on; of the statement
	// that is being planned.
	newParam func() int
}

// Options switch rules off. For tests.
type Options struct {
	// DisableRules names rules that do not run; DisableAllRules is all of them.
	DisableRules    []string
	DisableAllRules bool
	// Fired, if not nil, is called with the name of each rule that changed the plan.
	Fired func(rule string)
	// Made, if not nil, is called with each plan that a rule has made.
	Made func(rule string, root plan.Node)
}

// Plan plans a query, INSERT, UPSERT, UPDATE or DELETE. Errors are *sqlerr.Error
// with positions in the text given to dialect.Parse.
func Plan(ctx *Context, stmt *tree.Statement) (*plan.Plan, error) {
	ctx = readHints(ctx, stmt)
	bound, err := bind.Statement(ctx.forBind(), stmt)
	return finish(ctx, bound, err)
}

// CopyFrom plans COPY table (columns) FROM: see bind.CopyFrom.
func CopyFrom(ctx *Context, stmt *tree.Statement, c *tree.Copy) (*plan.Plan, error) {
	bound, err := bind.CopyFrom(ctx.forBind(), stmt, c)
	return finish(ctx, bound, err)
}

// Copied gives the columns of the rows that a plan of CopyFrom takes.
func Copied(p *plan.Plan) []plan.Column {
	var find func(n plan.Node) *plan.External
	find = func(n plan.Node) *plan.External {
		if e, ok := n.(*plan.External); ok {
			return e
		}
		for _, in := range n.Inputs() {
			if e := find(in); e != nil {
				return e
			}
		}
		return nil
	}
	return find(p.Root).Cols
}

// CopyTo plans COPY table (columns) TO: a query of those columns. COPY of a
// query is planned by Plan of that query.
func CopyTo(ctx *Context, stmt *tree.Statement, c *tree.Copy) (*plan.Plan, error) {
	bound, err := bind.CopyTo(ctx.forBind(), stmt, c)
	return finish(ctx, bound, err)
}

// forBind is what of ctx binding may know.
func (ctx *Context) forBind() *query.Context {
	return &query.Context{Catalog: ctx.Catalog, Stored: ctx.Stored, SearchPath: ctx.SearchPath, ParamTypes: ctx.ParamTypes, Values: ctx.Values, Env: ctx.Env, Literals: ctx.Literals}
}

// Known is what of ctx estimates are made of.
func (ctx *Context) Known() estimate.Known {
	return estimate.Known{Estimator: ctx.Estimator, Env: ctx.Env, SkipScan: ctx.Hints.has(hintSkipScan)}
}

// Estimates gives the rows that the nodes of a plan are thought to give: see estimate.Rows.
func Estimates(ctx *Context, p *plan.Plan) map[plan.Node]int64 {
	return estimate.PlanRows(ctx.Known(), p)
}

// Costs gives what the nodes of a plan are thought to cost, in the time that it takes to read a
// row of a scan.
func Costs(ctx *Context, p *plan.Plan) map[plan.Node]explain.Cost {
	c := estimate.Costing{By: ctx.Known(), Seen: map[plan.Node]estimate.NodeCost{}}
	out := map[plan.Node]explain.Cost{}
	var of func(n plan.Node)
	of = func(n plan.Node) {
		cost := c.Node(n)
		out[n] = explain.Cost{Start: cost.Start(), Total: cost.Total}
		for _, in := range n.Inputs() {
			of(in)
		}
	}
	of(p.Root)
	return out
}

// Size is about how many bytes a plan takes.
func Size(p *plan.Plan) int64 { return walk.Size(p.Root) }

// Cost is what running a plan is thought to cost, with values for its parameters.
func Cost(ctx *Context, p *plan.Plan, values []types.Datum) float64 {
	by := ctx.Known()
	if by.Env != nil {
		env := *by.Env
		env.Params = values
		by.Env = &env
	}
	return estimate.Cost(by, p.Root)
}

// finish makes the plan of a bound statement, optimizes and checks it.
func finish(ctx *Context, s *logical.Statement, err error) (*plan.Plan, error) {
	if err != nil {
		return nil, err
	}
	if s, err = norm.Statement(s, norm.Options{Env: ctx.Env, Disabled: ctx.Options.disabled, Fired: ctx.Options.Fired}); err != nil {
		return nil, err
	}
	if err := ctx.canceled(); err != nil {
		return nil, err
	}
	s, choices := physical.Statement(s, ctx.physical())
	if err := ctx.canceled(); err != nil {
		return nil, err
	}
	p, err := lower.Statement(s, choices)
	if err != nil {
		return nil, err
	}
	p.Serial = ctx.Hints.has(hintSerial)
	defer ctx.tellUnusedHints()
	if s.Meta.Relations() > 1 {
		c := *ctx
		c.newParam = s.Meta.NewParam
		ctx = &c
	}
	if p.Root, err = optimize(ctx, p.Root); err != nil {
		return nil, err
	}
	if err := check(p.Root); err != nil {
		return nil, err
	}
	if p.ChangesState {
		p.Root = rowByRow(p.Root)
	}
	return p, nil
}

// canceled is why planning is to end: the statement's time is over, or somebody canceled it.
func (ctx *Context) canceled() error {
	if ctx.Env == nil {
		return nil
	}
	return ctx.Env.Canceled()
}

// physical is what of ctx the order and the kinds of joins are chosen by.
func (ctx *Context) physical() physical.Options {
	return physical.Options{
		Access: &accessPaths{ctx: ctx}, Disabled: ctx.Options.disabled, Fired: ctx.Options.Fired,
		AsWritten: ctx.Hints.has(hintJoinAsWritten), MergeJoins: ctx.Hints.has(hintMergeJoin),
	}
}
