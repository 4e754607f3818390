package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/stored"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// SystemTable is the storage table that keeps the catalog, and its only column
// family.
const (
	SystemTable  = "saltsql_catalog"
	SystemFamily = "c"
)

// The catalog is a copy-on-write tree of two levels. One row, the root, says
// which version of which object is current; a descriptor row, once written, is
// never changed. A DDL statement writes the descriptor rows of its new
// versions, then replaces the root by compare-and-set on the timestamp of its
// cell "root". That is the moment at which all of it happens, on a store that
// promises one atomic row and no more.
//
//	root                                  c:root           {"format":3,"uid":"k3x9qa","version":12,"epoch":9,"list":"4/…",…}
//	                                      c:o/16385        7/9f3c01aa       -> desc/0000016385/7/9f3c01aa
//	                                      c:o/16384                         deleted since the list was written
//	list/4/02d1b7c6                       c:o/16384        4/02d1b7c6       -> desc/0000016384/4/02d1b7c6
//	desc/0000016385/7/9f3c01aa            c:json           {"format":1,"kind":"table",…}
//	lease                                 c:lease          {"owner":…,"until":…}
//	clock                                 c:clock          a cell for its timestamp: see clock.go
//	seq/0000016386                        c:value          {"last":41,"called":true,"by":…}
//	stat/0000016385                       c:columns        {"rows":600000,"columns":{…}}
//
// The root names what has changed since the row that lists all objects was written; the commit
// that leaves Options.ListAfter such names writes a new list, so that a change of thousands of tables does
// not write a row of thousands of cells. In format 1 there is no list, and the root names all.
//
// The nonce in a descriptor row's key keeps two servers that prepare the same
// version from writing one row. A row that no root names is garbage: its
// writer lost the race or died; sweep removes it.
const (
	rootKey    = "root"
	rootCell   = "root"
	ptrPrefix  = "o/"
	DescPrefix = "desc/"
	descCell   = "json"
	SeqPrefix  = "seq/"
	seqCell    = "value"
	leaseKey   = "lease"
	leaseCell  = "lease"
	ListPrefix = "list/"
	rootFormat = 3 // the first with an epoch, which servers of before would commit without
	listFormat = 2 // the first with a list
	recentMax  = 32
)

// RootKey is the row of SystemTable without which there is no catalog.
const RootKey = rootKey

func descKey(id uint32, ptr string) string { return fmt.Sprintf("%s%010d/%s", DescPrefix, id, ptr) }
func SeqKey(id uint32) []byte              { return fmt.Appendf(nil, "%s%010d", SeqPrefix, id) }
func listKey(ptr string) string            { return ListPrefix + ptr }
func ptrCell(id uint32) []byte             { return strconv.AppendUint([]byte(ptrPrefix), uint64(id), 10) }

// readRootCell reads the root alone, without the list of objects. CodeNotFound
// where the catalog's table is not there; ok is false where the row is not.
func (c *Keeper) readRootCell(ctx context.Context) (r catalog.Root, ok bool, err error) {
	req := &storage.ScanRequest{Project: []storage.Col{{Family: SystemFamily, Qualifier: []byte(rootCell)}}}
	r, _, ok, err = c.getRoot(ctx, req)
	return r, ok, err
}

// getRoot reads the root and the pointers among the cells that req asks for.
func (c *Keeper) getRoot(ctx context.Context, req *storage.ScanRequest) (r catalog.Root, ptrs map[uint32]string, ok bool, err error) {
	var b storage.RowBatch
	err = RetryRead(ctx, func() error {
		b.Reset()
		_, err := c.Table.MultiGet(ctx, [][]byte{[]byte(rootKey)}, req, &b)
		return err
	})
	if err != nil || b.Len() == 0 {
		return r, nil, false, err
	}
	ptrs, value, ts, err := pointers(&b, rootKey)
	if err != nil {
		return r, nil, false, err
	}
	if ok = value != nil; ok {
		if err := json.Unmarshal(value, &r); err != nil {
			return r, nil, false, catalog.Corrupt(rootKey, "%v", err)
		}
		r.TS = ts
	}
	switch {
	case !ok:
		return r, nil, false, catalog.Corrupt(rootKey, "cell %q is missing", rootCell)
	case r.Format < 1 || r.Format > rootFormat:
		return r, nil, false, sqlerr.New(sqlerr.FeatureNotSupported, "the catalog has format %d; this program reads formats 1 to %d", r.Format, rootFormat).
			WithHint("Use a newer saltsql for this store.")
	case r.UID == "" || r.NextID < catalog.FirstNormalOID:
		return r, nil, false, catalog.Corrupt(rootKey, "no uid, or next ID %d below %d", r.NextID, catalog.FirstNormalOID)
	}
	return r, ptrs, true, nil
}

