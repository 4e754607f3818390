package session

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/activity"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// TxStatus is the transaction state as ReadyForQuery tells it.
type TxStatus = activity.TxStatus

// The states of a session's transaction.
const (
	TxIdle   = activity.TxIdle   // no transaction block
	TxActive = activity.TxActive // in a block
	TxFailed = activity.TxFailed // in a failed block: only its end is taken
)

// tx is a session's transaction state. There are three kinds of life:
//
//	a lone statement         no txn.Txn here: exec commits by itself
//	a pipeline               implicit: from BeginPipeline to EndPipeline
//	a block                  BEGIN … COMMIT
//
// The txn.Txn begins with the first statement that wants data, so that BEGIN
// costs nothing and READ COMMITTED needs no snapshot.
type tx struct {
	status   TxStatus
	pipeline bool // between BeginPipeline and EndPipeline, outside a block
	text     bool // the pipeline is one text
	broken   bool // a statement of the pipeline failed
	t        *txn.Txn
	version  uint64    // of the catalog when t began
	start    time.Time // now(); zero outside a transaction
	modes    tree.TxModes
	used     bool // a statement has read or written: modes are fixed
	points   []savepoint
	tables   []*catalog.Table  // whose rows t holds
	noticed  bool              // the session was told that commits are not atomic
	advisory []heldAdvisory    // locks that end with it
	ddl      []string          // tags of DDL that ran since the start, committed by itself
	drops    []deferredDrop    // that COMMIT carries out
	draft    *draft            // what DDL has made of the catalog; nil: nothing
	drafting bool              // a statement that changes the draft is under way
	exports  []func()          // end the snapshots that it exported
	imports  *exportedSnapshot // that t begins with
	whole    bool              // statements go by the manager of transactional tables: see choose
	moment   storage.Snapshot  // at which plain statements have read them
}

// TxStatus gives the transaction state.
func (s *Session) TxStatus() TxStatus { return s.tx.status }

// inTransaction says that statements share a txn.Txn.
func (x *tx) inTransaction() bool { return x.status != TxIdle || x.pipeline }

// BeginPipeline starts an implicit transaction over the statements up to
// EndPipeline: those of one simple-query string, or between two Syncs. It is
// not for a lone statement, which commits by itself, and faster. Inside a
// transaction block it does nothing.
func (s *Session) BeginPipeline() {
	if s.tx.status == TxIdle && !s.tx.pipeline {
		s.tx.pipeline = true
		s.tx.open(s, tree.TxModes{})
	}
}

// BeginText is BeginPipeline for the statements of one text: cursors may be declared among
// them.
func (s *Session) BeginText() {
	s.BeginPipeline()
	s.tx.text = s.tx.pipeline
}

// EndPipeline commits the implicit transaction if there is one, or rolls it
// back if ok is false or a statement failed. Call it after each simple-query
// string and at each Sync, pipeline or not. Portals of a transaction that ended are closed.
func (s *Session) EndPipeline(ctx context.Context, ok bool) (err error) {
	defer s.guard(&err)
	x := &s.tx
	failed := x.broken
	x.broken = false
	s.Settle()
	if x.status != TxIdle {
		return nil // the block outlives it
	}
	if x.pipeline {
		if ok && !failed {
			err = x.finish(ctx, s)
		} else {
			x.keptDDL(s, 0)
			x.rollback(s)
		}
	}
	s.closePortals()
	return s.identity().Hide(err)
}

// changedTables notes DDL of a transaction, which has committed by itself.
func (x *tx) changedTables(tag string) {
	if x.inTransaction() {
		x.ddl = append(x.ddl, tag)
	}
}

// keptDDL tells, before a rollback, of the DDL since the n-th that it does not undo.
func (x *tx) keptDDL(s *Session, n int) {
	for _, tag := range x.ddl[n:] {
		s.notice(sqlerr.Warn(sqlerr.Warning, "%s was not rolled back", tag).
			WithHint("Tables change outside of transactions here."))
	}
}

