package ddl

import (
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// Host is what DDL asks of the session that runs it.
type Host interface {
	// SearchPath gives the schemas to look in, in order.
	SearchPath() []string
	// Within looks in a schema before all others, until leave is called.
	Within(schema string) (leave func())
	// Setting gives a run-time parameter.
	Setting(name string) string
	// Planner is what binding the expressions of a statement may know.
	Planner() *planner.Context
	// Lookup calls find, which looks for names in the newest snapshot and tells its
	// version; again where another server may have made since what it does not find.
	Lookup(ctx context.Context, find func() (version uint64, err error)) error
	// BackendPID is the session's, by which others see what it waits for.
	BackendPID() int
	// CopyRows writes the rows of a table into another, whose columns are among its own, of
	// other types perhaps; using gives those that are made by an expression, by name.
	CopyRows(ctx context.Context, from, to *catalog.Table, using map[string]*tree.SourceExpr) error
	// FillView writes the rows of a materialized view's query into to, a copy of it, for what
	// its owner may read, and gives their number: 42501, 55000 where one that it reads is not populated.
	FillView(ctx context.Context, to *catalog.Table) (int64, error)
	// AnyRow says whether a query gives a row.
	AnyRow(ctx context.Context, p *plan.Plan) (bool, error)
	// BeforeTruncate gives up what would make TRUNCATE wait for the session itself, and
	// gives the context to wait with.
	BeforeTruncate(ctx context.Context) context.Context
	// Truncated is called when tables may have lost all their rows.
	Truncated(tables []*catalog.Table)
	// Actor is whom the statement acts for.
	Actor() Actor
	// Timestamp reads a text as a time with its zone, in µs since the Unix epoch.
	Timestamp(text string) (int64, error)
	// MaySet says that a parameter is not the user's to set: 42501.
	MaySet(name string) error
	// CheckSetting gives the value that SET would keep.
	CheckSetting(u *tree.Set) (name, value string, err error)
	// StorageError words an error of the store as PostgreSQL would.
	StorageError(ctx context.Context, err error) error
}

// Actor is the user of a session. Where there are no roles, one that no role is named after
// acts as the bootstrap role, under a name of its own.
type Actor struct {
	Current, Session         uint32 // roles
	CurrentName, SessionName string
	Database                 string
}

// Runner carries out statements that change the catalog.
type Runner struct {
	Catalog *live.Catalog
	Host    Host
	// Temp, where set, is the schema of temporary tables, which are what Catalog has.
	Temp string
}

// Statement gives what carries out a statement that changes the catalog; nil for any
// other statement.
func (r *Runner) Statement(u tree.Utility) func(context.Context) (catalog.Notices, error) {
	switch u := u.(type) {
	case *tree.CreateTable:
		return func(ctx context.Context) (catalog.Notices, error) { return r.createTable(ctx, u) }
	case *tree.CreateIndex:
		return func(ctx context.Context) (catalog.Notices, error) { return r.createIndex(ctx, u) }
	case *tree.AttachTable:
		return func(ctx context.Context) (catalog.Notices, error) { return r.attachTable(ctx, u) }
	case *tree.DetachTable:
		return func(ctx context.Context) (catalog.Notices, error) {
			return r.Catalog.DetachTable(ctx, r.catalogNames(u.Names), u.IfExists, u.Cascade)
		}
	case *tree.AlterTable:
		return func(ctx context.Context) (catalog.Notices, error) { return r.alterTable(ctx, u) }
	case *tree.Drop:
		return func(ctx context.Context) (catalog.Notices, error) { return r.drop(ctx, u) }
	case *tree.Truncate:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.truncate(ctx, u) }
	case *tree.Refresh:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.refresh(ctx, u) }
	case *tree.CreateSchema:
		return func(ctx context.Context) (catalog.Notices, error) { return r.createSchema(ctx, u) }
	case *tree.AlterSchema:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.alterSchema(ctx, u) }
	case *tree.CreateSequence:
		return func(ctx context.Context) (catalog.Notices, error) { return r.createSequence(ctx, u) }
	case *tree.CreateView:
		return func(ctx context.Context) (catalog.Notices, error) { return r.createView(ctx, u) }
	case *tree.CreateEnum:
		return func(ctx context.Context) (catalog.Notices, error) {
			return nil, r.Catalog.CreateEnum(ctx, r.catalogName(u.Name), u.Labels)
		}
	case *tree.CreateDomain:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.createDomain(ctx, u) }
	case *tree.AlterDomain:
		return func(ctx context.Context) (catalog.Notices, error) { return r.alterDomain(ctx, u) }
	case *tree.AlterUserType:
		return func(ctx context.Context) (catalog.Notices, error) { return r.alterUserType(ctx, u) }
	case *tree.CreateRole:
		return func(ctx context.Context) (catalog.Notices, error) { return r.createRole(ctx, u) }
	case *tree.AlterRole:
		return func(ctx context.Context) (catalog.Notices, error) { return r.alterRole(ctx, u) }
	case *tree.AlterRoleSet:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.alterRoleSet(ctx, u) }
	case *tree.AlterSystem:
		return func(ctx context.Context) (catalog.Notices, error) { return r.alterSystem(ctx, u) }
	case *tree.RenameRole:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.renameRole(ctx, u) }
	case *tree.DropRole:
		return func(ctx context.Context) (catalog.Notices, error) { return r.dropRole(ctx, u) }
	case *tree.GrantRole:
		return func(ctx context.Context) (catalog.Notices, error) { return r.grantRole(ctx, u) }
	case *tree.Grant:
		return func(ctx context.Context) (catalog.Notices, error) { return r.grant(ctx, u) }
	case *tree.AlterDefaultPrivileges:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.defaultPrivileges(ctx, u) }
	case *tree.ReassignOwned:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.reassign(ctx, u) }
	case *tree.DropOwned:
		return func(ctx context.Context) (catalog.Notices, error) { return r.dropOwned(ctx, u) }
	case *tree.CreateExtension:
		return func(context.Context) (catalog.Notices, error) { return createExtension(u) }
	case *tree.Comment:
		return func(ctx context.Context) (catalog.Notices, error) { return nil, r.comment(ctx, u) }
	}
	return nil
}

