package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// createTableAs is CREATE TABLE AS and CREATE MATERIALIZED VIEW. They stand outside of the session's
// transaction, unless the table is temporary or of the block's draft. What fails leaves no table.
func (s *Session) createTableAs(ctx context.Context, u *tree.CreateTableAs) (tag string, err error) {
	tag = u.Tag()
	temporary, drafted := s.makesTemporary(u), s.tx.drafting
	if err := ddl.CheckTableAs(u, temporary); err != nil {
		return tag, err
	}
	if !drafted {
		if err := s.beforeDDLOf(u, temporary); err != nil {
			return tag, err
		}
	}
	source := &Stmt{st: u.Query}
	if err := s.planStmt(ctx, source); err != nil {
		return tag, err
	}
	taken := func() (string, error) {
		s.notice(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, u.Name.Name))
		return tag, nil
	}
	if u.IfNotExists && !temporary && s.isTaken(u.Name) { // no rights are asked for, as in PostgreSQL
		return taken()
	}
	if !u.Materialized {
		if err := s.mayRun(source); err != nil {
			return tag, err
		}
		if err := s.notWritten(source.plan, tag); err != nil && !temporary && !drafted {
			return tag, err
		}
	}
	h, r := ddlHost{s}, s.runner()
	def, of, err := r.TableOfQuery(u, source.plan.Columns)
	if err != nil {
		return tag, err
	}
	if u.Materialized && !u.NoData {
		if err := s.mayRun(source); err != nil {
			return tag, err
		}
	}
	var t *catalog.Table
	var notices catalog.Notices
	within := versions.WithWaiting(s.asActor(ctx), s.waiting)
	if temporary {
		if t, notices, err = s.createTemporary(within, def); err == nil {
			r = s.tempRunner()
		}
	} else {
		t, notices, err = r.CreateOfQuery(within, def, of)
	}
	for _, n := range notices {
		s.notice(n)
	}
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.DuplicateTable && u.IfNotExists {
		return taken()
	}
	if err != nil {
		return tag, err
	}
	if !temporary && !drafted {
		s.tx.changedTables(tag)
	}
	if u.NoData {
		return tag, nil
	}
	var rows int64
	switch {
	case u.Materialized && drafted:
		if rows, err = h.fillView(ctx, t); err == nil {
			err = s.tx.draft.catalog.Populate(within, t.ID)
		}
	case u.Materialized:
		ctx = within
		rows, err = r.Refresh(ctx, &tree.Refresh{Name: tree.Name{Schema: t.Schema, Name: t.Name}})
	default:
		rows, err = h.fillTable(ctx, r, t, u.Query)
	}
	if err != nil && drafted {
		return tag, err // the draft goes back to what it was
	}
	if err != nil {
		if err := r.DropUnfilled(ctx, t); err != nil {
			s.db.opts.Logger.Warn("a "+t.RelKind()+" that could not be filled was not dropped", "table", t.Name, "err", err)
		}
		return tag, err
	}
	return "SELECT " + strconv.FormatInt(rows, 10), nil
}

// isTaken says that a relation has the name that something lasting is to be made by.
func (s *Session) isTaken(n tree.Name) bool {
	snap := s.snapshot()
	schema, err := snap.CreationSchema(catalog.Name{Schema: n.Schema, Name: n.Name, Path: s.searchPath()})
	return err == nil && snap.Relation(schema, n.Name) != nil
}

// notWritten refuses DDL that reads a table whose rows the block has written: it reads outside of
// the block.
func (s *Session) notWritten(p *plan.Plan, what string) error {
	for _, t := range p.Tables {
		if held := s.wroteTable(t); held != nil {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, `%s cannot read table "%s", which the transaction block has written`, what, held.Name).
				WithHint("Tables change outside of transactions here: COMMIT first.")
		}
	}
	return nil
}

// fillTable writes a query's rows into a new table.
func (h ddlHost) fillTable(ctx context.Context, r *ddl.Runner, t *catalog.Table, st *tree.Statement) (rows int64, err error) {
	p, err := r.PlanRows(t, st)
	if err != nil {
		return 0, err
	}
	within, err := h.filling(ctx, p, t)
	if err != nil {
		return 0, err
	}
	return h.fill(ctx, p, within, h.s.entering)
}

// filling gives the transaction in which a new table gets the rows that p writes; nil is one of its
// own. The block's, which holds them in memory, is for temporary tables and for what reads rows that
// the block has written: a table of its draft nobody else sees, and what is in it goes with it.
func (h ddlHost) filling(ctx context.Context, p *plan.Plan, t *catalog.Table) (*txn.Txn, error) {
	own := func(t *catalog.Table) bool { return catalog.IsTemporary(t) || h.s.wroteTable(t) != nil }
	if h.s.view.Mine(t) && slices.ContainsFunc(p.Tables, own) {
		return h.s.tx.txn(ctx, h.s)
	}
	return nil, nil
}

// FillView writes the rows of a materialized view's query into the copy that a REFRESH makes.
func (h ddlHost) FillView(ctx context.Context, to *catalog.Table) (rows int64, err error) {
	p, err := h.planView(to)
	if err == nil {
		err = h.s.notWritten(p, "a materialized view")
	}
	if err != nil {
		return 0, err
	}
	return h.fill(ctx, p, nil, nil)
}

// fillView is FillView of one that is new in the block's draft.
func (h ddlHost) fillView(ctx context.Context, t *catalog.Table) (rows int64, err error) {
	p, err := h.planView(t)
	if err != nil {
		return 0, err
	}
	within, err := h.filling(ctx, p, t)
	if err != nil {
		return 0, err
	}
	return h.fill(ctx, p, within, nil)
}

// planView plans a materialized view's query, which is read for what its owner may read.
func (h ddlHost) planView(to *catalog.Table) (*plan.Plan, error) {
	p, err := planner.PlanFill(h.Planner(), to)
	if err != nil {
		return nil, err
	}
	if err := identity.MayFill(h.s.snapshot(), p, to); err != nil {
		return nil, err
	}
	return p, populated(p, to)
}

// fill runs a plan that writes rows, and gives their number.
func (h ddlHost) fill(ctx context.Context, p *plan.Plan, within *txn.Txn, enter enterFunc) (rows int64, err error) {
	err = h.run(ctx, p, within, enter, func(run *exec.Statement) error {
		_, err := run.Next()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		rows = run.RowsAffected()
		return err
	})
	return rows, err
}
