package catalog

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// edit is what becomes of a snapshot.
type edit struct {
	nextID uint32
	put    map[uint32]object // new and changed descriptors; ptr is not yet set
	del    map[uint32]bool
}

func newEdit(s *Snapshot) edit {
	return edit{nextID: s.root.NextID, put: map[uint32]object{}, del: map[uint32]bool{}}
}

// update commits what fn makes of the newest snapshot, nil being nothing; when another
// server was faster it starts again on what that one left. fn must do nothing else. The
// snapshot returned is the one after it.
func (c *keeper) update(ctx context.Context, fn func(*Snapshot) (*edit, error)) (*Snapshot, error) {
	ctx = storage.Essential(ctx) // DROP TABLE must go on where the disk is full
	for try := 0; ; try++ {
		s, err := c.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		e, err := fn(s)
		if err != nil {
			return nil, err
		}
		if e == nil {
			return s, nil
		}
		next, won, err := c.commit(ctx, s, e)
		if err != nil {
			return nil, fromStorage(err, "changing the catalog")
		}
		if won {
			c.publish(next)
			return next, nil
		}
		if err := sleep(ctx, backoff(try)); err != nil {
			return nil, fromStorage(err, "changing the catalog")
		}
	}
}

// commit writes an edit of s. won is false if the root had moved on.
func (c *keeper) commit(ctx context.Context, s *Snapshot, e *edit) (_ *Snapshot, won bool, err error) {
	nonce := randomHex(6)
	next := root{
		Format: rootFormat, UID: s.root.UID, Version: s.Version() + 1, NextID: e.nextID,
		Recent: append(slices.Clone(s.root.Recent), nonce),
		ts:     c.nextTimestamp(s.root.ts),
	}
	next.Recent = next.Recent[max(0, len(next.Recent)-recentMax):]
	ptr := strconv.FormatUint(next.Version, 10) + "/" + nonce

	objects := maps.Clone(s.objects)
	var rows []storage.RowMutation
	var then []storage.Mutation
	var garbage []string
	for id := range e.del {
		if o, ok := objects[id]; ok {
			garbage = append(garbage, descKey(id, o.ptr))
			delete(objects, id)
			then = append(then, storage.Mutation{Op: storage.DeleteCell, Family: systemFamily, Qualifier: ptrCell(id)})
		}
	}
	for id, o := range e.put {
		value, err := encodeDescriptor(o.desc, o.state)
		if err != nil {
			return nil, false, sqlerr.Internal(err, "a descriptor cannot be stored")
		}
		rows = append(rows, storage.RowMutation{
			Key: []byte(descKey(id, ptr)),
			Mutations: []storage.Mutation{{
				Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(descCell), Timestamp: next.ts, Value: value,
			}},
		})
		then = append(then, storage.Mutation{
			Op: storage.SetCell, Family: systemFamily, Qualifier: ptrCell(id), Timestamp: next.ts, Value: []byte(ptr),
		})
		if old, ok := objects[id]; ok {
			garbage = append(garbage, descKey(id, old.ptr))
		}
		o.ptr = ptr
		objects[id] = o
	}
	value, err := json.Marshal(&next)
	if err != nil {
		return nil, false, err
	}
	then = append(then, storage.Mutation{
		Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(rootCell), Timestamp: next.ts, Value: value,
	})
	if err := c.putRows(ctx, rows); err != nil {
		return nil, false, err
	}
	won, err = c.swapRoot(ctx, s.root.ts, then, next.Version, nonce)
	if err != nil {
		return nil, false, err
	}
	if !won {
		garbage = garbage[:0]
		for i := range rows {
			garbage = append(garbage, string(rows[i].Key))
		}
	}
	c.deleteRows(ctx, garbage)
	if !won {
		return nil, false, nil
	}
	return newSnapshot(next, objects), true, nil
}

// swapRoot replaces the root whose cell has timestamp ts by one of version
// version. It repeats an attempt whose answer was lost: the condition and the
// new timestamp are the same each time, so it cannot apply twice.
func (c *keeper) swapRoot(ctx context.Context, ts int64, then []storage.Mutation, version uint64, nonce string) (bool, error) {
	m := &storage.CondMutation{
		Key:  []byte(rootKey),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: systemFamily, Qualifier: []byte(rootCell), Timestamp: ts},
		Then: then,
	}
	unsure := false
	for try := 0; ; try++ {
		matched, err := c.table.CheckAndMutate(ctx, m)
		switch {
		case err == nil && (matched || !unsure):
			return matched, nil
		case err == nil:
			return c.wonBefore(ctx, version, nonce)
		}
		if mayHaveHappened(err) {
			unsure = true
		} else if !storage.IsRetryable(err) {
			return false, err
		}
		if try < 8 {
			if sleep(ctx, backoff(try)) == nil {
				continue
			}
		}
		if unsure {
			return false, unknownOutcome(err)
		}
		return false, err
	}
}

// mayHaveHappened says whether a write that failed so may have been made.
func mayHaveHappened(err error) bool {
	switch storage.CodeOf(err) {
	case storage.CodeAmbiguous, storage.CodeCanceled, storage.CodeDeadlineExceeded, storage.CodeUnknown:
		return true
	}
	return false
}

// wonBefore finds out whether an attempt without an answer made version
// version with this nonce, now that the root has moved on.
func (c *keeper) wonBefore(ctx context.Context, version uint64, nonce string) (bool, error) {
	r, ok, err := c.readRootCell(ctx)
	switch {
	case err != nil:
		return false, unknownOutcome(err)
	case ok && slices.Contains(r.Recent, nonce):
		return true, nil
	case ok && r.Version < version+uint64(len(r.Recent)):
		return false, nil // the nonce of that version is among those kept, and is another's
	}
	return false, unknownOutcome(nil)
}

func unknownOutcome(cause error) error {
	e := sqlerr.New(sqlerr.StatementCompletionUnknown, "it is not known whether the change of the catalog was made").
		WithHint("Look whether the object is as the statement was to leave it, and repeat the statement if it is not.")
	e.Cause = cause
	return e
}

// putRows writes descriptor rows. Their keys and timestamps are new, so that
// repeating is harmless.
func (c *keeper) putRows(ctx context.Context, rows []storage.RowMutation) error {
	if len(rows) == 0 {
		return nil
	}
	for try := 0; ; try++ {
		err := c.table.Mutate(ctx, rows, storage.WriteOptions{})
		if err == nil || !storage.IsRetryable(err) && storage.CodeOf(err) != storage.CodeAmbiguous || try == 8 {
			return err
		}
		if sleep(ctx, backoff(try)) != nil {
			return err
		}
	}
}

// deleteRows removes rows that nothing names any more. It may fail: sweep
// finds what is left.
func (c *keeper) deleteRows(ctx context.Context, keys []string) {
	if len(keys) == 0 {
		return
	}
	rows := make([]storage.RowMutation, len(keys))
	for i, k := range keys {
		rows[i] = storage.RowMutation{Key: []byte(k), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
	}
	if err := c.table.Mutate(ctx, rows, storage.WriteOptions{NoSync: true}); err != nil {
		c.opts.Logger.Debug("catalog: old descriptor rows are left for the sweep", "rows", len(rows), "err", err)
	}
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: see crypto/rand
	return hex.EncodeToString(b)
}
