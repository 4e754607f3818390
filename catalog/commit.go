package catalog

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// change is what a DDL statement does to one snapshot.
type change struct {
	*Snapshot      // as it was
	actor          // who makes it
	ownRoles  bool // the snapshot's roles are the change's so far
	nextID    uint32
	put       map[uint32]object // new and changed descriptors; ptr is not yet set
	del       map[uint32]bool
	going     map[uint32]bool // tables that the statement drops
	notices   Notices
}

func newChange(ctx context.Context, s *Snapshot) *change {
	return &change{Snapshot: s, actor: actorOf(ctx), nextID: s.root.NextID, put: map[uint32]object{}, del: map[uint32]bool{}}
}

// newID takes an object ID. It is used up by the commit, whatever becomes of
// the object.
func (ch *change) newID() (uint32, error) {
	if ch.nextID == 1<<32-1 {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "all object IDs have been used")
	}
	ch.nextID++
	return ch.nextID - 1, nil
}

// set records a descriptor, with its version.
func (ch *change) set(d descriptor, st state) {
	v := ch.version + 1
	ch.ofNew(d)
	switch d := d.(type) {
	case *Table:
		d.Version = v
	case *View:
		d.Version = v
	case *Sequence:
		d.Version = v
	}
	ch.put[descriptorID(d)] = object{desc: d, state: st}
}

func (ch *change) remove(id uint32) {
	delete(ch.put, id)
	ch.del[id] = true
}

// get gives an object as the change has it so far.
func (ch *change) get(id uint32) (object, bool) {
	if ch.del[id] {
		return object{}, false
	}
	if o, ok := ch.put[id]; ok {
		return o, true
	}
	o, ok := ch.objects[id]
	return o, ok
}

// nameTaken says whether a relation's name is in use in the change so far.
func (ch *change) nameTaken(schema, name string) bool {
	n := relName{schema, name}
	for id, o := range ch.put {
		r, ok := o.desc.(Relation)
		if !ok || id == 0 || o.state == dropping {
			continue
		}
		if (relName{r.RelSchema(), r.RelName()}) == n {
			return true
		}
		if t, ok := r.(*Table); ok && schema == t.Schema && slices.ContainsFunc(t.Indexes, func(ix Index) bool { return ix.Name == name }) {
			return true
		}
	}
	id, ok := ch.taken[n]
	if !ok || ch.del[id] {
		return false
	}
	_, changed := ch.put[id]
	return !changed
}

// errNoChange lets a change end without a commit.
var errNoChange = errors.New("catalog: nothing to change")

// change applies fn to the newest snapshot and commits what it made; when
// another server was faster it starts again on what that one left. fn must do
// nothing else. The snapshot returned is the one after the change.
func (c *Catalog) change(ctx context.Context, fn func(*change) error) (*Snapshot, Notices, error) {
	ctx = storage.Essential(ctx) // DROP TABLE must go on where the disk is full
	for try := 0; ; try++ {
		s, err := c.Refresh(ctx)
		if err != nil {
			return nil, nil, err
		}
		ch := newChange(ctx, s)
		switch err := fn(ch); {
		case errors.Is(err, errNoChange):
			return s, ch.notices, nil
		case err != nil:
			return nil, ch.notices, err
		}
		next, won, err := c.commit(ctx, ch)
		if err != nil {
			return nil, ch.notices, fromStorage(err, "changing the catalog")
		}
		if won {
			c.publish(next)
			return next, ch.notices, nil
		}
		if err := sleep(ctx, backoff(try)); err != nil {
			return nil, nil, fromStorage(err, "changing the catalog")
		}
	}
}

// commit writes a change. won is false if the root had moved on.
func (c *Catalog) commit(ctx context.Context, ch *change) (_ *Snapshot, won bool, err error) {
	nonce := randomHex(6)
	next := root{
		Format: rootFormat, UID: ch.root.UID, Version: ch.version + 1, NextID: ch.nextID,
		Recent: append(slices.Clone(ch.root.Recent), nonce),
		ts:     c.nextTimestamp(ch.root.ts),
	}
	next.Recent = next.Recent[max(0, len(next.Recent)-recentMax):]
	ptr := strconv.FormatUint(next.Version, 10) + "/" + nonce

	objects := maps.Clone(ch.objects)
	var rows []storage.RowMutation
	var then []storage.Mutation
	var garbage []string
	for id := range ch.del {
		if o, ok := objects[id]; ok {
			garbage = append(garbage, descKey(id, o.ptr))
			delete(objects, id)
			then = append(then, storage.Mutation{Op: storage.DeleteCell, Family: systemFamily, Qualifier: ptrCell(id)})
		}
	}
	for id, o := range ch.put {
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
	won, err = c.swapRoot(ctx, ch.root.ts, then, next.Version, nonce)
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
func (c *Catalog) swapRoot(ctx context.Context, ts int64, then []storage.Mutation, version uint64, nonce string) (bool, error) {
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
func (c *Catalog) wonBefore(ctx context.Context, version uint64, nonce string) (bool, error) {
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
func (c *Catalog) putRows(ctx context.Context, rows []storage.RowMutation) error {
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
func (c *Catalog) deleteRows(ctx context.Context, keys []string) {
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
