package versions

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/stored"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Edit is what becomes of a snapshot.
type Edit struct {
	NextID uint32
	Put    map[uint32]catalog.Object // new and changed descriptors; ptr is not yet set
	Del    map[uint32]bool
	Epoch  uint64 // a new one of the root; 0 leaves it
	// Lease and Refresh, ms, are new ones of the store; 0 leaves them.
	Lease, Refresh int64
}

func NewEdit(s *catalog.Snapshot) Edit {
	return Edit{NextID: s.Root.NextID, Put: map[uint32]catalog.Object{}, Del: map[uint32]bool{}}
}

// Update commits what fn makes of the newest snapshot, nil being nothing; when another
// server was faster it starts again on what that one left. fn must do nothing else. The
// snapshot returned is the one after it.
//
// This is the only way to commit. What fn decides by the snapshot alone is decided when it is
// committed: the root is swapped if it is the snapshot's still. What was decided by earlier looks,
// under the DDL lease, needs its epoch too, and is ErrLeaseLost without: see Held.
func (c *Keeper) Update(ctx context.Context, fn func(*catalog.Snapshot) (*Edit, error)) (*catalog.Snapshot, error) {
	ctx = storage.Essential(ctx) // DROP TABLE must go on where the disk is full
	h := heldIn(ctx)
	ctx = storage.Unfenced(ctx) // the epoch is the fence
	for try := 0; ; try++ {
		s, err := c.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		if err := h.inForce(s); err != nil {
			return nil, err
		}
		e, err := fn(s)
		if err != nil {
			return nil, err
		}
		if e == nil {
			return s, nil
		}
		if e.Epoch == 0 { // which is part of a lease
			if err := c.mayChange(); err != nil {
				return nil, err
			}
		}
		next, won, err := c.commitInTurn(ctx, s, e)
		if h != nil && sqlerr.CodeOf(err) == sqlerr.StatementCompletionUnknown {
			h.unsure.Store(true)
		}
		if err != nil {
			return nil, catalog.FromStorage(err, "changing the catalog")
		}
		if won {
			c.publish(next)
			return next, nil
		}
		if err := storage.Pause(ctx, try, raceUnit); err != nil {
			return nil, catalog.FromStorage(err, "changing the catalog")
		}
	}
}

// commitInTurn is commit, but not beside UpdateWith.
func (c *Keeper) commitInTurn(ctx context.Context, s *catalog.Snapshot, e *Edit) (*catalog.Snapshot, bool, error) {
	if c.AtOnce() {
		c.turn.Lock()
		defer c.turn.Unlock()
	}
	return c.commit(ctx, s, e)
}

//saltsql:limit tables: bytes of the definition of a table, view, type or other object, with its comments (54000)
const maxDescriptor = 1 << 20

// drawn is a commit that is not written yet.
type drawn struct {
	root    catalog.Root
	objects catalog.Layered[uint32, catalog.Object]
	nonce   string
	rows    []storage.RowMutation // of descriptors, and of the list of objects
	then    []storage.Mutation    // of the root's row
	garbage []string              // keys of rows that nothing names after it
}

// draw makes the rows of an edit of s.
func (c *Keeper) draw(s *catalog.Snapshot, e *Edit) (*drawn, error) {
	nonce := randomHex(6)
	next := s.Root
	next.Version, next.NextID, next.TS = s.Version()+1, e.NextID, c.nextTimestamp(s.Root.TS)
	next.Epoch, next.Lease, next.Refresh = cmp.Or(e.Epoch, next.Epoch), cmp.Or(e.Lease, next.Lease), cmp.Or(e.Refresh, next.Refresh)
	next.Roles = s.HasRoles()
	next.Recent, next.Since = append(slices.Clone(s.Root.Recent), nonce), slices.Clone(s.Root.Since)
	next.Recent = next.Recent[max(0, len(next.Recent)-recentMax):]
	ptr := strconv.FormatUint(next.Version, 10) + "/" + nonce

	objects := s.EditObjects()
	var rows []storage.RowMutation
	var then []storage.Mutation
	var garbage []string
	name := func(id uint32, ptr string) {
		then = append(then, storage.Mutation{Op: storage.SetCell, Family: SystemFamily, Qualifier: ptrCell(id), Timestamp: next.TS, Value: []byte(ptr)})
		if next.Format >= listFormat && !slices.Contains(next.Since, id) {
			next.Since = append(next.Since, id)
		}
	}
	for id := range e.Del {
		if o, ok := objects.Get(id); ok {
			garbage = append(garbage, descKey(id, o.Ptr))
			objects.Delete(id)
			if next.List == "" {
				then = append(then, storage.Mutation{Op: storage.DeleteCell, Family: SystemFamily, Qualifier: ptrCell(id)})
			} else {
				name(id, "")
			}
		}
	}
	for id, o := range e.Put {
		value, err := stored.Encode(o.Desc, o.State)
		if err != nil {
			return nil, sqlerr.Internal(err, "a descriptor cannot be stored")
		}
		if len(value) > maxDescriptor {
			return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "the definition of one object takes %d bytes, more than the limit of %d", len(value), maxDescriptor).
				WithDetail("Every server keeps the definitions of all objects in memory: columns, expressions, texts of views, labels, comments.").
				WithHint("Shorten the longest of them, or keep long texts in rows of a table.")
		}
		rows = append(rows, storage.RowMutation{
			Key: []byte(descKey(id, ptr)),
			Mutations: []storage.Mutation{{
				Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(descCell), Timestamp: next.TS, Value: value,
			}},
		})
		name(id, ptr)
		if old, ok := objects.Get(id); ok {
			garbage = append(garbage, descKey(id, old.Ptr))
		}
		o.Ptr = ptr
		objects.Set(id, o)
	}
	if len(next.Since) >= c.Options.ListAfter {
		if next.List != "" {
			garbage = append(garbage, listKey(next.List))
		}
		next.List = ""
		if objects.Len() > 0 { // a row has cells
			next.List = ptr
			rows = append(rows, list(ptr, &objects, next.TS))
		}
		then = then[:0]
		for _, id := range s.Root.Since {
			then = append(then, storage.Mutation{Op: storage.DeleteCell, Family: SystemFamily, Qualifier: ptrCell(id)})
		}
		next.Since = nil
	}
	value, err := json.Marshal(&next)
	if err != nil {
		return nil, err
	}
	then = append(then, storage.Mutation{
		Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(rootCell), Timestamp: next.TS, Value: value,
	})
	return &drawn{next, objects, nonce, rows, then, garbage}, nil
}