// Settle gives up what a failed block holds, once nothing of it runs: nobody should
// wait for locks of what can only be rolled back. With a savepoint there may be a
// way back, and ROLLBACK TO gives up what it must.
func (s *Session) Settle() {
	x := &s.tx
	if x.status != TxFailed || len(x.points) > 0 {
		return
	}
	s.closePortals()
	if x.t != nil {
		x.t.Rollback()
		x.t, x.tables = nil, nil
		_ = s.bookWrites(0)
	}
}

// closePortals ends the portals of a transaction that is over.
func (s *Session) closePortals() {
	for p := range s.portals.all {
		if p.named != nil && p.persisted {
			continue
		}
		if p.runs() {
			s.portals.remove(p) // the COMMIT itself
			continue
		}
		s.ClosePortal(p.name())
	}
}

// open starts a transaction's state. What the modes leave open, the defaults of now decide
// for all of it.
func (x *tx) open(s *Session, modes tree.TxModes) {
	if modes.Isolation == "" {
		modes.Isolation, _ = s.Setting("default_transaction_isolation")
	}
	if modes.ReadOnly == nil {
		v, _ := s.Setting("default_transaction_read_only")
		on := v == "on"
		modes.ReadOnly = &on
	}
	if modes.Deferrable == nil {
		v, _ := s.Setting("default_transaction_deferrable")
		on := v == "on"
		modes.Deferrable = &on
	}
	x.modes, x.used, x.points = modes, false, nil
	x.start = s.db.opts.Now()
	s.values.Begin()
}

// txn gives the transaction that statements run in; nil for a lone statement.
func (x *tx) txn(ctx context.Context, s *Session) (*txn.Txn, error) {
	if !x.inTransaction() {
		return nil, nil
	}
	x.used = true
	if x.t != nil {
		x.t.SetLockTimeout(s.durationSetting("lock_timeout"))
		return x.t, nil
	}
	size, _ := s.Setting("saltsql.max_transaction_size")
	limit, err := settings.ParseBytes(size)
	if err != nil {
		return nil, err
	}
	o := txn.Options{MaxBytes: limit, LockTimeout: s.durationSetting("lock_timeout")}
	if iso := x.isolation(s); iso == "repeatable read" || iso == "serializable" {
		o.Isolation = txn.RepeatableRead
	}
	x.version = s.snapshot().Version()
	if x.imports != nil {
		o.Snapshot, x.version = x.imports.shared, x.imports.version
	}
	if x.t, err = s.txns().Begin(ctx, o); err != nil {
		return nil, err
	}
	for i := range x.points {
		x.points[i].mark, x.points[i].hasMark = x.t.Mark(), true
	}
	return x.t, nil
}

func (x *tx) begin(s *Session, u *tree.Begin) error {
	switch {
	case x.status == TxActive:
		s.notice(sqlerr.Warn(sqlerr.ActiveSQLTransaction, "there is already a transaction in progress"))
		return nil
	case x.pipeline:
		x.pipeline = false // what ran before becomes part of the block
		x.status = TxActive
		return x.setModes(s, u.Modes)
	}
	x.open(s, tree.TxModes{})
	x.status = TxActive
	return x.setModes(s, u.Modes)
}

// wrote notes a table whose rows the transaction holds, encoded by this
// descriptor.
func (x *tx) wrote(t *catalog.Table) {
	if !slices.Contains(x.tables, t) {
		x.tables = append(x.tables, t)
	}
}

// commit is COMMIT; a failed block rolls back and says so by its tag.
func (x *tx) commit(ctx context.Context, s *Session, u *tree.Commit) (string, [][]string, error) {
	if x.status == TxIdle {
		if err := s.noBlock("COMMIT", u.Chain); err != nil {
			return "", nil, err
		}
		if !x.pipeline {
			return "COMMIT", nil, nil
		}
	}
	tag, modes := "COMMIT", x.modes
	if x.status == TxFailed {
		x.keptDDL(s, 0)
		x.rollback(s)
		tag = "ROLLBACK"
	} else if err := x.finish(ctx, s); err != nil {
		return "", nil, err
	}
	s.closePortals()
	x.chain(s, u.Chain, modes)
	return tag, nil, nil
}

