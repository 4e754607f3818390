package catalog

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

// unfinished says whether a snapshot holds objects of DDL statements that did
// not reach their end.
func unfinished(s *Snapshot) bool {
	for _, o := range s.objects {
		if t, ok := o.desc.(*Table); o.state != public || ok && (t.Frozen || t.Truncating || len(t.unmade()) > 0 || t.Rewrite != nil && t.Rewrite.State == RewritePlanned) {
			return true
		}
	}
	return false
}

// unmade lists the indexes whose making did not reach its end.
func (t *Table) unmade() (ids []uint32) {
	for i := range t.Indexes {
		if t.Indexes[i].State != IndexPublic {
			ids = append(ids, t.Indexes[i].ID)
		}
	}
	return ids
}

// finishPending undoes creations and completes removals whose statement died,
// and thaws tables whose ALTER TABLE did.
// The caller holds the lease, so that nobody is still at work on them.
func (c *Catalog) finishPending(ctx context.Context, h *held) error {
	// A table whose storage was switched is thawed only when no server reads the old rows.
	for _, t := range c.Snapshot().Tables() {
		if t.Frozen && t.SwitchedAt > 0 && c.shared() {
			if err := c.awaitServers(ctx, h, t.SwitchedAt); err != nil {
				return err
			}
		}
	}
	s, _, err := c.change(ctx, func(ch *change) error {
		n := 0
		for id, o := range ch.objects {
			t, ok := o.desc.(*Table)
			switch {
			case o.state == creating:
				ch.abandon(id, o)
				n++
			case o.state == public && ok && t.Frozen:
				if err := ch.thaw(t); err != nil {
					return err
				}
				n++
			}
		}
		if n == 0 {
			return errNoChange
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range s.objects {
		t, ok := o.desc.(*Table)
		if !ok || o.state != public {
			continue
		}
		if t.Rewrite != nil && t.Rewrite.State == RewritePlanned {
			if err := c.removeRewrite(ctx, h, t.ID, t.Rewrite.ID); err != nil {
				return err
			}
		}
		if ids := t.unmade(); len(ids) > 0 {
			if err := c.removeIndexes(ctx, h, t.ID, ids); err != nil {
				return err
			}
		}
		if t.Truncating {
			if err := c.truncateAll(ctx, h, t); err != nil {
				return err
			}
		}
	}
	return c.finishDropping(ctx, h, c.Snapshot())
}

// abandon starts the removal of an object: a table goes through dropping,
// since its storage table must go first; anything else goes at once.
func (ch *change) abandon(id uint32, o object) {
	if t, ok := o.desc.(*Table); ok {
		cp := *t
		ch.set(&cp, dropping)
		return
	}
	ch.remove(id)
}

// finishDropping removes the storage tables of all tables in state dropping,
// then their descriptors. What fails stays for the next time.
func (c *Catalog) finishDropping(ctx context.Context, h *held, s *Snapshot) error {
	var gone []uint32
	var errs []error
	for id, o := range s.objects {
		t, ok := o.desc.(*Table)
		if !ok || o.state != dropping {
			continue
		}
		if err := c.dropAllPhysical(ctx, h, t); err != nil {
			errs = append(errs, err)
			continue
		}
		gone = append(gone, id)
	}
	if len(gone) > 0 {
		_, _, err := c.change(ctx, func(ch *change) error {
			n := 0
			for _, id := range gone {
				if o, ok := ch.objects[id]; ok && o.state == dropping {
					ch.remove(id)
					n++
				}
			}
			if n == 0 {
				return errNoChange
			}
			return nil
		})
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// dropAllPhysical drops the storage tables of a table and of its indexes.
func (c *Catalog) dropAllPhysical(ctx context.Context, h *held, t *Table) error {
	for n := range t.NumIndexes() {
		if err := c.dropPhysical(ctx, h, t.Index(n).Physical); err != nil {
			return err
		}
	}
	for _, name := range t.storages() {
		if err := c.dropPhysical(ctx, h, name); err != nil {
			return err
		}
	}
	if t.Rewrite != nil {
		c.deleteRows(ctx, []string{jobKey(t.Rewrite.ID)})
	}
	return nil
}

func (c *Catalog) dropPhysical(ctx context.Context, h *held, name string) error {
	return h.admin(ctx, func(ctx context.Context) error {
		err := c.store.Admin().DropTable(ctx, name)
		if storage.CodeOf(err) == storage.CodeNotFound {
			return nil
		}
		return err
	})
}

// repairAtOpen puts in order what died with other servers, unless one of them
// is at work right now; then the next DDL statement does it. It never keeps a
// catalog from opening.
func (c *Catalog) repairAtOpen(ctx context.Context) error {
	if c.store.Caps().ReadOnly {
		return nil
	}
	h, err := c.tryAcquire(ctx)
	if err == nil && h == nil {
		return nil
	}
	if err == nil {
		err = c.repair(ctx, h)
		h.release(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return fromStorage(ctx.Err(), "opening the catalog")
	}
	if err != nil {
		c.opts.Logger.Warn("catalog: repair at open was not completed", "err", err)
	}
	return nil
}

func (c *Catalog) repair(ctx context.Context, h *held) error {
	if err := c.finishPending(ctx, h); err != nil {
		return err
	}
	// The list of tables is older than the root read after it: a table that
	// the list has and the root has not is one whose descriptor was removed.
	var tables []storage.TableSpec
	err := h.admin(ctx, func(ctx context.Context) (err error) {
		tables, err = c.store.Admin().Tables(ctx)
		return err
	})
	if err != nil {
		return err
	}
	s, err := c.Refresh(ctx)
	if err != nil {
		return err
	}
	copies := map[string]bool{}
	for _, t := range s.reshaped {
		for _, name := range t.storages() {
			copies[name] = true
		}
	}
	for _, spec := range tables {
		id, ours := ownsPhysical(s.root.UID, spec.Name)
		if !ours || id >= s.root.NextID || copies[spec.Name] {
			continue
		}
		if _, ix := s.IndexByID(id); ix != nil && ix.Physical == spec.Name {
			continue
		}
		t := s.storedIn(id, spec.Name)
		switch {
		case t == nil:
			if err := c.dropPhysical(ctx, h, spec.Name); err != nil {
				return err
			}
		case !specHolds(spec, t.storageSpec(nil)):
			if err := c.alterPhysical(ctx, h, t.storageSpec(nil)); err != nil {
				return err
			}
		}
	}
	return c.sweep(ctx, s)
}

// storedIn gives the table whose rows are in a storage table that was named for an object
// ID; nil where there is none.
func (s *Snapshot) storedIn(id uint32, physical string) *Table {
	if t, _ := s.objects[id].desc.(*Table); t != nil && t.Physical == physical {
		return t
	}
	for _, o := range s.objects { // a copy has an ID of its own
		if t, _ := o.desc.(*Table); t != nil && t.Physical == physical {
			return t
		}
	}
	return nil
}

// specHolds says whether a storage table is as its descriptor wants it: an
// ALTER TABLE may have died between the two.
func specHolds(got, want storage.TableSpec) bool {
	have := make(map[string]storage.FamilySpec, len(got.Families))
	for _, f := range got.Families {
		have[f.Name] = f
	}
	for _, f := range want.Families {
		g, ok := have[f.Name]
		if !ok || max(g.MaxVersions, 1) != max(f.MaxVersions, 1) || g.TTL != f.TTL {
			return false
		}
	}
	return true
}

func (c *Catalog) alterPhysical(ctx context.Context, h *held, spec storage.TableSpec) error {
	return h.admin(ctx, func(ctx context.Context) error { return c.store.Admin().AlterTable(ctx, spec) })
}

// sweep removes descriptor rows and sequence values that nothing names.
//
// A descriptor row of version v can become current only by a commit on a root
// of version v-1. Under a root of version v or more it is current now or
// never, so it may go although its writer may still be alive.
func (c *Catalog) sweep(ctx context.Context, s *Snapshot) error {
	garbage, err := c.garbage(ctx, s)
	if err != nil {
		return err
	}
	c.deleteRows(ctx, garbage)
	return nil
}

func (c *Catalog) garbage(ctx context.Context, s *Snapshot) ([]string, error) {
	var garbage []string
	err := c.scanKeys(ctx, descPrefix, func(key string) {
		id, ptr, version, ok := parseDescKey(key)
		if o, cur := s.objects[id]; ok && version <= s.version && (!cur || o.ptr != ptr) {
			garbage = append(garbage, key)
		}
	})
	if err != nil {
		return nil, err
	}
	err = c.scanKeys(ctx, seqPrefix, func(key string) {
		id, err := strconv.ParseUint(strings.TrimPrefix(key, seqPrefix), 10, 32)
		if err != nil || uint32(id) >= s.root.NextID {
			return
		}
		if _, ok := s.objects[uint32(id)].desc.(*Sequence); !ok {
			garbage = append(garbage, key)
		}
	})
	return garbage, err
}

// parseDescKey takes `desc/0000016385/7/9f3c01aa` apart.
func parseDescKey(key string) (id uint32, ptr string, version uint64, ok bool) {
	idText, ptr, ok := strings.Cut(strings.TrimPrefix(key, descPrefix), "/")
	if !ok {
		return 0, "", 0, false
	}
	verText, _, ok := strings.Cut(ptr, "/")
	if !ok {
		return 0, "", 0, false
	}
	n, err := strconv.ParseUint(idText, 10, 32)
	if err != nil {
		return 0, "", 0, false
	}
	version, err = strconv.ParseUint(verText, 10, 64)
	return uint32(n), ptr, version, err == nil
}

func (c *Catalog) scanKeys(ctx context.Context, prefix string, visit func(key string)) error {
	end := []byte(prefix)
	end[len(end)-1]++
	req := &storage.ScanRequest{Spans: []storage.Span{{Start: []byte(prefix), End: end}}, KeysOnly: true}
	var keys []string
	err := retryRead(ctx, func() error {
		keys = keys[:0]
		return storage.EachBatch(ctx, c.table, req, func(b *storage.RowBatch) error {
			for i := range b.Len() {
				keys = append(keys, string(b.Key(i)))
			}
			return nil
		})
	})
	for _, k := range keys {
		visit(k)
	}
	return err
}