// pointers reads the row in b, which is the root or a list; value and ts are those of the root's
// own cell, where it is there.
func pointers(b *storage.RowBatch, key string) (ptrs map[uint32]string, value []byte, ts int64, err error) {
	ptrs = make(map[uint32]string, b.NumCells(0))
	for j := range b.NumCells(0) {
		cell := b.Cell(0, j)
		q := string(cell.Qualifier)
		if q == rootCell {
			value, ts = cell.Value, cell.Timestamp
			continue
		}
		id, err := strconv.ParseUint(strings.TrimPrefix(q, ptrPrefix), 10, 32)
		if err != nil || !strings.HasPrefix(q, ptrPrefix) {
			return nil, nil, 0, catalog.Corrupt(key, "unknown cell %q", q)
		}
		ptrs[uint32(id)] = string(cell.Value)
	}
	return ptrs, value, ts, nil
}

// listed gives the pointers of a list with those of the root put over them; nil if the row is
// gone, since the root has moved on.
func (c *Keeper) listed(ctx context.Context, list string, over map[uint32]string) (map[uint32]string, error) {
	var b storage.RowBatch
	err := RetryRead(ctx, func() error {
		b.Reset()
		_, err := c.Table.MultiGet(ctx, [][]byte{[]byte(listKey(list))}, nil, &b)
		return err
	})
	if err != nil || b.Len() == 0 {
		return nil, err
	}
	ptrs, _, _, err := pointers(&b, listKey(list))
	if err != nil {
		return nil, err
	}
	for id, ptr := range over {
		if ptr == "" {
			delete(ptrs, id)
		} else {
			ptrs[id] = ptr
		}
	}
	return ptrs, nil
}

// Load reads the catalog, taking from old what did not change.
func (c *Keeper) Load(ctx context.Context, old *catalog.Snapshot) (*catalog.Snapshot, error) {
	for try := 0; ; try++ {
		s, gone, err := c.loadOnce(ctx, old)
		if err != nil || s != nil {
			return s, err
		}
		// A descriptor row was gone: its object has moved on since the root
		// was read, and the root says so when it is read again.
		if try == 100 {
			return nil, catalog.Corrupt(gone, "the row is missing, though the root names it")
		}
		if err := storage.Pause(ctx, try, raceUnit); err != nil {
			return nil, err
		}
	}
}

func (c *Keeper) loadOnce(ctx context.Context, old *catalog.Snapshot) (_ *catalog.Snapshot, gone string, err error) {
	r, ptrs, ok, err := c.getRoot(ctx, nil)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return nil, "", catalog.Corrupt(rootKey, "the row is missing")
	}
	if r.Format >= listFormat {
		r.Since = slices.Collect(maps.Keys(ptrs))
	}
	if r.List != "" {
		if ptrs, err = c.listed(ctx, r.List, ptrs); err != nil || ptrs == nil {
			return nil, listKey(r.List), err
		}
	}
	objects := make(map[uint32]catalog.Object, len(ptrs))
	var keys [][]byte
	byKey := make(map[string]uint32)
	for id, ptr := range ptrs {
		if old != nil {
			if o, ok := old.Object(id); ok && o.Ptr == ptr {
				objects[id] = o
				continue
			}
		}
		k := descKey(id, ptr)
		keys = append(keys, []byte(k))
		byKey[k] = id
	}
	slices.SortFunc(keys, func(a, b []byte) int { return strings.Compare(string(a), string(b)) })
	const chunk = 256
	var b storage.RowBatch
	for len(keys) > 0 {
		part := keys[:min(chunk, len(keys))]
		keys = keys[len(part):]
		err := RetryRead(ctx, func() error {
			b.Reset()
			_, err := c.Table.MultiGet(ctx, part, nil, &b)
			return err
		})
		if err != nil {
			return nil, "", err
		}
		if b.Len() < len(part) {
			return nil, string(part[0]), nil
		}
		for i := range b.Len() {
			k := string(b.Key(i))
			v, ok := b.Value(i, SystemFamily, []byte(descCell))
			if !ok {
				return nil, "", catalog.Corrupt(k, "cell %q is missing", descCell)
			}
			d, st, err := stored.Decode(k, v, c.users)
			if err != nil {
				return nil, "", err
			}
			id := byKey[k]
			if DescriptorID(d) != id {
				return nil, "", catalog.Corrupt(k, "the descriptor says it is object %d", DescriptorID(d))
			}
			objects[id] = catalog.Object{Desc: d, State: st, Ptr: ptrs[id]}
		}
	}
	return catalog.NewSnapshot(r, catalog.LayeredOf(objects), c.users), "", nil
}

func DescriptorID(d catalog.Descriptor) uint32 {
	switch d := d.(type) {
	case *catalog.Schema:
		return d.ID
	case *catalog.Role:
		return d.ID
	case *catalog.Database:
		return d.ID
	}
	return d.(catalog.Relation).RelID()
}

// nextTimestamp gives a cell timestamp above prev: wall-clock milliseconds
// where the clock is ahead of it.
func (c *Keeper) nextTimestamp(prev int64) int64 {
	return max(c.Options.Now().UnixMilli()*1000, prev+1000)
}

// RetryRead repeats a read that the store says may be repeated.
func RetryRead(ctx context.Context, read func() error) error {
	err := storage.Again(ctx, read)
	if storage.IsRetryable(err) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// raceUnit is about how long a lost race for a row of the catalog is waited out at first: see
// storage.Pause.
const raceUnit = 2 * time.Millisecond

func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
