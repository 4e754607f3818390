package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// beforeDDL refuses DDL where it would pretend to be part of a transaction: 25001 for what
// changes, or may change, how rows which the block holds are written, and, where the block
// has written, for all under REPEATABLE READ.
func (s *Session) beforeDDL(u tree.Utility) error {
	tag := u.Tag()
	if s.tx.readOnly(s) {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", tag)
	}
	if s.tx.t == nil || !s.tx.t.Written() {
		s.tx.tables = nil // statements that changed no row hold none by what a table was
		return nil
	}
	const hint = "Tables change outside of transactions here: COMMIT first."
	// A snapshot of the store does not have the storage of tables made since.
	iso := s.tx.isolation(s)
	if !ddl.ChangesNamed(u) || iso == "repeatable read" || iso == "serializable" {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot run inside a transaction block that has written", tag).WithHint(hint)
	}
	if ddl.KeepsRows(u) {
		return nil
	}
	for _, n := range ddl.Changed(u) {
		if t := s.writtenTable(n); t != nil {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, `%s cannot run inside a transaction block that has written table "%s"`, tag, t.Name).WithHint(hint)
		}
	}
	return nil
}

// writtenTable gives the table of a name, or the one whose index has it, if the block has
// written its rows.
func (s *Session) writtenTable(n tree.Name) *catalog.Table {
	snap := s.snapshot()
	t, err := snap.ResolveTable(s.searchPath(), n.Schema, n.Name)
	if err != nil {
		if t, _ = snap.IndexNamed(catalog.Name{Schema: n.Schema, Name: n.Name, Path: s.searchPath()}); t == nil {
			return nil
		}
	}
	return s.wroteTable(t)
}

// wroteTable gives the table if the block has written its rows.
func (s *Session) wroteTable(t *catalog.Table) *catalog.Table {
	if slices.ContainsFunc(s.tx.tables, func(w *catalog.Table) bool { return w.ID == t.ID }) {
		return t
	}
	return nil
}

// beforeDDLOf is beforeDDL; a temporary table or view is made in its transaction, and what changes
// nothing is part of any.
func (s *Session) beforeDDLOf(u tree.Utility, temporary bool) error {
	if what := standsAlone(u); what != "" && s.tx.inTransaction() {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", what)
	}
	if (temporary || ddl.ChangesNothing(u)) && !s.tx.readOnly(s) {
		return nil
	}
	return s.beforeDDL(u)
}

// StandsAlone says that the portal's statement cannot be part of a transaction, as VACUUM cannot: it
// may be the first of a pipeline, and is committed by itself.
func (p *Portal) StandsAlone() bool {
	u := p.stmt.st.Utility
	return u != nil && standsAlone(u) != ""
}

// standsAlone names a statement that is no part of a block, as PostgreSQL has it, though those with
// CONCURRENTLY do what the others do; "" for any other.
func standsAlone(u tree.Utility) string {
	concurrently := false
	switch u := u.(type) {
	case *tree.AlterSystem, *tree.Vacuum:
		return u.Tag()
	case *tree.Discard:
		if u.What == "all" {
			return "DISCARD ALL"
		}
	case *tree.Reindex:
		if u.Object != "index" && u.Object != "table" {
			return "REINDEX " + strings.ToUpper(u.Object)
		}
		concurrently = u.Concurrently
	case *tree.CreateIndex:
		concurrently = u.Concurrently
	case *tree.Drop:
		concurrently = u.Concurrently
	}
	if !concurrently {
		return ""
	}
	return u.Tag() + " CONCURRENTLY"
}

// runner gives what carries out DDL for the session.
func (s *Session) runner() *ddl.Runner { return &ddl.Runner{Catalog: s.catalog(), Host: ddlHost{s}} }

// ddl gives what carries out a statement that changes the catalog; nil for any
// other statement.
func (s *Session) ddl(st *tree.Statement) func(context.Context) (tag string, err error) {
	if s.runner().Statement(st.Utility) == nil {
		return nil
	}
	return func(ctx context.Context) (string, error) {
		do, err := s.ddlOf(ctx, st.Utility)
		if err != nil {
			return st.Utility.Tag(), err
		}
		before := s.db.catalog.Snapshot().Version()
		ctx = versions.WithWaiting(catalog.WithTemporaryViews(s.asActor(ctx), s.view.Views()), s.waiting)
		notices, err := do(ctx)
		// What a statement says on another server, once this one has returned, goes by what names mean then.
		if now := s.db.catalog.Snapshot().Version(); err == nil && now != before && !ddl.OnlyMakes(st.Utility) {
			err = s.db.catalog.AwaitServers(ctx, nil, now)
		}
		for _, n := range notices {
			s.notice(n)
		}
		switch st.Utility.(type) {
		case *tree.AlterRole, *tree.DropRole:
			s.db.endBarred()
		case *tree.AlterTable: // and ALTER SEQUENCE
			s.drawn.Altered(ctx, host{s})
		}
		return st.Utility.Tag(), err
	}
}

// ddlHost answers what DDL asks of the session.
type ddlHost struct{ s *Session }

func (h ddlHost) SearchPath() []string { return h.s.searchPath() }

