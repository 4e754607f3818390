package session

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/storage/txn"
)

// dropWithin is how long a table that could not be filled may take to be dropped.
const dropWithin = 10 * time.Second

// createTableAs makes a table of a query's columns and fills it with its rows: a table without
// a key, unless the option primary_key names one. As all DDL it stands outside of the session's
// transaction, unless the table is temporary. What fails leaves no table.
func (s *Session) createTableAs(ctx context.Context, u *tree.CreateTableAs) (tag string, err error) {
	tag = u.Tag()
	query, ok := u.Query.DML.(tree.Query)
	switch {
	case u.Materialized:
		return s.createMaterialized(ctx, u)
	case !ok:
		return tag, sqlerr.Unsupported("CREATE TABLE AS EXECUTE is not supported", "Write the query itself.").At(u.Name.Pos)
	case u.Query.NumParams > 0:
		return tag, sqlerr.Unsupported("parameters in CREATE TABLE AS are not supported", "Write their values, or CREATE TABLE first and INSERT INTO … SELECT.").At(u.Name.Pos)
	}
	temporary := s.makesTemporary(u)
	if err := s.beforeDDLOf(u, temporary); err != nil {
		return tag, err
	}
	source := &Stmt{st: u.Query}
	if err := s.planStmt(ctx, source); err != nil {
		return tag, err
	}
	if err := s.mayRun(source); err != nil {
		return tag, err
	}
	for _, t := range source.plan.Tables {
		if held := s.wroteTable(t); held != nil && !temporary {
			return tag, sqlerr.New(sqlerr.ActiveSQLTransaction, `%s cannot read table "%s", which the transaction block has written`, tag, held.Name).
				WithHint("Tables change outside of transactions here: COMMIT first.")
		}
	}
	def, err := tableOfQuery(u, source.cols)
	if err != nil {
		return tag, err
	}
	h := ddlHost{s}
	create := s.runner().CreateTableOf
	if temporary {
		create = s.createTemporary
	}
	t, notices, err := create(versions.WithWaiting(s.asActor(ctx), s.waiting), def)
	if there, err := s.alreadyThere(u, notices, err); there || err != nil {
		return tag, err
	}
	if !temporary {
		s.tx.changedTables(tag)
	}
	if u.NoData {
		return tag, nil
	}
	rows, err := h.fill(ctx, t, u.Query, query)
	if err != nil {
		drop, cancel := versions.Detached(ctx, dropWithin)
		defer cancel()
		_, dropped := s.view.Keeper(t.ID).DropTable(drop, []catalog.Name{{Schema: t.Schema, Name: t.Name}}, true, false)
		if dropped != nil {
			s.db.opts.Logger.Warn("a table that could not be filled was not dropped", "table", t.Name, "err", dropped)
		}
		return tag, err
	}
	return "SELECT " + strconv.FormatInt(rows, 10), nil
}

// alreadyThere tells what CREATE … AS has to tell, and says whether IF NOT EXISTS leaves it at what
// is there.
func (s *Session) alreadyThere(u *tree.CreateTableAs, notices catalog.Notices, err error) (bool, error) {
	for _, n := range notices {
		s.notice(n)
	}
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.DuplicateTable && u.IfNotExists {
		s.notice(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, u.Name.Name))
		return true, nil
	}
	return false, err
}

// tableOfQuery is the CREATE TABLE of a query's columns.
func tableOfQuery(u *tree.CreateTableAs, cols []Column) (*tree.CreateTable, error) {
	if len(u.Columns) > len(cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "too many column names were specified")
	}
	def := &tree.CreateTable{
		Name: u.Name, Temp: u.Temp, Unlogged: u.Unlogged, Options: u.Options, OnCommit: u.OnCommit,
		Tablespace: u.Tablespace, Using: u.Using,
	}
	for i, c := range cols {
		name := c.Name
		if i < len(u.Columns) {
			name = u.Columns[i]
		}
		switch {
		case c.Type.Kind == types.Record && c.Type.Shape().Table():
			return nil, sqlerr.Unsupported("a column of a table's row type is not supported", "Select its fields, or to_jsonb of the row.").At(u.Name.Pos)
		case c.Type.Kind == types.Record:
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has pseudo-type %s`, name, c.Type)
		}
		t, err := dialect.ParseTypeName(c.Type.Spelled())
		if err != nil {
			return nil, err
		}
		t.Pos = u.Name.Pos
		def.Columns = append(def.Columns, tree.ColumnDef{Name: name, Type: t, Pos: u.Name.Pos})
	}
	return def, nil
}

// fill writes a query's rows into a new table.
func (h ddlHost) fill(ctx context.Context, t *catalog.Table, st *tree.Statement, query tree.Query) (rows int64, err error) {
	insert := *st
	insert.DML = &tree.Insert{Table: tree.TableRef{Schema: t.Schema, Name: t.Name}, Query: query}
	p, err := planner.Plan(h.Planner(), &insert)
	if err != nil {
		return 0, err
	}
	var within *txn.Txn
	if catalog.IsTemporary(t) {
		if within, err = h.s.tx.txn(ctx, h.s); err != nil {
			return 0, err
		}
	}
	err = h.run(ctx, p, within, h.s.entering, func(run *exec.Statement) error {
		_, err := run.Next()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		rows = run.RowsAffected()
		return err
	})
	return rows, err
}
