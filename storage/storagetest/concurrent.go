package storagetest

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
)

// parallel runs f n times at once and fails the test on an error.
func (e *env) parallel(n int, f func(i int) error) {
	e.t.Helper()
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = f(i)
		}()
	}
	wg.Wait()
	for _, err := range errs {
		e.must(err)
	}
}

// A counter kept by comparing and setting the cell's timestamp loses nothing.
func testConcurrentCAS(e *env) {
	t := e.table("t")
	const workers, each = 8, 30
	key, q := []byte("k"), []byte("n")
	e.must(t.Mutate(e.ctx, []storage.RowMutation{{Key: key, Mutations: []storage.Mutation{
		{Op: storage.SetCell, Family: "f", Qualifier: q, Timestamp: 1000, Value: make([]byte, 8)}}}}, storage.WriteOptions{}))
	e.parallel(workers, func(int) error {
		var b storage.RowBatch
		for done := 0; done < each; {
			b.Reset()
			if _, err := t.MultiGet(e.ctx, [][]byte{key}, nil, &b); err != nil {
				return err
			}
			c := b.Cell(0, 0)
			n := binary.BigEndian.Uint64(c.Value)
			ok, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: key,
				Cond: storage.Cond{Op: storage.CellTSEquals, Family: "f", Qualifier: q, Timestamp: c.Timestamp},
				Then: []storage.Mutation{{Op: storage.SetCell, Family: "f", Qualifier: q, Timestamp: c.Timestamp + 1000,
					Value: binary.BigEndian.AppendUint64(nil, n+1)}}})
			if err != nil {
				return err
			}
			if ok {
				done++
			}
		}
		return nil
	})
	var b storage.RowBatch
	_, err := t.MultiGet(e.ctx, [][]byte{key}, nil, &b)
	e.must(err)
	if n := binary.BigEndian.Uint64(b.Cell(0, 0).Value); n != workers*each {
		e.t.Fatalf("counted to %d, want %d", n, workers*each)
	}
}

// Of several inserts of one key one wins.
func testConcurrentInsert(e *env) {
	t := e.table("t")
	const workers, keys = 8, 25
	var won [keys]atomic.Int32
	e.parallel(workers, func(w int) error {
		for i := range keys {
			ok, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: fmt.Appendf(nil, "k%02d", i),
				Cond: storage.Cond{Op: storage.RowAbsent}, Then: muts(fmt.Sprintf("f:w@1=%d", w))})
			if err != nil {
				return err
			}
			if ok {
				won[i].Add(1)
			}
		}
		return nil
	})
	for i := range won {
		if n := won[i].Load(); n != 1 {
			e.t.Fatalf("key %d was inserted %d times", i, n)
		}
	}
	if got := e.all(t); len(got) != keys {
		e.t.Fatalf("%d rows", len(got))
	}
}

// Writes of different columns of one row all stay, also in calls of many rows
// whose order differs.
func testConcurrentParts(e *env) {
	t := e.table("t")
	const workers, rowsEach, rounds = 6, 20, 5
	e.parallel(workers, func(w int) error {
		for r := range rounds {
			var lines []string
			for i := range rowsEach {
				if w%2 == 1 {
					i = rowsEach - 1 - i
				}
				lines = append(lines, fmt.Sprintf("k%02d f:w%d@%d=%d", i, w, r+1, r))
			}
			if err := t.Mutate(e.ctx, rows(lines...), storage.WriteOptions{NoSync: true}); err != nil {
				return err
			}
		}
		return nil
	})
	var want []string
	for i := range rowsEach {
		l := fmt.Sprintf("k%02d", i)
		for w := range workers {
			l += fmt.Sprintf(" f:w%d@%d=%d", w, rounds, rounds-1)
		}
		want = append(want, l)
	}
	e.want(e.all(t), want...)
}

// Every reader sees all of a mutation of a row or nothing. The columns stay
// the same, since emulators tear rows whose columns change.
func testRowsAreAtomic(e *env) {
	t := e.table("t")
	row := func(n int) string { return fmt.Sprintf("k f:a@%d=%d f:b@%[1]d=%[2]d g:c@%[1]d=%[2]d", n, n) }
	e.put(t, row(1))
	var stop atomic.Bool
	e.parallel(4, func(w int) error {
		var b storage.RowBatch
		if w == 0 {
			defer stop.Store(true)
			for n := 2; n < 150; n++ {
				if err := t.Mutate(e.ctx, rows(row(n)), storage.WriteOptions{NoSync: true}); err != nil {
					return err
				}
			}
			return nil
		}
		for !stop.Load() {
			b.Reset()
			if w == 1 {
				sc, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(",")})
				if err != nil {
					return err
				}
				err = sc.Next(&b)
				sc.Close()
				if err != nil {
					return err
				}
			} else if _, err := t.MultiGet(e.ctx, byteKeys("k"), nil, &b); err != nil {
				return err
			}
			va, _ := b.Value(0, "f", []byte("a"))
			vb, _ := b.Value(0, "f", []byte("b"))
			vc, _ := b.Value(0, "g", []byte("c"))
			if string(va) != string(vb) || string(va) != string(vc) || len(va) == 0 {
				return fmt.Errorf("torn row: %q %q %q", va, vb, vc)
			}
		}
		return nil
	})
}

// A scan gives as many rows as its limit allows where there are as many, though rows go
// while it reads: who gets fewer takes what was read for all. Each row that comes and
// goes has one writer: whether a write whose answer was lost has happened shows in its
// cell, and where another may have deleted that, CodeAmbiguous is the right answer.
func testLimitIsReached(e *env) {
	t := e.table("t")
	const stay, limit, writers = 40, 30, 3
	var lines, come []string
	for i := range stay {
		lines = append(lines, fmt.Sprintf("s%02d f:a@1=x", i))
		come = append(come, fmt.Sprintf("%c%02d f:a@1=x", 'a'+25*(i%2), i)) // before and behind them
	}
	e.put(t, lines...)
	var stop atomic.Bool
	e.parallel(writers+1, func(w int) error {
		for i := 0; w > 0; i++ {
			if stop.Load() {
				return nil
			}
			ms := rows(come[w-1+writers*(i%(stay/writers))])
			if err := t.Mutate(e.ctx, ms, storage.WriteOptions{NoSync: true}); err != nil {
				return err
			}
			ms[0].Mutations = []storage.Mutation{{Op: storage.DeleteRow}}
			if err := t.Mutate(e.ctx, ms, storage.WriteOptions{NoSync: true}); err != nil {
				return err
			}
		}
		defer stop.Store(true)
		for i := range 300 {
			got, err := e.tryScan(t, &storage.ScanRequest{Spans: spans(","), Limit: limit, Reverse: i%2 == 1})
			if err != nil {
				return err
			}
			if len(got) != limit {
				return fmt.Errorf("scan %d of at most %d rows gave %d: %v", i, limit, len(got), got)
			}
		}
		return nil
	})
}