// noBlock tells of the end of a block that was never begun: a warning, or with
// AND CHAIN an error.
func (s *Session) noBlock(command string, chain bool) error {
	if chain {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "%s AND CHAIN can only be used in transaction blocks", command)
	}
	s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "there is no transaction in progress"))
	return nil
}

// finish commits and leaves the session idle, whatever it returns.
func (x *tx) finish(ctx context.Context, s *Session) (err error) {
	err = s.persist(ctx)
	if err == nil {
		err = s.mayDrop(ctx)
	}
	if err != nil {
		x.keptDDL(s, 0)
		x.rollback(s)
		return err
	}
	notified, err := s.notify.Begin(ctx)
	if err != nil {
		x.keptDDL(s, 0)
		x.rollback(s)
		return err
	}
	t, tables, drops, d, restarts := x.t, x.tables, x.drops, x.draft, s.drawn.Mark()
	x.end()
	s.drawn.RollbackTo(nil)
	s.seeBlock()
	defer func() {
		if err == nil {
			s.publishRestarts(ctx, restarts)
		}
		notified(err == nil)
		s.endAdvisory()
		s.view.End(err == nil)
		s.endSettings(err == nil)
		_ = s.bookWrites(0) // less cannot fail
	}()
	if d != nil {
		return s.commitDraft(ctx, t, tables, d)
	}
	if t == nil {
		return s.dropDeferred(ctx, drops)
	}
	if err = s.commitRows(ctx, t, tables); err != nil {
		return err
	}
	return s.dropDeferred(ctx, drops)
}

// commitRows commits the rows of a block, as one who writes tables by the catalog that the block saw.
// It has left them when it returns: DROP waits until nobody writes by an older catalog.
func (s *Session) commitRows(ctx context.Context, t *txn.Txn, tables []*catalog.Table) error {
	if len(tables) > 0 {
		in, leave, err := s.view.Enter(versions.Committing(ctx), tables...)
		if err != nil {
			t.Rollback()
			return err
		}
		defer leave()
		ctx = in
	}
	if err := t.Commit(ctx, storage.WriteOptions{NoSync: s.cached().Exec.NoSync}); err != nil {
		return s.db.storageError(ctx, err)
	}
	return nil
}

func (x *tx) rollbackBlock(s *Session, u *tree.Rollback) error {
	if x.status == TxIdle {
		if err := s.noBlock("ROLLBACK", u.Chain); err != nil || !x.pipeline {
			return err
		}
	}
	modes := x.modes
	x.keptDDL(s, 0)
	x.rollback(s)
	s.closePortals()
	x.chain(s, u.Chain, modes)
	return nil
}

func (x *tx) chain(s *Session, chain bool, modes tree.TxModes) {
	if chain {
		x.open(s, modes)
		x.status = TxActive
	}
}

// rollback drops the writes; it may be called at any time.
func (x *tx) rollback(s *Session) {
	t, d := x.t, x.draft
	x.end()
	s.drawn.RollbackTo(nil)
	s.seeBlock()
	s.endSettings(false)
	if t != nil {
		t.Rollback()
	}
	d.discard(s)
	s.view.End(false)
	s.notify.Forget(notify.Mark{})
	s.endAdvisory()
	_ = s.bookWrites(0)
}

// end resets the state.
func (x *tx) end() {
	for _, end := range x.exports {
		end()
	}
	x.exports = nil
	x.t, x.points, x.tables, x.ddl, x.drops, x.draft, x.start = nil, nil, nil, nil, nil, nil, time.Time{}
	x.modes = tree.TxModes{}
	x.whole, x.moment = false, nil
	x.status, x.pipeline, x.text = TxIdle, false, false
}
