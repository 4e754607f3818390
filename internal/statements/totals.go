package statements

import (
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is what a statement is, for metrics: a short list, whatever users write.
type Kind uint8

// The kinds of statements.
const (
	Select Kind = iota
	Insert      // UPSERT too
	Update
	Delete
	Copy
	DDL
	Transaction
	Other
	kinds
)

var kindNames = [kinds]string{"select", "insert", "update", "delete", "copy", "ddl", "transaction", "other"}

func (k Kind) String() string { return kindNames[k] }

// KindOf tells a statement's kind by its command tag, or its first word.
func KindOf(tag string) Kind {
	word, _, _ := strings.Cut(tag, " ")
	switch strings.ToUpper(word) {
	case "SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN", "SHOW", "FETCH":
		return Select
	case "INSERT", "UPSERT":
		return Insert
	case "UPDATE":
		return Update
	case "DELETE":
		return Delete
	case "COPY":
		return Copy
	case "CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "GRANT", "REVOKE":
		return DDL
	case "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE":
		return Transaction
	}
	return Other
}

// Bounds are the upper bounds of the times that Totals counts in buckets.
var Bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 10 * time.Second, time.Minute,
}

// Totals are sums over all statements of a server.
type Totals struct {
	kinds [kinds]kindTotals

	rowsRead, returned, written, bytesRead, calls, spilled, buckets atomic.Int64

	mu     sync.Mutex
	failed map[failure]int64
}

type failure struct {
	kind  Kind
	class [2]byte
}

type kindTotals struct {
	done  atomic.Int64
	nanos atomic.Int64
	at    [len(Bounds) + 1]atomic.Int64 // by the first bound that is not below; the last is above all
}

func (t *Totals) add(r *Run) {
	k := &t.kinds[r.Kind]
	k.nanos.Add(int64(r.Time))
	k.at[sort.Search(len(Bounds), func(i int) bool { return r.Time <= Bounds[i] })].Add(1)
	if r.failed() {
		t.mu.Lock()
		if t.failed == nil {
			t.failed = map[failure]int64{}
		}
		t.failed[failure{r.Kind, r.Class}]++
		t.mu.Unlock()
	} else {
		k.done.Add(1)
	}
	for _, n := range []struct {
		to *atomic.Int64
		by int64
	}{{&t.rowsRead, r.RowsRead}, {&t.returned, r.Given}, {&t.written, r.Written}, {&t.bytesRead, r.Bytes}, {&t.calls, r.Calls}, {&t.spilled, r.SpillBytes}, {&t.buckets, r.Buckets}} {
		if n.by != 0 {
			n.to.Add(n.by)
		}
	}
}

// Sums are the totals of work.
type Sums struct{ RowsRead, RowsReturned, RowsWritten, BytesRead, StorageCalls, SpillBytes, Buckets int64 }

// Sums gives the totals of now.
func (t *Totals) Sums() Sums {
	return Sums{t.rowsRead.Load(), t.returned.Load(), t.written.Load(), t.bytesRead.Load(), t.calls.Load(), t.spilled.Load(), t.buckets.Load()}
}

// Each shows how many statements of each kind ended with each class of SQLSTATE.
func (t *Totals) Each(show func(kind Kind, class string, n int64)) {
	for k := range kinds {
		if n := t.kinds[k].done.Load(); n > 0 {
			show(k, string(Succeeded[:]), n)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
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
			n += uint64(of.at[i].Load())
			if i < len(counts) {
				counts[i] = n
			}
		}
		if n > 0 {
			show(k, counts, n, time.Duration(of.nanos.Load()))
		}
	}
}