// commit writes an edit of s. won is false if the root had moved on.
func (c *Keeper) commit(ctx context.Context, s *catalog.Snapshot, e *Edit) (_ *catalog.Snapshot, won bool, err error) {
	d, err := c.draw(s, e)
	if err != nil {
		return nil, false, err
	}
	if err := c.putRows(ctx, d.rows); err != nil {
		return nil, false, err
	}
	won, err = c.swapRoot(ctx, s.Root.TS, d.then, d.root.Version, d.nonce)
	if err != nil {
		return nil, false, err
	}
	if !won {
		d.garbage = d.garbage[:0]
		for i := range d.rows {
			d.garbage = append(d.garbage, string(d.rows[i].Key))
		}
	}
	c.DeleteRows(ctx, d.garbage)
	if !won {
		return nil, false, nil
	}
	return s.Next(d.root, d.objects, e.Put, e.Del), true, nil
}

// list is the row that names all objects as the commit with this pointer leaves them.
func list(ptr string, objects *catalog.Layered[uint32, catalog.Object], ts int64) storage.RowMutation {
	row := storage.RowMutation{Key: []byte(listKey(ptr))}
	for id, o := range objects.All() {
		row.Mutations = append(row.Mutations, storage.Mutation{
			Op: storage.SetCell, Family: SystemFamily, Qualifier: ptrCell(id), Timestamp: ts, Value: []byte(o.Ptr),
		})
	}
	return row
}

// swapRoot replaces the root whose cell has timestamp ts by one of version
// version. It repeats an attempt whose answer was lost: the condition and the
// new timestamp are the same each time, so it cannot apply twice.
func (c *Keeper) swapRoot(ctx context.Context, ts int64, then []storage.Mutation, version uint64, nonce string) (bool, error) {
	m := &storage.CondMutation{
		Key:  []byte(rootKey),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(rootCell), Timestamp: ts},
		Then: then,
	}
	unsure := false
	for try := 0; ; try++ {
		matched, err := c.Table.CheckAndMutate(ctx, m)
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
			if storage.Pause(ctx, try, raceUnit) == nil {
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
func (c *Keeper) wonBefore(ctx context.Context, version uint64, nonce string) (bool, error) {
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
func (c *Keeper) putRows(ctx context.Context, rows []storage.RowMutation) error {
	if len(rows) == 0 {
		return nil
	}
	return storage.Again(ctx, func() error { return c.Table.Mutate(ctx, rows, storage.WriteOptions{}) }, storage.CodeAmbiguous)
}

// DeleteRows removes rows that nothing names any more. It may fail: sweep
// finds what is left.
func (c *Keeper) DeleteRows(ctx context.Context, keys []string) {
	if len(keys) == 0 {
		return
	}
	rows := make([]storage.RowMutation, len(keys))
	for i, k := range keys {
		rows[i] = storage.RowMutation{Key: []byte(k), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
	}
	if err := c.Table.Mutate(ctx, rows, storage.WriteOptions{NoSync: true}); err != nil {
		c.Options.Logger.Debug("catalog: old descriptor rows are left for the sweep", "rows", len(rows), "err", err)
	}
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: see crypto/rand
	return hex.EncodeToString(b)
}
