package session

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// command runs a statement that is not a query: all at once, giving a tag and
// perhaps rows of text.
type command struct {
	do   func(ctx context.Context) (tag string, rows [][]string, err error)
	cols []Column

	ran  bool
	done string
	rows [][]string
	out  *vec.Batch
}

func (c *command) next(ctx context.Context) (*vec.Batch, error) {
	if !c.ran {
		c.ran = true
		var err error
		if c.done, c.rows, err = c.do(ctx); err != nil {
			return nil, err
		}
	}
	if len(c.rows) == 0 {
		return nil, io.EOF
	}
	n := min(len(c.rows), vec.MaxRows)
	if c.out == nil {
		c.out = &vec.Batch{}
		for _, col := range c.cols {
			c.out.Cols = append(c.out.Cols, vec.New(col.Type))
		}
	}
	c.out.N = n
	for j, v := range c.out.Cols {
		v.Resize(n)
		for i := range n {
			v.Bytes[i] = []byte(c.rows[i][j])
		}
	}
	c.rows = c.rows[n:]
	return c.out, nil
}

func (c *command) tag(int64) string { return c.done }
func (c *command) close() error     { return nil }

func textColumns(names ...string) []Column {
	var cols []Column
	for _, n := range names {
		cols = append(cols, Column{Name: n, Type: types.Of(types.Text)})
	}
	return cols
}

// describeUtility gives a utility statement its columns and parameter types.
func (s *Session) describeUtility(ctx context.Context, st *Stmt) error {
	switch u := st.st.Utility.(type) {
	case *tree.Show:
		if u.All {
			st.cols = textColumns("name", "setting", "description")
			return nil
		}
		name, err := s.showName(u.Name)
		if err != nil {
			return err
		}
		st.cols = textColumns(name)
	case *tree.CheckTable:
		st.cols = textColumns("object", "rows", "missing", "wrong", "stale", "duplicates", "repaired", "sample")
	case *tree.ImportPhoenix:
		st.cols = textColumns(ddl.ImportColumns...)
	case *tree.ShowCreateTable:
		st.cols = textColumns("Table", "Create Table")
	case *tree.Explain:
		return s.describeExplain(ctx, st, u)
	case *tree.Fetch:
		p, err := s.cursor(u.Cursor)
		if err != nil {
			return err
		}
		st.cols = nil
		if !u.Move {
			st.cols = p.cols
		}
	case *tree.Execute:
		inner, _, err := s.executed(u)
		if err != nil {
			return err
		}
		if err := s.refresh(ctx, inner); err != nil {
			return err
		}
		st.cols = inner.cols
	case *tree.DeclareCursor:
		inner := &Stmt{st: u.Query, hints: st.hints}
		if err := s.planStmt(ctx, inner); err != nil {
			return err
		}
		st.params = inner.params
	case *tree.Copy:
		return s.describeCopy(ctx, st, u)
	}
	return nil
}

func (s *Session) showName(name string) (string, error) {
	if def := settings.Find(name); def != nil && !s.unknown(def) {
		return def.Name, s.maySee(name)
	}
	if _, ok := s.Setting(name); ok {
		return name, nil
	}
	return "", settings.Unknown(name)
}

