package statements

import (
	"maps"
	"time"
)

// Bounds are the upper bounds of the times that are counted in a histogram.
var Bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 10 * time.Second, time.Minute,
}

// slots are those of a histogram: the last is above all Bounds.
const slots = len(Bounds) + 1

// slotOf finds the first bound that is not below d. Most statements are short.
func slotOf(d time.Duration) int {
	for i, bound := range Bounds {
		if d <= bound {
			return i
		}
	}
	return len(Bounds)
}

// Totals are sums over all statements of a server.
type Totals struct {
	Sums
	kinds  [kinds]kindTotals
	failed map[failure]int64
	tables map[uint32]TableCount
}

// Sums are the totals of work, and how many statements read or wrote tables: one that is about
// two counts twice.
type Sums struct {
	RowsRead, RowsReturned, RowsWritten, BytesRead, StorageCalls, SpillBytes, Buckets int64
	TableReads, TableWrites                                                           int64
}

// TableCount is how many statements read a table, and how many wrote it.
type TableCount struct{ Reads, Writes int64 }

type failure struct {
	kind  Kind
	class [2]byte
}

type kindTotals struct {
	done  int64
	nanos int64
	at    [slots]int64
}

// add adds what an entry has counted; last says that it counts no more.
func (t *Totals) add(e *Entry, last bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t.RowsRead += e.c.RowsRead
	t.RowsReturned += e.given
	t.RowsWritten += e.c.Written
	t.BytesRead += e.c.BytesRead
	t.StorageCalls += e.c.StorageCalls
	t.SpillBytes += e.c.Spilled
	t.Buckets += e.c.Buckets
	k := &t.kinds[e.Kind]
	k.done += e.c.Calls
	k.nanos += e.nanos
	ran := e.c.Calls + e.c.Errors
	for i := 0; ran > 0 && i < slots; i++ { // the last slots of most are empty, and far from the first ones
		k.at[i] += e.at[i]
		ran -= e.at[i]
	}
	for _, f := range e.failed {
		if t.failed == nil {
			t.failed = map[failure]int64{}
		}
		t.failed[failure{e.Kind, f.class}] += f.n
	}
	for _, u := range e.uses {
		u.gone = u.gone || last
		t.addUse(u)
	}
}

func (t *Totals) addUse(u *Use) {
	for _, id := range u.tables {
		if t.tables == nil {
			t.tables = map[uint32]TableCount{}
		}
		n := t.tables[id]
		if u.writes {
			n.Writes += u.n
			t.TableWrites += u.n
		} else {
			n.Reads += u.n
			t.TableReads += u.n
		}
		t.tables[id] = n
	}
}

func (t *Totals) clone() *Totals {
	c := *t
	c.failed, c.tables = maps.Clone(t.failed), maps.Clone(t.tables)
	return &c
}

// Tables shows the counts of each table, also of some that are gone, in no order.
func (t *Totals) Tables(show func(table uint32, n TableCount)) {
	for id, n := range t.tables {
		show(id, n)
	}
}

// Each shows how many statements of each kind ended with each class of SQLSTATE.
func (t *Totals) Each(show func(kind Kind, class string, n int64)) {
	for k := range kinds {
		if n := t.kinds[k].done; n > 0 {
			show(k, string(Succeeded[:]), n)
		}
	}
	for f, n := range t.failed {
		show(f.kind, string(f.class[:]), n)
	}
}

// Times shows how long the statements of each kind took: in how many buckets, and the sum. counts are cumulative,
// by Bounds; n is all of them.
func (t *Totals) Times(show func(kind Kind, counts []uint64, n uint64, sum time.Duration)) {
	for k := range kinds {
		of := &t.kinds[k]
		counts := make([]uint64, len(Bounds))
		var n uint64
		for i := range of.at {
			n += uint64(of.at[i])
			if i < len(counts) {
				counts[i] = n
			}
		}
		if n > 0 {
			show(k, counts, n, time.Duration(of.nanos))
		}
	}
}
