package session

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// DDL in a block, on a store that one process has and that is atomic over rows, changes a draft of the
// catalog, which the block alone sees:
//
//	a statement          goes into the draft, whole or not at all
//	what no draft can do  is done outside of the block; the draft is published before, since the
//	                     statement may name what it has, and ROLLBACK warns of both
//	COMMIT               publishes the draft with the block's rows, in one batch
//	ROLLBACK             gives it up; ROLLBACK TO has it be what it was
//
// REPEATABLE READ has none: its snapshot of the store has no storage of tables made since.

// draft is a block's.
type draft struct {
	catalog *live.Catalog
	tags    []string // of the statements in it
	// drops are its statements that remove what others see: DROP of the block, where the draft is
	// published before its end.
	drops  []deferredDrop
	unsure bool // it may have been published
}

// draftMark is a draft at a moment, to go back to.
type draftMark struct {
	of   *draft // nil: there was none
	at   live.DraftMark
	tags int

	drops int
}

func (d *draft) mark() draftMark {
	if d == nil {
		return draftMark{}
	}
	return draftMark{d, d.catalog.Draft().Mark(), len(d.tags), len(d.drops)}
}

// catalog gives the catalog that the session's DDL changes.
func (s *Session) catalog() *live.Catalog {
	if d := s.tx.draft; d != nil {
		return d.catalog
	}
	return s.db.catalog
}

// inDraft carries out a statement that changes the catalog in the block's draft. Where that is not
// possible done is false, and what the draft has is published, so that the statement finds it.
func (s *Session) inDraft(ctx context.Context, u tree.Utility, do func(context.Context) error) (done bool, err error) {
	x := &s.tx
	if !x.inTransaction() || standsAlone(u) != "" || ddl.ChangesNothing(u) || s.ofTemporary(ctx, u) {
		return false, nil
	}
	if _, ok := u.(*tree.Truncate); ok && x.status != TxIdle {
		return false, nil // which deletes rows
	}
	if !ddl.InDraft(u) || len(x.drops) > 0 || s.repeatable() || !s.db.catalog.AtOnce() || !s.db.txns.Atomic() {
		return s.outside(ctx, u)
	}
	if x.readOnly(s) {
		return true, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", u.Tag())
	}
	if err := s.notInUse(u); err != nil {
		return true, err
	}
	was := x.draft.mark()
	if x.draft == nil {
		x.draft = &draft{catalog: s.db.catalog.NewDraft(blockRows{s})}
		s.seeBlock()
	}
	d := x.draft
	err = s.draftStatement(ctx, do)
	beyond := d.catalog.Draft().Beyond()
	if err == nil {
		if drop, ok := u.(*tree.Drop); ok {
			beyond = !d.dropped(s.asActor(ctx), drop, was)
		}
		if beyond {
			err = errOutside
		}
	}
	switch {
	case err == nil:
		d.tags = append(d.tags, u.Tag())
		s.seeBlock()
		return true, nil
	case beyond:
		x.rollbackDraft(s, was)
		return s.outside(ctx, u)
	}
	x.rollbackDraft(s, was)
	return true, err
}

// errOutside is of what a draft cannot do; nobody is shown it.
var errOutside = errors.New("a statement is outside of the draft")

func (s *Session) draftStatement(ctx context.Context, do func(context.Context) error) error {
	s.tx.drafting = true
	defer func() { s.tx.drafting = false }()
	return do(versions.WithWaiting(catalog.WithTemporaryViews(s.asActor(ctx), s.view.Views()), s.waiting))
}

// dropped notes a DROP of what others see. It is false where CASCADE has altered more of that, which
// could not be told from the DROP if the draft were published before the block's end.
func (d *draft) dropped(ctx context.Context, u *tree.Drop, was draftMark) bool {
	before := live.DraftMark{}
	if was.of == d {
		before = was.at
	}
	now := d.catalog.Draft().Mark()
	if now.Alters(before) {
		return false
	}
	gone, old := now.Removed(), before.Removed()
	maps.DeleteFunc(gone, func(id uint32, _ bool) bool { return old[id] })
	if len(gone) > 0 {
		actor := catalog.ActorOf(ctx)
		actor.Path = slices.Clone(actor.Path)
		d.drops = append(d.drops, deferredDrop{u: u, actor: actor, gone: gone})
	}
	return true
}

// outside has a statement be done outside of the block, after the draft has been published. What is
// refused there leaves the draft as it is.
func (s *Session) outside(ctx context.Context, u tree.Utility) (done bool, err error) {
	if s.tx.draft != nil && s.inBlock(u) == nil {
		if err := s.beforeDDLOf(u, false); err != nil {
			return true, err
		}
	}
	return false, s.publishDraft(ctx)
}

// ofTemporary says that a statement is about temporary tables, which are not in the draft.
func (s *Session) ofTemporary(ctx context.Context, u tree.Utility) bool {
	if s.willBeTemporary(ctx, u) {
		return true
	}
	if s.view.Own() == nil {
		return false
	}
	temporary, err := s.naming().OfTemporary(u)
	return err != nil || temporary
}

