package session

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/transact"
	"github.com/saltsql/saltsql/storage/txn"
)

// On a store without transactions over rows, tables with TRANSACTIONAL have theirs by
// storage/transact. A statement goes by one of two managers:
//
//	whole   reads transactional tables at a snapshot and writes them atomically; other tables are
//	        read as they are, and not written
//	plain   writes other tables row by row; transactional ones are read at one moment, and not written
//
// A lone statement takes what fits it. A block is plain until a statement is about a transactional
// table, and whole from then on, unless it has written other tables: then it reads them only.

// choose decides by which manager the statement of p goes, and gives the context that it reads in.
func (x *tx) choose(ctx context.Context, s *Session, p *plan.Plan) (context.Context, error) {
	if s.db.tx == nil {
		return ctx, nil
	}
	if !x.inTransaction() {
		ctx, _, err := s.lone(ctx, p)
		return ctx, err
	}
	distributed, ours, others := x.kinds(p)
	wrote := x.t != nil && x.t.Written()
	switch {
	case others != nil && (ours != nil || x.whole):
		return ctx, mixed(others, "a transaction that reads or writes transactional tables")
	case ours != nil && !x.whole && wrote:
		return ctx, mixed(ours, "a transaction that has written other tables")
	case x.whole:
		return ctx, nil
	case !distributed:
		// Temporary tables go with either; what follows is likelier to be about tables as new ones are.
		all, _ := s.Setting("saltsql.default_transactional")
		x.whole = all == "on" && x.t == nil && others == nil && !p.ReadOnly
		return ctx, nil
	case others != nil || wrote:
		moment, err := x.momentOf(ctx, s)
		return transact.At(ctx, moment), err
	}
	x.whole = true
	if x.t != nil {
		return ctx, s.db.storageErr(ctx, s.txns().Move(ctx, x.t))
	}
	return ctx, nil
}

// kinds says what a plan is about: distributed that it reads or writes transactional tables, ours and
// others which it changes, temporary ones left out.
func (x *tx) kinds(p *plan.Plan) (distributed bool, ours, others *catalog.Table) {
	distributed = slices.ContainsFunc(p.Tables, (*catalog.Table).Distributed)
	if !p.ReadOnly {
		eachChanged(p.Root, func(t *catalog.Table) {
			switch {
			case t.Distributed():
				ours, distributed = t, true
			case !catalog.IsTemporary(t):
				others = t
			}
		})
	}
	return distributed, ours, others
}

// lone chooses for a statement that is no part of a transaction.
func (s *Session) lone(ctx context.Context, p *plan.Plan) (context.Context, *txn.Manager, error) {
	if s.db.tx == nil {
		return ctx, s.view.Txns(), nil
	}
	distributed, ours, others := s.tx.kinds(p)
	if ours != nil && others != nil {
		return ctx, nil, mixed(others, "a statement that writes transactional tables")
	}
	if !s.tx.inTransaction() {
		s.tx.whole = distributed && others == nil
	}
	if !distributed || others == nil {
		return ctx, s.view.Txns().For(distributed), nil
	}
	moment, err := s.db.tx.Transactions().Snapshot(ctx)
	if err != nil {
		return ctx, nil, s.db.storageError(ctx, err)
	}
	return transact.At(ctx, moment), s.view.Txns(), nil
}

// txnsOf gives the manager that a lone statement of p goes by.
func (s *Session) txnsOf(p *plan.Plan) *txn.Manager {
	return s.view.Txns().For(slices.ContainsFunc(p.Tables, (*catalog.Table).Distributed))
}

// momentOf gives the moment at which a plain statement reads transactional tables: its own, or that
// of its block, where that reads one snapshot.
func (x *tx) momentOf(ctx context.Context, s *Session) (storage.Snapshot, error) {
	if x.moment != nil && s.repeatable() {
		return x.moment, nil
	}
	moment, err := s.db.tx.Transactions().Snapshot(ctx)
	if err != nil {
		return nil, s.db.storageError(ctx, err)
	}
	x.moment = moment
	return moment, nil
}

// mixed refuses to write a table together with others that the store commits in another way.
func mixed(t *catalog.Table, beside string) error {
	return sqlerr.Unsupported(`writing table "`+t.Name+`" in `+beside+` is not supported on this store`,
		"Tables with TRANSACTIONAL = true are committed together, and no other with them: write it in a statement or a block of its own.")
}

// sweepEvery is how often a server looks for commits that another has left undone.
const sweepEvery = time.Minute

// locksEvery is how often it looks for locks that nobody has met since, which reads all rows.
const locksEvery = time.Hour

// settleWithin bounds how long a server that ends writes the rows of its last commits.
const settleWithin = 5 * time.Second

// sweep goes on with what servers have left that died, while the store has transactional tables.
func (db *DB) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for last := db.opts.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !slices.ContainsFunc(db.catalog.Snapshot().Tables(), (*catalog.Table).Distributed) {
			continue
		}
		if _, err := db.tx.Sweep(ctx); err != nil && ctx.Err() == nil {
			db.opts.Logger.Warn("commits of servers that have died are not all gone on with", "error", err)
		}
		if now := db.opts.Now(); now.Sub(last) >= locksEvery {
			last = now
			db.sweepLocks(ctx)
		}
	}
}

// sweepLocks decides locks of servers that have died in rows that nobody has read since.
func (db *DB) sweepLocks(ctx context.Context) {
	for _, t := range db.catalog.Snapshot().Tables() {
		if !t.Distributed() {
			continue
		}
		names := t.Parts()
		for i := range t.Indexes {
			names = append(names, t.Indexes[i].Physical)
		}
		for _, name := range names {
			if _, err := db.tx.SweepLocks(ctx, name); err != nil && ctx.Err() == nil && storage.CodeOf(err) != storage.CodeNotFound {
				db.opts.Logger.Warn("locks of servers that have died are not all removed", "table", t.Name, "error", err)
			}
		}
	}
}

// TransactionCounts is what the transactions of this server over tables with TRANSACTIONAL have met:
// nothing where the store has transactions itself.
func (db *DB) TransactionCounts() (c transact.Counts) {
	if db.tx != nil {
		c = db.tx.Counts()
	}
	return c
}
