package saltsql

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/storage/txn"
)

// ddl gives what carries out a statement that changes the catalog; nil for any
// other statement.
func (s *Session) ddl(st *tree.Statement) func(context.Context) (tag string, err error) {
	var do func(context.Context) (catalog.Notices, error)
	switch u := st.Utility.(type) {
	case *tree.CreateTable:
		do = func(ctx context.Context) (catalog.Notices, error) { return s.createTable(ctx, u) }
	case *tree.AlterTable:
		do = func(ctx context.Context) (catalog.Notices, error) { return s.alterTable(ctx, u) }
	case *tree.Drop:
		do = func(ctx context.Context) (catalog.Notices, error) { return s.drop(ctx, u) }
	case *tree.Truncate:
		do = func(ctx context.Context) (catalog.Notices, error) {
			return nil, s.truncate(ctx, u)
		}
	case *tree.CreateSchema:
		do = func(ctx context.Context) (catalog.Notices, error) { return s.createSchema(ctx, u) }
	case *tree.AlterSchema:
		do = func(ctx context.Context) (catalog.Notices, error) { return nil, s.alterSchema(ctx, u) }
	case *tree.CreateSequence:
		do = func(ctx context.Context) (catalog.Notices, error) { return s.createSequence(ctx, u) }
	case *tree.Comment:
		do = func(ctx context.Context) (catalog.Notices, error) { return nil, s.comment(ctx, u) }
	default:
		return nil
	}
	return func(ctx context.Context) (string, error) {
		notices, err := do(catalog.WithWaiting(ctx, s.waiting))
		for _, n := range notices {
			s.notice(n)
		}
		return st.Utility.Tag(), err
	}
}

// truncate waits for the transactions of others that hold rows of the tables. Its own holds
// locks at most, of rows that it has not written.
func (s *Session) truncate(ctx context.Context, u *tree.Truncate) error {
	var tables []*catalog.Table
	for _, n := range u.Tables {
		if t, err := s.db.catalog.Snapshot().ResolveTable(s.searchPath(), n.Schema, n.Name); err == nil {
			tables = append(tables, t)
		}
	}
	defer s.db.sizes.emptied(tables)
	if s.tx.t != nil {
		s.tx.t.Unlock(txn.Mark{})
	}
	ctx = txn.WithLockTimeout(ctx, s.durationSetting("lock_timeout"))
	err := s.db.catalog.TruncateTable(ctx, s.catalogNames(u.Tables), u.RestartIdentity)
	return s.db.storageError(ctx, err)
}

func (s *Session) catalogNames(list []tree.Name) []catalog.Name {
	out := make([]catalog.Name, len(list))
	for i, n := range list {
		out[i] = s.catalogName(n)
	}
	return out
}

func (s *Session) createTable(ctx context.Context, u *tree.CreateTable) (catalog.Notices, error) {
	def, err := s.tableDef(u)
	if err != nil {
		return nil, err
	}
	if def.Splits, err = s.splitPoints(u, def); err != nil {
		return nil, err
	}
	_, notices, err := s.db.catalog.CreateTable(ctx, def, u.IfNotExists)
	return notices, err
}

// splitPoints evaluates SPLIT ON: each point gives leading key columns.
func (s *Session) splitPoints(u *tree.CreateTable, def *catalog.TableDef) ([][]types.Datum, error) {
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
			d, err := s.constant(&row[i], t)
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

// constant evaluates an expression without columns as a value of type t.
func (s *Session) constant(e *tree.SourceExpr, t types.T) (types.Datum, error) {
	return planner.EvalConstant(s.ddlContext(), e, t)
}

// ddlContext is what binding the expressions of a DDL statement may know.
func (s *Session) ddlContext() *planner.Context {
	return s.plannerContext(s.db.catalog.Snapshot(), nil, false)
}

func (s *Session) drop(ctx context.Context, u *tree.Drop) (catalog.Notices, error) {
	names := s.catalogNames(u.Names)
	switch u.Object {
	case "table":
		return s.db.catalog.DropTable(ctx, names, u.IfExists, u.Cascade)
	case "sequence":
		return s.db.catalog.DropSequence(ctx, names, u.IfExists, u.Cascade)
	case "view":
		return s.db.catalog.DropView(ctx, names, u.IfExists, u.Cascade)
	case "schema":
		var list []string
		for _, n := range u.Names {
			list = append(list, n.Name)
		}
		return s.db.catalog.DropSchema(ctx, list, u.IfExists, u.Cascade)
	}
	if u.IfExists && len(u.Names) > 0 {
		return catalog.Notices{sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s %q does not exist, skipping", u.Object, u.Names[0].Name)}, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "%s %q does not exist", u.Object, u.Names[0].Name).At(u.Names[0].Pos)
}

func (s *Session) createSchema(ctx context.Context, u *tree.CreateSchema) (catalog.Notices, error) {
	if len(u.Elements) > 0 {
		return nil, unsupportedAt(u.Pos, "Create the schema first, then its tables.", "CREATE SCHEMA with elements is not supported")
	}
	name := u.Name
	if name == "" {
		name = u.Owner
	}
	return s.db.catalog.CreateSchema(ctx, name, u.IfNotExists)
}

func (s *Session) alterSchema(ctx context.Context, u *tree.AlterSchema) error {
	if u.NewName == "" {
		return unsupportedAt(u.Pos, "There are no owners: leave it out.", "ALTER SCHEMA … OWNER TO is not supported")
	}
	return s.db.catalog.RenameSchema(ctx, u.Name, u.NewName)
}

func (s *Session) comment(ctx context.Context, u *tree.Comment) error {
	text := u.Text
	if u.IsNull {
		text = ""
	}
	switch u.Object {
	case "schema":
		return s.db.catalog.CommentOnSchema(ctx, u.Name.Name, text)
	case "table", "view", "sequence", "column":
		return s.db.catalog.CommentOn(ctx, u.Object, s.catalogName(u.Name), u.Column, text)
	}
	return unsupportedAt(u.Pos, "Comments are kept on schemas, tables, views, sequences and columns.", "COMMENT ON %s is not supported", u.Object)
}

// tableNamed finds a table that a statement names, and the catalog that has it.
func (s *Session) tableNamed(ctx context.Context, n tree.Name) (t *catalog.Table, snap *catalog.Snapshot, err error) {
	err = s.lookup(ctx, time.Now(), func() (version uint64, err error) {
		snap = s.db.catalog.Snapshot()
		t, err = snap.ResolveTable(s.searchPath(), n.Schema, n.Name)
		return snap.Version(), err
	})
	return t, snap, err
}

func (s *Session) showCreateTable(ctx context.Context, u *tree.ShowCreateTable) ([][]string, error) {
	t, snap, err := s.tableNamed(ctx, u.Name)
	if err != nil {
		return nil, at(err, u.Name.Pos)
	}
	return [][]string{{t.Name, snap.ShowCreateTable(t)}}, nil
}
