package query

import (
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Catalog is what names mean; *catalog.Snapshot is one.
type Catalog interface {
	// Resolve finds a relation in schema, or where that is empty in the
	// schemas of searchPath in order: 42P01 if there is none.
	Resolve(searchPath []string, schema, name string) (catalog.Relation, error)
	// ByID finds a relation; nil if there is none. Member finds types of users too.
	ByID(id uint32) catalog.Relation
	Member(id uint32) catalog.Relation
	// UserType finds a type that users made, or the arrays of it: 42704.
	UserType(n catalog.Name, array bool) (types.T, error)
}

// Context is what binding one statement may know.
type Context struct {
	Catalog Catalog
	// Stored is what names mean in stored texts, such as a view's: whoever made them had the
	// right to name what they name. nil is Catalog.
	Stored     Catalog
	SearchPath []string
	// ParamTypes are the types the client declared; Unknown, or too short a list, means: infer.
	ParamTypes []types.T
	// Values are those of the parameters, of whose types ParamTypes has all, where the plan is
	// for these alone: they are bound as constants. nil is a plan for any.
	Values []types.Datum
	// Env evaluates the constants that are kept; nil leaves them to run time.
	Env *expr.Env
	// Literals are the settings by which literals of the text are read; nil leaves those that
	// depend on settings to run time.
	Literals *types.IOEnv
}

// Binder binds one statement.
type Binder struct {
	*shared
	Ctx *Context
	// stored says that the text being bound is not the user's but a stored one (a view, a
	// DEFAULT, a CHECK): its positions mean nothing to the user and it has no parameters.
	stored bool
	ctes   []*cte
	nested int      // how many queries stand around what is bound
	views  []uint32 // being expanded, outermost first
	// banned is why a recursive query cannot be named here: "within a subquery".
	banned string
	inside *cte   // that is being bound
	as     uint32 // the role whose rights count: the owner of the view that is being expanded
}

// shared is what the texts of one statement have in common.
type shared struct {
	Params  *expr.ParamTypes
	Capture *Capture // nil but for a view's query
	Meta    *logical.Meta
	tables  []*catalog.Table
	rights  []*plan.Privilege
	// viewRights are those of rights that are of views, by the node that gives a view's rows.
	viewRights map[logical.Node][]*plan.Privilege
	expand     expansion
	ctids      map[*catalog.Table]*expr.Func // of SELECT ctid
	sequences  []sequenceUse
	// Inlined are the WITH queries that take the place of their names, by ID.
	Inlined map[int]logical.Node
	// TopWith is the statement's own WITH clause, whose queries may write; writes: one does.
	TopWith *tree.With
	Writes  bool
	// Write binds a statement that writes, of WITH; nil for another.
	Write func(*Binder, tree.DML) *logical.Statement
}

func NewBinder(ctx *Context, numParams int) *Binder {
	// A parameter below the highest may be used nowhere; it still has a number.
	numParams = max(numParams, len(ctx.ParamTypes))
	b := &struct {
		binder Binder
		shared shared
		meta   logical.Meta
	}{meta: *logical.NewMeta(numParams)}
	b.shared = shared{Params: expr.NewParamTypes(ctx.ParamTypes, numParams), Meta: &b.meta}
	b.binder = Binder{Ctx: ctx, shared: &b.shared}
	return &b.binder
}

// Finish infers what is left of the parameters' types.
func (b *Binder) Finish(s *logical.Statement) *logical.Statement {
	s.ParamTypes = fail.Must(b.Params.Finish())
	s.Tables, s.Meta = b.tables, b.Meta
	b.setRights(s)
	return s
}

// ofStored gives a binder for a stored text, sharing everything but the text.
func (b *Binder) ofStored() *Binder {
	inner := *b
	inner.stored, inner.ctes = true, nil
	return &inner
}

// OfText gives a binder for a stored text under the default settings.
func (b *Binder) OfText() *Binder {
	inner := b.ofStored()
	ctx := *b.Ctx
	if ctx.Stored != nil {
		ctx.Catalog = ctx.Stored
	}
	ctx.SearchPath = []string{catalog.PublicSchema}
	env := expr.Env{}
	if ctx.Env != nil {
		env = *ctx.Env
	}
	env.TimeZone, env.IO, env.SearchPath = time.UTC, types.IOEnv{}, ctx.SearchPath
	ctx.Env = &env
	inner.Ctx = &ctx
	return inner
}

// Pos gives the 1-based position of a node in the user's text; 0 is unknown.
func (b *Binder) Pos(n interface{ Position() int }) int {
	if b.stored || n == nil {
		return 0
	}
	return n.Position()
}

// At is pos for what is no node.
func (b *Binder) At(pos int) int {
	if b.stored {
		return 0
	}
	return pos
}

// Uses records that the plan is good only for this version of t.
func (b *Binder) Uses(t *catalog.Table) {
	if !slices.Contains(b.tables, t) {
		b.tables = append(b.tables, t)
	}
}

// Resolve finds a relation: 42P01 at pos.
func (b *Binder) Resolve(schema, name string, pos int) catalog.Relation {
	rel, err := b.Ctx.Catalog.Resolve(b.Ctx.SearchPath, schema, name)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			e.At(pos)
		}
	}
	fail.If(err)
	return rel
}

// ResolveTarget finds the table or the view that a statement writes: 42809 for another kind
// of relation.
func (b *Binder) ResolveTarget(schema, name string, pos int) catalog.Relation {
	rel := b.Resolve(schema, name, pos)
	switch rel := rel.(type) {
	case *catalog.Table:
		b.Uses(rel)
		return rel
	case *catalog.Virtual:
		panic(sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", rel.Kind, rel.Name).At(pos))
	case *catalog.View:
		return rel
	}
	panic(sqlerr.New(sqlerr.WrongObjectType, `cannot change %s "%s"`, rel.RelKind(), rel.RelName()).At(pos))
}
