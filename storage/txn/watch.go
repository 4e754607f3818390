package txn

import (
	"bytes"
	"slices"
	"sync"

	"github.com/saltsql/saltsql/storage"
)

// watches are the tables of a store of whose rows commits tell.
type watches struct {
	mu   sync.RWMutex
	list []*Watch
}

// Watch keeps the keys of the rows of one table that transactions write.
type Watch struct {
	of    *watches
	table string

	mu    sync.Mutex
	keys  map[string]struct{}
	bytes int
	over  bool
}

const (
	// maxWatched is how many bytes the keys of a Watch may take.
	maxWatched = 64 << 20
	// watchedKey is what a key takes beside its own bytes, about.
	watchedKey = 64
)

// Watch has commits note the keys of a table's rows before they write them, on a store with
// Caps.AtomicBatch, and loads of the table be refused, until End. A commit under way when it
// begins may be missed. What is noted may fail to be written.
func (m *Manager) Watch(table string) *Watch {
	w := &Watch{of: m.watches, table: table, keys: map[string]struct{}{}}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.of.list = append(w.of.list, w)
	return w
}

// Over says that more keys were written than are kept: End will give none.
func (w *Watch) Over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// End gives the keys, in order; ok is false where there were more than 64 MiB of them. It
// is idempotent, and gives none the second time.
func (w *Watch) End() (keys [][]byte, ok bool) {
	w.of.mu.Lock()
	w.of.list = slices.DeleteFunc(w.of.list, func(x *Watch) bool { return x == w })
	w.of.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	keys = make([][]byte, 0, len(w.keys))
	for k := range w.keys {
		keys = append(keys, []byte(k))
	}
	w.keys = nil
	slices.SortFunc(keys, bytes.Compare)
	return keys, !w.over
}

// note tells the watches of a table.
func (ws *watches) note(table string, rows []storage.RowMutation) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	for _, w := range ws.list {
		if w.table != table {
			continue
		}
		w.add(rows)
	}
}

func (w *Watch) add(rows []storage.RowMutation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range rows {
		if w.keys == nil {
			return
		}
		if _, ok := w.keys[string(rows[i].Key)]; ok {
			continue
		}
		if w.bytes += len(rows[i].Key) + watchedKey; w.bytes > maxWatched {
			w.keys, w.over = nil, true
			return
		}
		w.keys[string(rows[i].Key)] = struct{}{}
	}
}

func (ws *watches) has(table string) bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return slices.ContainsFunc(ws.list, func(w *Watch) bool { return w.table == table })
}