// newUtility makes the runner of a utility statement.
func (s *Session) newUtility(ctx context.Context, p *Portal, params []types.Datum) (runner, error) {
	u := p.stmt.st.Utility
	if do := s.supposing(u); do != nil {
		return &command{do: do}, nil
	}
	if do := s.ddl(p.stmt.st); do != nil {
		return &command{do: func(ctx context.Context) (string, [][]string, error) {
			done, err := s.inDraft(ctx, u, func(ctx context.Context) error {
				run, err := s.ddlOf(ctx, u)
				if err != nil {
					return err
				}
				notices, err := run(ctx)
				for _, n := range notices {
					s.notice(n)
				}
				return err
			})
			if done || err != nil {
				return u.Tag(), nil, err
			}
			if run := s.inBlock(u); run != nil {
				return u.Tag(), nil, run(ctx)
			}
			if err := s.besideDropped(u); err != nil {
				return "", nil, err
			}
			temporary := s.willBeTemporary(ctx, u)
			if err := s.beforeDDLOf(u, temporary); err != nil {
				return "", nil, err
			}
			if err := s.notInUse(u); err != nil {
				return "", nil, err
			}
			tag, err := do(ctx)
			if err == nil && !temporary && !ddl.ChangesNothing(u) {
				s.tx.changedTables(u.Tag())
			}
			return tag, nil, err
		}}, nil
	}
	switch u := u.(type) {
	case *tree.Explain:
		return s.newExplain(p, u, params), nil
	case *tree.Fetch:
		return s.newFetch(p, u)
	case *tree.Execute:
		return s.newExecute(ctx, p, u)
	case *tree.Copy:
		return s.newCopy(ctx, p, u, params)
	case *tree.DeclareCursor:
		return s.newDeclare(p.stmt, u, params)
	}
	return &command{cols: p.cols, do: func(ctx context.Context) (string, [][]string, error) {
		return s.simpleUtility(ctx, u)
	}}, nil
}

// simpleUtility runs what needs neither plan nor catalog change.
func (s *Session) simpleUtility(ctx context.Context, u tree.Utility) (string, [][]string, error) {
	tag := u.Tag()
	switch u := u.(type) {
	case *tree.Set:
		return tag, nil, s.runSet(u)
	case *tree.SetTransaction:
		return tag, nil, s.runSetTransaction(ctx, u)
	case *tree.Reset:
		if u.All {
			return tag, nil, s.resetAll()
		}
		return tag, nil, s.reset(u.Name, false)
	case *tree.Show:
		return tag, s.showRows(u), nil
	case *tree.CheckTable:
		if err := s.publishDraft(ctx); err != nil {
			return tag, nil, err
		}
		rows, err := s.maintenance().CheckTable(ctx, u)
		return tag, rows, err
	case *tree.Reindex:
		if err := s.publishDraft(ctx); err != nil {
			return tag, nil, err
		}
		return tag, nil, s.maintenance().Reindex(ctx, u)
	case *tree.ImportPhoenix:
		if err := s.publishDraft(ctx); err != nil {
			return tag, nil, err
		}
		if err := s.beforeDDL(u); err != nil {
			return tag, nil, err
		}
		rows, err := s.runner().ImportPhoenix(s.asActor(ctx), u)
		s.tx.changedTables(tag)
		return tag, rows, err
	case *tree.ShowCreateTable:
		if err := s.besideDropped(u); err != nil {
			return tag, nil, err
		}
		rows, err := s.runner().ShowCreateTable(s.asActor(ctx), u)
		return tag, rows, err
	case *tree.Begin:
		return tag, nil, s.tx.begin(s, u)
	case *tree.Commit:
		return s.tx.commit(ctx, s, u)
	case *tree.Rollback:
		return tag, nil, s.tx.rollbackBlock(s, u)
	case *tree.Savepoint:
		return tag, nil, s.tx.savepoint(s, u.Name)
	case *tree.Release:
		return tag, nil, s.tx.release(s, u.Name)
	case *tree.RollbackTo:
		return tag, nil, s.tx.rollbackTo(s, u.Name)
	case *tree.CloseCursor:
		return tag, nil, s.closeCursor(u)
	case *tree.Prepare:
		return tag, nil, s.runPrepare(ctx, u)
	case *tree.Deallocate:
		return tag, nil, s.deallocate(u)
	case *tree.Do:
		return tag, nil, s.do(ctx, u)
	case *tree.Discard:
		return tag, nil, s.discard(u)
	case *tree.UseSchema:
		return "SET", nil, s.set("search_path", ident.Quote(u.Name)+", public", false)
	case *tree.Analyze:
		if err := s.publishDraft(ctx); err != nil {
			return tag, nil, err
		}
		return tag, nil, s.maintenance().Analyze(ctx, u)
	case *tree.Vacuum:
		return tag, nil, s.maintenance().Vacuum(ctx, u)
	case *tree.Checkpoint:
		s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s has nothing to do here: the store keeps itself in order", tag))
		return tag, nil, nil
	case *tree.Cancel:
		return tag, nil, sessionFuncs{s}.cancel(u.PID)
	case *tree.LockTable:
		return tag, nil, s.lockTable(u)
	case *tree.CreateTableAs:
		done, err := s.inDraft(ctx, u, func(ctx context.Context) (err error) { tag, err = s.createTableAs(ctx, u); return err })
		if done || err != nil {
			return tag, nil, err
		}
		if err := s.besideDropped(u); err != nil {
			return tag, nil, err
		}
		tag, err = s.createTableAs(ctx, u)
		return tag, nil, err
	case *tree.SetConstraints:
		if !s.tx.inTransaction() {
			s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "SET CONSTRAINTS can only be used in transaction blocks"))
		}
		return tag, nil, nil // there are no deferrable constraints, so every one keeps its mode
	case *tree.Listen:
		return tag, nil, s.listen(u)
	case *tree.Unlisten:
		return tag, nil, s.notify.Unlisten(u.Channel, u.All)
	case *tree.Notify:
		return tag, nil, s.send(u.Channel, u.Payload)
	case *tree.Unsupported:
		return "", nil, sqlerr.Unsupported(fmt.Sprintf("%s is not supported", tag), u.Instead).At(u.Pos)
	}
	return "", nil, sqlerr.Internal(nil, "nobody runs %s", tag)
}

