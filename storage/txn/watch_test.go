package txn

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// TestWatchBound: a watch keeps each key once, and says so where it cannot keep them all.
func TestWatchBound(t *testing.T) {
	m := &Manager{watches: &watches{}}
	w := m.Watch("t")
	note := func(table string, from, to int) {
		var rows []storage.RowMutation
		for i := from; i < to; i++ {
			rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "%05d", i)})
		}
		m.watches.note(table, rows)
	}
	note("t", 0, 100)
	note("t", 50, 150)
	note("u", 0, 1000)
	if w.Over() {
		t.Fatal("150 keys are too many")
	}
	other := m.Watch("t")
	other.bytes = maxWatched - 10*(watchedKey+5)
	note("t", 150, 161)
	if !other.Over() {
		t.Error("a watch keeps more than it may")
	}
	if keys, ok := other.End(); ok || len(keys) > 0 {
		t.Errorf("%d keys of one that is over, %v", len(keys), ok)
	}
	if keys, ok := w.End(); !ok || len(keys) != 161 || string(keys[160]) != "00160" {
		t.Errorf("%d keys, %v", len(keys), ok)
	}
	if keys, _ := w.End(); len(keys) > 0 || m.watches.has("t") {
		t.Error("a watch that has ended goes on")
	}
}