// rollbackDraft has the block's draft be what it was. One that has been published stays.
func (x *tx) rollbackDraft(s *Session, was draftMark) {
	d := x.draft
	if d == nil {
		return
	}
	if was.of != d {
		was = draftMark{}
	}
	d.catalog.Draft().RollbackTo(was.at)
	d.tags, d.drops = d.tags[:was.tags], d.drops[:was.drops:was.drops]
	x.tables = slices.DeleteFunc(x.tables, func(t *catalog.Table) bool {
		return !d.catalog.Draft().Has(t.ID) && s.db.catalog.Snapshot().TableByID(t.ID) == nil && !catalog.IsTemporary(t)
	})
	s.seeBlock()
}

// publishDraft publishes the block's draft before its end: what has been made is made, as by DDL
// outside of transactions, and what is removed goes at COMMIT. 25001 where what is made has the name
// of what is removed.
func (s *Session) publishDraft(ctx context.Context) error {
	x := &s.tx
	d := x.draft
	if d == nil {
		return nil
	}
	was := d.mark()
	d.catalog.Draft().Keep()
	if !d.catalog.Draft().Empty() {
		done, known, err := d.catalog.Publish(ctx, nil)
		if d.unsure = !known; !done {
			d.catalog.Draft().RollbackTo(was.at)
			switch sqlerr.CodeOf(err) {
			case sqlerr.DuplicateTable, sqlerr.DuplicateObject, sqlerr.DuplicateSchema:
				if len(d.drops) > 0 {
					return sqlerr.New(sqlerr.ActiveSQLTransaction, "the statement cannot run inside a transaction block that has made anew what it has dropped").
						WithHint("COMMIT between the DROP and what makes its name anew.")
				}
			}
			return err
		}
		x.ddl = append(x.ddl, d.tags...)
		for i := range x.points {
			if p := &x.points[i]; p.draft.of == d {
				p.ddl += p.draft.tags
			}
		}
	} else {
		d.discard(s)
	}
	for i := range x.points {
		if p := &x.points[i]; p.draft.of == d {
			p.drops += p.draft.drops
		}
	}
	x.draft, x.drops = nil, append(x.drops, d.drops...)
	s.seeBlock()
	return nil
}

// commitDraft ends a block that has a draft: its rows and the draft are committed together. t is nil
// where the block has touched no rows.
func (s *Session) commitDraft(ctx context.Context, t *txn.Txn, tables []*catalog.Table, d *draft) error {
	if d.catalog.Draft().Empty() {
		d.discard(s)
		if t == nil {
			return nil
		}
		return s.commitRows(ctx, t, tables)
	}
	var done bool
	var err error
	if t != nil {
		defer t.Rollback()
		write := func(ctx context.Context, table string, rows []storage.RowMutation) error {
			return t.CommitWith(ctx, storage.WriteOptions{}, table, rows)
		}
		others := slices.DeleteFunc(slices.Clone(tables), func(t *catalog.Table) bool { return d.catalog.Draft().Has(t.ID) })
		in, leave, denied := s.view.Enter(versions.Committing(ctx), others...)
		if denied != nil {
			d.discard(s)
			return denied
		}
		done, err = d.publish(in, s, write)
		leave()
	} else {
		done, err = d.publish(ctx, s, nil)
	}
	if done {
		d.catalog.FinishRemoved(ctx)
	}
	if err != nil {
		return s.db.storageError(ctx, err)
	}
	return nil
}

// publish commits the draft, or gives it up.
func (d *draft) publish(ctx context.Context, s *Session, write func(context.Context, string, []storage.RowMutation) error) (done bool, err error) {
	done, known, err := d.catalog.Publish(ctx, write)
	if d.unsure = !known; !done {
		d.discard(s)
	}
	return done, err
}

// discard removes what was made for a draft that is given up. Where it may have been published all of
// it stays until the store is opened next.
func (d *draft) discard(s *Session) {
	if d != nil && !d.unsure {
		d.catalog.Discard(context.WithoutCancel(s.ctx))
	}
}

// ofDraft gives the transaction in which DDL reads and writes rows: the block's where that has a draft,
// else none.
func (h ddlHost) ofDraft(ctx context.Context) (*txn.Txn, error) {
	if h.s.tx.draft == nil {
		return nil, nil
	}
	return h.s.tx.txn(ctx, h.s)
}

// blockRows are the rows that a draft's statements read and write.
type blockRows struct{ s *Session }

// Rows implements live.BlockRows.
func (b blockRows) Rows(ctx context.Context) (storage.Store, error) {
	t, err := b.s.tx.txn(ctx, b.s)
	if err != nil {
		return nil, err
	}
	return t.Store(), nil
}

// FillIndex implements live.BlockRows. Rows that the block holds get their entries within the block;
// those of a table that was filled outside of it (see filling) get them by a load.
func (b blockRows) FillIndex(ctx context.Context, t *catalog.Table, ix *catalog.Index) error {
	if b.s.wroteTable(t) == nil && b.s.txns().Raw().Caps().Loads {
		return b.s.db.storageError(ctx, write.FillUnseen(ctx, b.s.txns(), b.s.env(nil), t, ix))
	}
	within, err := b.s.tx.txn(ctx, b.s)
	if err != nil {
		return err
	}
	return b.s.db.storageError(ctx, write.FillWithin(ctx, b.s.txns(), within, b.s.env(nil), t, ix))
}