func (r *Runner) truncate(ctx context.Context, u *tree.Truncate) error {
	var tables []*catalog.Table
	for _, n := range u.Tables {
		if t, err := r.Catalog.Seen().ResolveTable(r.Host.SearchPath(), n.Schema, n.Name); err == nil {
			tables = append(tables, t)
		}
	}
	defer r.Host.Truncated(tables)
	err := r.Catalog.TruncateTable(r.Host.BeforeTruncate(ctx), r.catalogNames(u.Tables), u.RestartIdentity)
	return r.Host.StorageError(ctx, err)
}

func (r *Runner) catalogNames(list []tree.Name) []catalog.Name {
	out := make([]catalog.Name, len(list))
	for i, n := range list {
		out[i] = r.catalogName(n)
	}
	return out
}

func (r *Runner) createTable(ctx context.Context, u *tree.CreateTable) (catalog.Notices, error) {
	_, notices, err := r.CreateTableOf(ctx, u)
	return notices, err
}

// CreateTableOf is CREATE TABLE, and gives the table.
func (r *Runner) CreateTableOf(ctx context.Context, u *tree.CreateTable) (*catalog.Table, catalog.Notices, error) {
	return r.createStored(ctx, u, nil)
}

// createStored makes a table, or where of is given a materialized view.
func (r *Runner) createStored(ctx context.Context, u *tree.CreateTable, of *catalog.Materialized) (*catalog.Table, catalog.Notices, error) {
	for i := range u.Columns {
		if c := &u.Columns[i]; c.HasQualifier || c.Number > 0 {
			return nil, nil, unsupportedAt(c.Pos, "Leave it out: a new table numbers its columns itself.", "a qualifier is for ATTACH TABLE")
		}
	}
	if r.Temp == "" && of == nil { // asked before what LIKE and types name is, and where the table is there
		if err := r.Catalog.MayCreate(ctx, r.catalogName(u.Name)); err != nil {
			return nil, nil, at(err, u.Name.Pos)
		}
	}
	if u.IfNotExists { // what is said of it is not looked at where it is there
		if rel, notices := r.Catalog.Existing(ctx, r.catalogName(u.Name)); rel != nil {
			t, _ := rel.(*catalog.Table)
			return t, notices, nil
		}
	}
	def, err := r.tableDef(u, r.columnType)
	if err != nil {
		return nil, nil, err
	}
	def.Materialized = of
	switch {
	case len(def.PrimaryKey) > 0, of != nil:
	case r.Temp != "":
		// Nobody else writes it: there is nothing to spread.
		if !hasOption(def.Options, "SALT_BUCKETS") {
			def.Options = append(def.Options, catalog.OptionDef{Name: "SALT_BUCKETS", Value: "0", HasValue: true})
		}
	case r.Host.Setting("saltsql.require_primary_key") == "on":
		return nil, nil, sqlerr.New(sqlerr.InvalidTableDefinition, `table "%s" has no primary key`, u.Name.Name).
			WithDetail("saltsql.require_primary_key is on.").
			WithHint("Rows are stored by their primary key: mark a column PRIMARY KEY, or add CONSTRAINT pk PRIMARY KEY (a, b DESC).").At(u.Name.Pos)
	}
	if r.Host.Setting("saltsql.default_transactional") == "on" && of == nil && r.Temp == "" && !hasOption(def.Options, "TRANSACTIONAL", "VERSIONS") {
		def.Options = append(def.Options, catalog.OptionDef{Name: "TRANSACTIONAL", Value: "true", HasValue: true})
	}
	if def.Splits, err = r.splitPoints(u, def); err != nil {
		return nil, nil, err
	}
	return r.Catalog.CreateTable(ctx, def, u.IfNotExists)
}

