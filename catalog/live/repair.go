package live

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/usertype"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// unfinished says whether a snapshot holds objects of DDL statements that did
// not reach their end.
func unfinished(s *catalog.Snapshot) bool {
	for _, o := range s.Objects() {
		t, ok := o.Desc.(*catalog.Table)
		if usertype.IsPending(o.Desc) {
			return true
		}
		if o.State != catalog.StatePublic || ok && (t.Frozen || t.Truncating || len(unmade(t)) > 0 || t.Rewrite != nil && t.Rewrite.State == catalog.RewritePlanned) {
			return true
		}
	}
	return false
}

// unmade lists the indexes whose making did not reach its end, and that no job fills.
func unmade(t *catalog.Table) (ids []uint32) {
	for i := range t.Indexes {
		if ix := &t.Indexes[i]; ix.State == catalog.IndexPlanned || ix.State == catalog.IndexWriteOnly && ix.Build == nil {
			ids = append(ids, t.Indexes[i].ID)
		}
	}
	return ids
}

// finishPending undoes creations and completes removals whose statement died, and what one has
// left half done of a table: freeze, finish, thaw, in this order. Each step may be made again by
// the next who tries. The caller has the lease, so that nobody is still at work on them.
func (c *Catalog) finishPending(ctx context.Context, h *versions.Held) error {
	ctx = catalog.AsProgram(ctx)
	for _, t := range c.Snapshot().Tables() {
		if err := c.finishTable(ctx, h, t); err != nil {
			return err
		}
	}
	s, _, err := c.Change(ctx, func(ch *change.Change) error {
		n := 0
		for id, o := range ch.Objects() {
			switch {
			case o.State == catalog.StateCreating:
				abandon(ch, id, o)
				n++
			case usertype.IsPending(o.Desc):
				ch.Set(usertype.WithoutPending(o.Desc.(*catalog.Type)), catalog.StatePublic)
				n++
			}
		}
		if n == 0 {
			return change.ErrNothing
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.finishDropping(ctx, h, s)
}

// finishTable ends what a statement that died has begun of a public table.
func (c *Catalog) finishTable(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	if t.Rewrite != nil && t.Rewrite.State == catalog.RewritePlanned {
		if err := c.jobs.RemoveRewrite(ctx, h, t.ID, t.Rewrite.ID); err != nil {
			return err
		}
	}
	if t.Frozen || t.Truncating {
		st, err := h.Still(ctx, t.ID)
		if err == nil && t.Truncating {
			if err = c.truncateStill(ctx, h, t); err != nil {
				st.End(ctx)
			}
		}
		if err != nil {
			return err
		}
		st.EndSeen(ctx, t.SwitchedAt)
	}
	if ids := unmade(t); len(ids) > 0 {
		return c.jobs.RemoveIndexes(ctx, h, t.ID, ids)
	}
	return nil
}

// abandon starts the removal of an object: a table goes through dropping,
// since its storage table must go first; anything else goes at once.
func abandon(ch *change.Change, id uint32, o catalog.Object) {
	if t, ok := o.Desc.(*catalog.Table); ok {
		cp := *t
		ch.Set(&cp, catalog.StateDropping)
		return
	}
	ch.Remove(id)
}

// finishDropping removes the storage tables of tables in state dropping that no statement reads any
// more, then their descriptors. What fails, or is read, stays for the next time.
func (c *Catalog) finishDropping(ctx context.Context, h *versions.Held, s *catalog.Snapshot) error {
	dropping, newest := map[uint32]*catalog.Table{}, uint64(0)
	for id, o := range s.Objects() {
		if t, ok := o.Desc.(*catalog.Table); ok && o.State == catalog.StateDropping {
			dropping[id], newest = t, max(newest, t.Version)
		}
	}
	if len(dropping) == 0 {
		return nil
	}
	oldest, err := h.OldestRead(ctx, newest)
	if err != nil {
		return err
	}
	var gone []uint32
	var errs []error
	for id, t := range dropping {
		if t.Version > oldest {
			continue
		}
		if err := c.dropAllPhysical(ctx, h, t); err != nil {
			errs = append(errs, err)
			continue
		}
		gone = append(gone, id)
	}
	if len(gone) > 0 {
		_, _, err := c.Change(ctx, func(ch *change.Change) error {
			n := 0
			for _, id := range gone {
				if o, ok := ch.Object(id); ok && o.State == catalog.StateDropping {
					ch.Remove(id)
					n++
				}
			}
			if n == 0 {
				return change.ErrNothing
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
func (c *Catalog) dropAllPhysical(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	for n := range t.NumIndexes() {
		if err := h.DropStorage(ctx, t.Index(n).Physical); err != nil {
			return err
		}
	}
	for _, name := range t.Storages() {
		if err := h.DropStorage(ctx, name); err != nil {
			return err
		}
	}
	for _, id := range t.Jobs() {
		c.ForgetJob(ctx, id)
	}
	return nil
}

// repairAtOpen puts in order what died with other servers, unless one of them
// is at work right now; then the next DDL statement does it. It never keeps a
// catalog from opening.
func (c *Catalog) repairAtOpen(ctx context.Context) error {
	err := c.TryLease(catalog.AsProgram(ctx), c.repair)
	if err != nil && ctx.Err() != nil {
		return catalog.FromStorage(ctx.Err(), "opening the catalog")
	}
	if err != nil {
		c.Options.Logger.Warn("catalog: repair at open was not completed", "err", err)
	}
	return nil
}

func (c *Catalog) repair(ctx context.Context, h *versions.Held) error {
	if err := c.finishPending(ctx, h); err != nil {
		return err
	}
	// The list of tables is older than the root read after it: a table that
	// the list has and the root has not is one whose descriptor was removed.
	var tables []storage.TableSpec
	err := h.Admin(ctx, func(ctx context.Context) (err error) {
		tables, err = c.Store.Admin().Tables(ctx)
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
	for _, t := range s.Reshaped() {
		for _, name := range t.Storages() {
			copies[name] = true
		}
	}
	for _, spec := range tables {
		id, ours := catalog.OwnsPhysical(s.Root.UID, spec.Name)
		if !ours || id >= s.Root.NextID || copies[spec.Name] {
			continue
		}
		if _, ix := s.IndexByID(id); ix != nil && ix.Physical == spec.Name {
			// Copied from a store that needs no marks, it lacks their families.
			if want := c.indexSpec(ix); ix.State != catalog.IndexPlanned && !specHolds(spec, want) {
				if err := c.alterPhysical(ctx, h, want); err != nil {
					return err
				}
			}
			continue
		}
		t := storedIn(s, id, spec.Name)
		switch {
		case t == nil:
			if err := h.DropStorage(ctx, spec.Name); err != nil {
				return err
			}
		case !specHolds(spec, t.StorageSpec(nil)):
			if err := c.alterPhysical(ctx, h, t.StorageSpec(nil)); err != nil {
				return err
			}
		}
	}
	return c.sweep(ctx, s)
}

// storedIn gives the table whose rows are in a storage table that was named for an object
// ID; nil where there is none.
func storedIn(s *catalog.Snapshot, id uint32, physical string) *catalog.Table {
	if t, _ := s.Descriptor(id).(*catalog.Table); t != nil && t.StoredIn(physical) {
		return t
	}
	for _, o := range s.Objects() { // a copy has an ID of its own
		if t, _ := o.Desc.(*catalog.Table); t != nil && t.StoredIn(physical) {
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

func (c *Catalog) alterPhysical(ctx context.Context, h *versions.Held, spec storage.TableSpec) error {
	return h.Admin(ctx, func(ctx context.Context) error { return c.Store.Admin().AlterTable(ctx, spec) })
}

// sweep removes descriptor rows, lists of objects, sequence values and statistics that nothing
// names.
//
// A descriptor row of version v can become current only by a commit on a root
// of version v-1. Under a root of version v or more it is current now or
// never, so it may go although its writer may still be alive.
func (c *Catalog) sweep(ctx context.Context, s *catalog.Snapshot) error {
	garbage, err := c.garbage(ctx, s)
	if err != nil {
		return err
	}
	c.DeleteRows(ctx, garbage)
	return nil
}

func (c *Catalog) garbage(ctx context.Context, s *catalog.Snapshot) ([]string, error) {
	var garbage []string
	err := c.scanKeys(ctx, versions.DescPrefix, func(key string) {
		id, ptr, version, ok := parseDescKey(key)
		if o, cur := s.Object(id); ok && version <= s.Version() && (!cur || o.Ptr != ptr) {
			garbage = append(garbage, key)
		}
	})
	if err != nil {
		return nil, err
	}
	err = c.scanKeys(ctx, versions.ListPrefix, func(key string) {
		ptr := strings.TrimPrefix(key, versions.ListPrefix)
		verText, _, _ := strings.Cut(ptr, "/")
		version, err := strconv.ParseUint(verText, 10, 64)
		if err == nil && version <= s.Version() && ptr != s.Root.List {
			garbage = append(garbage, key)
		}
	})
	if err != nil {
		return nil, err
	}
	jobs := map[uint32]bool{}
	for _, t := range s.Reshaped() {
		for _, id := range t.Jobs() {
			jobs[id] = true
		}
	}
	for _, of := range []struct {
		prefix string
		needed func(id uint32) bool
	}{
		{versions.SeqPrefix, func(id uint32) bool { _, is := s.Descriptor(id).(*catalog.Sequence); return is }},
		{versions.StatPrefix, func(id uint32) bool { _, is := s.Descriptor(id).(*catalog.Table); return is }},
		{versions.JobPrefix, func(id uint32) bool { return jobs[id] }},
	} {
		err = c.scanKeys(ctx, of.prefix, func(key string) {
			id, err := strconv.ParseUint(strings.TrimPrefix(key, of.prefix), 10, 32)
			if err == nil && id < uint64(s.Root.NextID) && !of.needed(uint32(id)) {
				garbage = append(garbage, key)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return garbage, nil
}

// parseDescKey takes `desc/0000016385/7/9f3c01aa` apart.
func parseDescKey(key string) (id uint32, ptr string, version uint64, ok bool) {
	idText, ptr, ok := strings.Cut(strings.TrimPrefix(key, versions.DescPrefix), "/")
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
	err := versions.RetryRead(ctx, func() error {
		keys = keys[:0]
		return storage.EachBatch(ctx, c.Table, req, func(b *storage.RowBatch) error {
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