func (s *Session) runSet(u *tree.Set) error {
	if u.FromCurrent {
		return sqlerr.Unsupported("SET FROM CURRENT is not supported", "Name the value.")
	}
	if u.Scope == tree.SetLocal && !s.tx.inTransaction() {
		s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "SET LOCAL can only be used in transaction blocks"))
	}
	if u.Default {
		return s.reset(u.Name, u.Scope == tree.SetLocal)
	}
	text, err := s.setText(u)
	if err != nil {
		return err
	}
	return s.set(u.Name, text, u.Scope == tree.SetLocal)
}

// setText gives the value of a SET as one text.
func (s *Session) setText(u *tree.Set) (string, error) {
	if u.Interval != nil {
		t := types.Of(types.Interval)
		v, err := s.constant(u.Interval, t)
		return "INTERVAL '" + types.Format(t, v, nil) + "'", err
	}
	var parts []string
	for _, v := range u.Values {
		text := v.Text
		if u.Name == "search_path" {
			text = ident.Quote(text)
		}
		parts = append(parts, text)
	}
	if len(parts) > 1 && u.Name != "search_path" && u.Name != "datestyle" && settings.Find(u.Name) != nil {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "SET %s takes only one argument", u.Name)
	}
	return strings.Join(parts, ", "), nil
}

func (s *Session) showRows(u *tree.Show) [][]string {
	if !u.All {
		v, _ := s.Setting(u.Name)
		return [][]string{{v}}
	}
	var rows [][]string
	for _, def := range s.visible() {
		v, _ := s.Setting(def.Name)
		rows = append(rows, []string{def.Name, v, def.Doc})
	}
	return rows
}

func (s *Session) discard(u *tree.Discard) error {
	switch u.What {
	case "plans":
		return nil
	case "sequences":
		s.drawn.Forget()
		return nil
	case "temp":
		s.view.Discard()
		return nil
	}
	if s.tx.inTransaction() {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "DISCARD ALL cannot run inside a transaction block")
	}
	for p := range s.portals.all {
		if p.named != nil {
			s.ClosePortal(p.name())
		}
	}
	s.dropStmts()
	s.view.Discard()
	s.supposed.Clear()
	s.drawn.Forget()
	s.shown.forget()
	s.notify.Stop()
	sessionFuncs{s}.AdvisoryUnlockAll()
	if err := s.reset("session_authorization", false); err != nil {
		return err
	}
	return s.resetAll()
}