// hasOption says that options have one of these names, in any case.
func hasOption(options []catalog.OptionDef, any ...string) bool {
	return slices.ContainsFunc(options, func(o catalog.OptionDef) bool {
		return slices.ContainsFunc(any, func(name string) bool { return strings.EqualFold(o.Name, name) })
	})
}

// splitPoints evaluates SPLIT ON: each point gives leading key columns.
func (r *Runner) splitPoints(u *tree.CreateTable, def *catalog.TableDef) ([][]types.Datum, error) {
	var out [][]types.Datum
	for _, row := range u.SplitOn {
		if len(row) > len(def.PrimaryKey) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "a split point has %d values, the primary key has %d columns", len(row), len(def.PrimaryKey)).At(row[0].Pos)
		}
		point := make([]types.Datum, len(row))
		for i := range row {
			t, ok := def.TypeOf(def.PrimaryKey[i].Name)
			if !ok {
				break // CreateTable reports the key column that does not exist
			}
			d, err := planner.EvalConstant(r.Host.Planner(), &row[i], t)
			if err != nil {
				return nil, err
			}
			if d.Null {
				return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "a split point cannot be NULL").At(row[i].Pos)
			}
			point[i] = d
		}
		out = append(out, point)
	}
	return out, nil
}

func (r *Runner) drop(ctx context.Context, u *tree.Drop) (catalog.Notices, error) {
	names := r.catalogNames(u.Names)
	switch u.Object {
	case "table":
		return r.Catalog.DropTable(ctx, names, u.IfExists, u.Cascade)
	case "index":
		switch {
		case u.Concurrently && len(names) > 1:
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "DROP INDEX CONCURRENTLY does not support dropping multiple objects")
		case u.Concurrently && u.Cascade:
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "DROP INDEX CONCURRENTLY does not support CASCADE")
		}
		return r.Catalog.DropIndex(ctx, names, u.IfExists, u.Cascade)
	case "sequence":
		return r.Catalog.DropSequence(ctx, names, u.IfExists, u.Cascade)
	case "materialized view":
		return r.Catalog.DropMaterialized(ctx, names, u.IfExists, u.Cascade)
	case "view":
		return r.Catalog.DropView(ctx, names, u.IfExists, u.Cascade)
	case "type", "domain":
		return r.Catalog.DropType(ctx, names, u.Object == "domain", u.IfExists, u.Cascade)
	case "schema":
		var list []string
		for _, n := range u.Names {
			list = append(list, n.Name)
		}
		return r.Catalog.DropSchema(ctx, list, u.IfExists, u.Cascade)
	}
	var notices catalog.Notices
	for _, n := range u.Names {
		if u.Object == "extension" && catalog.ExtensionNamed(n.Name) != nil {
			continue
		}
		if !u.IfExists {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "%s %q does not exist", u.Object, n.Name).At(n.Pos)
		}
		notices = append(notices, sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s %q does not exist, skipping", u.Object, n.Name))
	}
	if u.Object == "extension" {
		return notices, mayDropExtensions(u.Names)
	}
	return notices, nil
}