func (h ddlHost) Within(schema string) (leave func()) {
	h.s.making = schema
	return func() { h.s.making = "" }
}

func (h ddlHost) Actor() ddl.Actor {
	i := h.s.identity()
	return ddl.Actor{Current: i.Current.ID, Session: i.Session.ID, CurrentName: i.Current.Name, SessionName: i.Session.Name, Database: h.s.opts.Database}
}

// Timestamp reads a text under the session's settings.
func (h ddlHost) Timestamp(text string) (int64, error) {
	d, err := types.ParseText(types.Of(types.Timestamptz), []byte(text), h.s.IOEnv())
	return d.Int, err
}

func (h ddlHost) MaySet(name string) error { return h.s.maySet(name) }

func (h ddlHost) CheckSetting(u *tree.Set) (name, value string, err error) {
	if err = h.s.maySet(u.Name); err != nil {
		return "", "", err
	}
	if value, err = h.s.setText(u); err != nil {
		return "", "", err
	}
	def := settings.Find(u.Name)
	switch {
	case def == nil && !settings.IsCustom(u.Name) && u.Name != "role":
		return "", "", settings.Unknown(u.Name)
	case def == nil:
		return u.Name, value, nil
	case def.ReadOnly:
		return "", "", def.Refused()
	case def.Check != nil:
		value, err = def.Check(def.Name, value)
	}
	return def.Name, value, err
}

func (h ddlHost) Setting(name string) string {
	v, _ := h.s.Setting(name)
	return v
}

func (h ddlHost) Planner() *planner.Context { return h.s.ddlContext() }

func (h ddlHost) Lookup(ctx context.Context, find func() (version uint64, err error)) error {
	return h.s.lookup(ctx, time.Now(), find)
}

func (h ddlHost) StorageError(ctx context.Context, err error) error {
	return h.s.db.storageError(ctx, err)
}

func (h ddlHost) Truncated(tables []*catalog.Table) { h.s.db.sizes.Emptied(tables) }

// BeforeTruncate: TRUNCATE waits for the transactions of others that hold rows of the
// tables. Its own holds locks at most, of rows that it has not written.
func (h ddlHost) BeforeTruncate(ctx context.Context) context.Context {
	if t := h.s.tx.t; t != nil {
		t.Unlock(txn.Mark{})
	}
	return txn.WithLockTimeout(ctx, h.s.durationSetting("lock_timeout"))
}

func (h ddlHost) AnyRow(ctx context.Context, p *plan.Plan) (any bool, err error) {
	within, err := h.ofDraft(ctx)
	if err != nil {
		return false, err
	}
	err = h.run(ctx, p, within, nil, func(run *exec.Statement) error {
		_, err := run.Next()
		any = err == nil
		return err
	})
	return any, err
}

// CopyRows commits now and then: nobody reads the copy before all of it is there.
func (h ddlHost) CopyRows(ctx context.Context, from, to *catalog.Table, using map[string]*tree.SourceExpr) error {
	p, err := planner.PlanCopy(h.Planner(), from, to, using)
	if err != nil {
		return err
	}
	return h.run(ctx, p, nil, nil, func(run *exec.Statement) error {
		_, err := run.Next()
		return err
	})
}

// run executes a plan of DDL outside of the session's transaction, or within it. Where enter is nil it does
// not ask whether its tables may be written: the DDL has seen to that.
func (h ddlHost) run(ctx context.Context, p *plan.Plan, within *txn.Txn, enter enterFunc, read func(*exec.Statement) error) error {
	s := h.s
	run, err := exec.Prepare(p)
	if err != nil {
		return err
	}
	defer run.Close()
	var txns *txn.Manager
	if within == nil {
		ctx, txns, err = s.lone(ctx, p)
	} else if ctx, err = s.tx.choose(ctx, s, p); err == nil {
		txns = s.txns()
	}
	if err != nil {
		return err
	}
	cx := &op.Context{Ctx: ctx, Txns: txns, Env: s.env(nil), Settings: s.cached().Exec, Notice: s.noticed, World: sessionFuncs{s}, Heat: s.heat, Enter: enter}
	cx.Env.Ctx, cx.Settings.MaxScanRows, cx.Settings.Chunked = ctx, 0, true
	if within != nil {
		cx.Txn, cx.Wrote, cx.Writing, cx.Settings.Chunked = within, s.tx.wrote, s.writing, false
	}
	if err := run.Open(cx); err != nil {
		return err
	}
	if err := read(run); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return run.Close()
}

// enterFunc is op.Context.Enter.
type enterFunc = func(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error)

// tryEnterFunc is op.Context.TryEnter.
type tryEnterFunc = func(ctx context.Context, t *catalog.Table) (context.Context, func(), bool)

func (h ddlHost) BackendPID() int { return int(h.s.opts.BackendPID) }

// ddlContext is what binding the expressions of a DDL statement may know.
func (s *Session) ddlContext() *planner.Context {
	return s.plannerContext(s.snapshot(), nil, false)
}

// constant evaluates an expression without columns as a value of type t.
func (s *Session) constant(e *tree.SourceExpr, t types.T) (types.Datum, error) {
	return planner.EvalConstant(s.ddlContext(), e, t)
}
