package transact

import (
	"bytes"
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// broken is a store below that breaks one step of the protocol of the server above it.
type broken struct {
	storage.Store
	early, unasked, once, blind, slow bool

	mu      sync.Mutex
	fetched int64            // early: a timestamp for later
	rows    storage.RowBatch // once: what scans have shown
	late    sync.WaitGroup   // blind
}

func (b *broken) Table(name string) storage.Table {
	return &brokenTable{b.Store.Table(name), b, name}
}

type brokenTable struct {
	storage.Table
	b    *broken
	name string
}

// Increment, early: c is what was fetched when the last one was asked for, before the locks.
func (t *brokenTable) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	sum, err := t.Table.Increment(ctx, key, col, delta)
	if err != nil || !t.b.early {
		return sum, err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	was := t.b.fetched
	if t.b.fetched = sum; was == 0 {
		was = sum
		t.b.fetched, err = t.Table.Increment(ctx, key, col, delta)
	}
	return was, err
}

// CheckAndMutate, unasked: a record is said to be pushed that is not asked what it says. blind: a
// row of a commit is changed, whatever has become of the lock, by a call that the network delivers twice.
func (t *brokenTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	switch kind := kindOf(t.name, m); {
	case kind == "push" && t.b.unasked:
		return true, nil
	case kind == "write" && t.b.slow:
		time.Sleep(time.Millisecond)
	case kind == "write" && t.b.blind:
		rows := []storage.RowMutation{{Key: bytes.Clone(m.Key), Mutations: slices.Clone(m.Then)}}
		t.b.late.Go(func() {
			time.Sleep(10 * time.Millisecond)
			_ = t.Table.Mutate(context.WithoutCancel(ctx), rows, storage.WriteOptions{})
		})
		return true, t.Table.Mutate(ctx, rows, storage.WriteOptions{})
	}
	return t.Table.CheckAndMutate(ctx, m)
}

// MultiGet, unasked: there is no record. once: a row that is read a second time is what it was at first.
func (t *brokenTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	again := req != nil && len(req.Project) > 1 && t.name != RecordTable && len(req.Spans) > 0
	switch {
	case t.b.unasked && t.name == RecordTable:
		return 1, nil
	case t.b.once && again:
		t.b.mu.Lock()
		defer t.b.mu.Unlock()
		for _, k := range keys {
			for i := t.b.rows.Len() - 1; i >= 0; i-- {
				if bytes.Equal(t.b.rows.Key(i), append([]byte(t.name), k...)) {
					dst.StartRow(k)
					for j := range t.b.rows.NumCells(i) {
						c := t.b.rows.Cell(i, j)
						dst.AddCell(c.Family, c.Qualifier, c.Timestamp, c.Value)
					}
					break
				}
			}
		}
		return 1, nil
	}
	return t.Table.MultiGet(ctx, keys, req, dst)
}

func (t *brokenTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	sc, err := t.Table.Scan(ctx, req)
	if err != nil || !t.b.once {
		return sc, err
	}
	return &brokenScanner{sc, t}, nil
}

type brokenScanner struct {
	storage.Scanner
	t *brokenTable
}

func (s *brokenScanner) Next(dst *storage.RowBatch) error {
	err := s.Scanner.Next(dst)
	if err == nil {
		b := s.t.b
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.rows.Len() > 1000 {
			b.rows.Reset()
		}
		for i := range dst.Len() {
			b.rows.StartRow(append([]byte(s.t.name), dst.Key(i)...))
			for j := range dst.NumCells(i) {
				c := dst.Cell(i, j)
				b.rows.AddCell(c.Family, c.Qualifier, c.Timestamp, c.Value)
			}
		}
	}
	return err
}

// TestBreaksAreSeen: the bank finds out where a step is left out of the protocol by one server that
// reads, or by those that write.
func TestBreaksAreSeen(t *testing.T) {
	for _, how := range []struct {
		name   string
		change func(b *broken, reader bool)
	}{
		{"c before the locks", func(b *broken, reader bool) { b.early = !reader }},
		{"readers do not ask the record", func(b *broken, reader bool) { b.unasked, b.slow = reader, !reader }},
		{"no second read of a row", func(b *broken, reader bool) { b.once = reader }},
		{"rows are changed blindly", func(b *broken, reader bool) { b.blind = !reader }},
	} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			b := newBank(t, 4, onMem(t))
			var servers []*server
			for i := range 3 {
				v := &server{b: b, lose: math.MaxInt32, reads: i == 0, dies: func() int64 { return 0 }}
				if !v.reads { // a timestamp of a moment ago is not too old for a clock that is behind
					v.off = -10 * time.Second
				}
				v.change = func(below storage.Store) storage.Store {
					bad := &broken{Store: below}
					how.change(bad, v.reads)
					t.Cleanup(bad.late.Wait)
					return bad
				}
				servers = append(servers, v)
			}
			made, _, _, looked := b.run(servers, seeds.First(t), 5_000)
			if len(b.broken) == 0 {
				b.end(0)
			}
			if len(b.broken) == 0 {
				t.Fatalf("%d transfers, %d snapshots, and nothing was broken", made, looked)
			}
			t.Logf("after %d transfers, %d snapshots: %s", made, looked, b.broken[0])
		})
	}
}
