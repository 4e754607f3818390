package versions

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// UpdateWith is Update whose rows write puts into the system table together with rows of other
// tables: all of them, or none. It is for one process that has the store to itself: no other commit
// of the catalog is made meanwhile, so that the root that fn has seen is the one that is replaced.
// fn and write are called once.
//
// Where the answer of write leaves open whether the rows are there, the root says so. A snapshot that
// comes with an error is committed, though perhaps not durable; without one nothing is, unless the
// error is 40003.
func (c *Keeper) UpdateWith(ctx context.Context, fn func(*catalog.Snapshot) (*Edit, error), write func(context.Context, []storage.RowMutation) error) (*catalog.Snapshot, error) {
	if !c.AtOnce() {
		return nil, sqlerr.Internal(nil, "the catalog of a store that servers share is not committed with rows")
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	s, err := c.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	e, err := fn(s)
	if err == nil {
		err = c.mayChange()
	}
	if err != nil {
		return nil, err
	}
	d, err := c.draw(s, e)
	if err != nil {
		return nil, err
	}
	failed := write(ctx, append(d.rows, storage.RowMutation{Key: []byte(rootKey), Mutations: d.then}))
	if failed != nil {
		if !mayHaveHappened(failed) {
			return nil, failed
		}
		look, cancel := Detached(ctx, c.Options.Lease/2)
		defer cancel()
		if won, err := c.wonBefore(look, d.root.Version, d.nonce); err != nil || !won {
			if err == nil {
				err = failed
			}
			return nil, err
		}
	}
	next := s.Next(d.root, d.objects, e.Put, e.Del)
	c.publish(next)
	c.DeleteRows(ctx, d.garbage)
	return next, failed
}

// Reserve uses up n object IDs from that of s on, which is the newest: ErrMoved where it is not.
func (c *Keeper) Reserve(ctx context.Context, s *catalog.Snapshot, n uint32) (*catalog.Snapshot, error) {
	return c.Update(ctx, func(now *catalog.Snapshot) (*Edit, error) {
		if now.Root.NextID != s.Root.NextID {
			return nil, ErrMoved
		}
		e := NewEdit(now)
		e.NextID += n
		return &e, nil
	})
}