func (r *Runner) createSchema(ctx context.Context, u *tree.CreateSchema) (catalog.Notices, error) {
	name, owner := u.Name, uint32(0)
	if u.Owner != nil {
		var err error
		if owner, err = r.Role(*u.Owner); err != nil {
			return nil, err
		}
		if name == "" {
			name = r.nameOf(*u.Owner)
		}
	}
	elements, err := elementsOf(u, name)
	if err != nil {
		return nil, err
	}
	notices, err := r.Catalog.CreateSchema(ctx, name, owner, u.IfNotExists)
	if err != nil || len(elements) == 0 {
		return notices, err
	}
	more, err := r.createElements(ctx, name, owner, elements)
	return append(notices, more...), err
}

func (r *Runner) alterSchema(ctx context.Context, u *tree.AlterSchema) error {
	if u.Owner != nil {
		owner, err := r.Role(*u.Owner)
		if err != nil {
			return err
		}
		return r.Catalog.ChangeSchemaOwner(ctx, u.Name, owner)
	}
	return r.Catalog.RenameSchema(ctx, u.Name, u.NewName)
}

func (r *Runner) comment(ctx context.Context, u *tree.Comment) error {
	text := u.Text
	if u.IsNull {
		text = ""
	}
	switch u.Object {
	case "schema":
		return r.Catalog.CommentOnSchema(ctx, u.Name.Name, text)
	case "type", "domain":
		return r.Catalog.CommentOnType(ctx, r.catalogName(u.Name), text, u.Object == "domain")
	case "role":
		return r.Catalog.CommentOnRole(ctx, u.Name.Name, text)
	case "table", "view", "materialized view", "sequence", "column":
		return r.Catalog.CommentOn(ctx, u.Object, r.catalogName(u.Name), u.Column, text)
	case "index":
		return r.Catalog.CommentOnIndex(ctx, r.catalogName(u.Name), text)
	case "extension":
		return commentOnExtension(u, text)
	case "constraint":
		if u.Detail == "domain" {
			return r.Catalog.CommentOnDomainConstraint(ctx, r.catalogName(u.Name), u.Column, text)
		}
		return r.Catalog.CommentOnConstraint(ctx, r.catalogName(u.Name), u.Column, text)
	}
	return unsupportedAt(u.Pos, "Comments are kept on schemas, roles, types, domains, tables, views, sequences, columns, indexes and constraints.", "COMMENT ON %s is not supported", u.Object)
}

// tableNamed finds a table that a statement names, and the catalog that has it.
func (r *Runner) tableNamed(ctx context.Context, n tree.Name) (t *catalog.Table, snap *catalog.Snapshot, err error) {
	err = r.Host.Lookup(ctx, func() (version uint64, err error) {
		snap = r.Catalog.Seen()
		if err := snap.MayLookInto(catalog.ActorOf(ctx).By, n.Schema); err != nil {
			return snap.Version(), err
		}
		t, err = snap.ResolveTable(r.Host.SearchPath(), n.Schema, n.Name)
		return snap.Version(), err
	})
	return t, snap, err
}

// ShowCreateTable gives a table's name and the statements that make it.
func (r *Runner) ShowCreateTable(ctx context.Context, u *tree.ShowCreateTable) ([][]string, error) {
	t, snap, err := r.tableNamed(ctx, u.Name)
	if err != nil {
		return nil, at(err, u.Name.Pos)
	}
	if t.Materialized != nil {
		return nil, catalog.WrongKind(t, "table").WithHint("SELECT pg_get_viewdef('%s') gives its query.", catalog.QualifiedName(t.Schema, t.Name)).At(u.Name.Pos)
	}
	return [][]string{{t.Name, pgcatalog.ShowCreateTable(snap, t)}}, nil
}
