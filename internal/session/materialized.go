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
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

// createMaterialized makes a materialized view of a query's columns, and unless WITH NO DATA is
// said refreshes it: what fails leaves none.
func (s *Session) createMaterialized(ctx context.Context, u *tree.CreateTableAs) (tag string, err error) {
	tag = u.Tag()
	switch {
	case u.Unlogged:
		return tag, sqlerr.New(sqlerr.FeatureNotSupported, "materialized views cannot be unlogged")
	case u.Query.NumParams > 0:
		return tag, sqlerr.New(sqlerr.FeatureNotSupported, "materialized views may not be defined using bound parameters").WithHint("Write their values.")
	case writesInWith(u.Query):
		return tag, sqlerr.New(sqlerr.FeatureNotSupported, "materialized views must not use data-modifying statements in WITH")
	case s.makesTemporary(u):
		return tag, sqlerr.Unsupported("temporary materialized views are not supported", "CREATE TEMPORARY TABLE … AS has the rows for the session.").At(u.Name.Pos)
	}
	if err := s.beforeDDL(u); err != nil {
		return tag, err
	}
	source := &Stmt{st: u.Query}
	if err := s.planStmt(ctx, source); err != nil {
		return tag, err
	}
	def, err := tableOfQuery(u, source.cols)
	if err != nil {
		return tag, err
	}
	r := s.runner()
	of, err := r.BindMaterialized(u)
	if err != nil {
		return tag, err
	}
	if !u.NoData {
		if err := s.mayRun(source); err != nil {
			return tag, err
		}
	}
	ctx = versions.WithWaiting(s.asActor(ctx), s.waiting)
	t, notices, err := r.CreateMaterialized(ctx, def, of)
	if there, err := s.alreadyThere(u, notices, err); there || err != nil {
		return tag, err
	}
	s.tx.changedTables(tag)
	if u.NoData {
		return tag, nil
	}
	name := tree.Name{Schema: t.Schema, Name: t.Name}
	rows, err := r.Refresh(ctx, &tree.Refresh{Name: name})
	if err != nil {
		drop, cancel := versions.Detached(ctx, dropWithin)
		defer cancel()
		if _, err := s.db.catalog.DropMaterialized(drop, []catalog.Name{{Schema: t.Schema, Name: t.Name}}, true, false); err != nil {
			s.db.opts.Logger.Warn("a materialized view that could not be filled was not dropped", "view", t.Name, "err", err)
		}
		return tag, err
	}
	return "SELECT " + strconv.FormatInt(rows, 10), nil
}

// writesInWith says that a WITH of a query has INSERT, UPDATE or DELETE.
func writesInWith(st *tree.Statement) bool {
	q, ok := st.DML.(tree.Query)
	if !ok || q.Outer().With == nil {
		return false
	}
	return slices.ContainsFunc(q.Outer().With.CTEs, func(c tree.CTE) bool { return c.Writes != nil })
}

// FillView writes the rows of a materialized view's query, which is read for what its owner may
// read.
func (h ddlHost) FillView(ctx context.Context, to *catalog.Table) (rows int64, err error) {
	p, err := planner.PlanFill(h.Planner(), to)
	if err != nil {
		return 0, err
	}
	snap := h.s.snapshot()
	for _, r := range p.Rights {
		rel := snap.ByID(r.Relation)
		if rel == nil || r.Relation == to.ID {
			continue
		}
		role := r.As
		if role == 0 {
			role = to.Owner
		}
		if !r.Held(snap, role, rel) {
			return 0, catalog.Denied(rel.RelKind(), rel.RelName())
		}
	}
	if err := populated(p, to); err != nil {
		return 0, err
	}
	for _, t := range p.Tables {
		if held := h.s.wroteTable(t); held != nil {
			return 0, sqlerr.New(sqlerr.ActiveSQLTransaction, `a materialized view cannot read table "%s", which the transaction block has written`, held.Name).
				WithHint("Tables change outside of transactions here: COMMIT first.")
		}
	}
	err = h.run(ctx, p, nil, nil, func(run *exec.Statement) error {
		_, err := run.Next()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		rows = run.RowsAffected()
		return err
	})
	return rows, err
}
