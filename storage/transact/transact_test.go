package transact

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

var balance = storage.Col{Family: "0", Qualifier: []byte("b")}

// bank is accounts in two tables, of which transfers keep the sum.
type bank struct {
	t      testing.TB
	ctx    context.Context
	tables [2]string
	n      int // accounts in each
	sum    int64
	told   sync.Map // marker rows of transfers that were acknowledged
}

func newBank(t testing.TB, s *Store, n int) *bank {
	b := &bank{t: t, ctx: context.Background(), tables: [2]string{"a.1" + Mark, "b.2" + Mark}, n: n}
	for _, name := range b.tables {
		if err := s.Admin().CreateTable(b.ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
			t.Fatal(err)
		}
		var rows []storage.RowMutation
		for i := range n {
			rows = append(rows, storage.RowMutation{Key: account(i), Mutations: set(1000)})
			b.sum += 1000
		}
		if err := s.Table(name).Mutate(b.ctx, rows, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func account(i int) []byte { return fmt.Appendf(nil, "k%04d", i) }

func set(n int64) []storage.Mutation {
	return []storage.Mutation{{Op: storage.SetCell, Family: balance.Family, Qualifier: balance.Qualifier, Timestamp: step, Value: binary.BigEndian.AppendUint64(nil, uint64(n))}}
}

// transfer moves money between accounts of both tables, 0 accounts being closed and opened again: a row
// of nothing is deleted.
func (b *bank) transfer(s *Store, r *rand.Rand, accounts int) error {
	snap, err := s.Snapshot(b.ctx)
	if err != nil {
		return err
	}
	type place struct {
		table string
		key   string
	}
	places := map[place]bool{}
	for len(places) < accounts {
		places[place{b.tables[r.IntN(2)], string(account(r.IntN(b.n)))}] = true
	}
	batch, err := s.Batch()
	if err != nil {
		return err
	}
	defer batch.Close()
	var all int64
	var list []place
	seen := map[place]int64{}
	for p := range places {
		var rb storage.RowBatch
		if _, err := s.Table(p.table).MultiGet(b.ctx, [][]byte{[]byte(p.key)}, &storage.ScanRequest{Snapshot: snap, WithVersion: true, Project: []storage.Col{balance}}, &rb); err != nil {
			return err
		}
		if rb.Len() > 0 {
			if v, ok := rb.Value(0, balance.Family, balance.Qualifier); ok {
				all += int64(binary.BigEndian.Uint64(v))
			}
			for j := range rb.NumCells(0) {
				if c := rb.Cell(0, j); isCol(&c, &storage.Version) {
					seen[p] = c.Timestamp
				}
			}
		}
		list = append(list, p)
	}
	for i, p := range list {
		part := r.Int64N(all/2 + 1)
		if i == len(list)-1 {
			part = all
		}
		all -= part
		muts := []storage.Mutation{{Op: storage.SetCell, Family: storage.Version.Family, Qualifier: storage.Version.Qualifier, Timestamp: seen[p]}, {Op: storage.DeleteRow}}
		if part > 0 {
			muts = append(muts, set(part)...)
		}
		if err := batch.Mutate(p.table, []storage.RowMutation{{Key: []byte(p.key), Mutations: muts}}); err != nil {
			return err
		}
	}
	return batch.Commit(b.ctx, storage.WriteOptions{})
}

// look sums up both tables at one moment.
func (b *bank) look(s *Store) (int64, error) {
	snap, err := s.Snapshot(b.ctx)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, name := range b.tables {
		sc, err := s.Table(name).Scan(b.ctx, &storage.ScanRequest{Spans: []storage.Span{{}}, Snapshot: snap, Project: []storage.Col{balance}, BatchRows: 7})
		if err != nil {
			return 0, err
		}
		var rb storage.RowBatch
		for err = sc.Next(&rb); err == nil; err = sc.Next(&rb) {
			for i := range rb.Len() {
				v, _ := rb.Value(i, balance.Family, balance.Qualifier)
				sum += int64(binary.BigEndian.Uint64(v))
			}
		}
		sc.Close()
		if err != io.EOF {
			return 0, err
		}
	}
	return sum, nil
}

// run has servers transfer, and others look, until so many transfers are done. Each sum that is not
// the bank's counts.
func (b *bank) run(stores []*Store, seed uint64, transfers int) (broken, snapshots, done, conflicts int64) {
	var left, bad, looked, made, lost atomic.Int64
	left.Store(int64(transfers))
	var wg sync.WaitGroup
	for w := range 2 * len(stores) {
		s, r := stores[w%len(stores)].Transactions(), rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				err := b.transfer(s, r, 1+r.IntN(5))
				switch code := storage.CodeOf(err); {
				case err == nil:
					made.Add(1)
				case code == storage.CodeConflict:
					lost.Add(1)
				case code == storage.CodeAmbiguous || storage.IsRetryable(err):
				default:
					b.t.Errorf("transfer: %v", err)
				}
			}
		})
	}
	for w := range stores {
		s := stores[w].Transactions()
		wg.Go(func() {
			for left.Load() > 0 {
				sum, err := b.look(s)
				if err != nil {
					if !storage.IsRetryable(err) {
						b.t.Errorf("look: %v", err)
					}
					continue
				}
				looked.Add(1)
				if sum != b.sum {
					bad.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return bad.Load(), looked.Load(), made.Load(), lost.Load()
}

// slowly has each call take a while, so that calls of many meet, and loses answers.
func slowly(below storage.Store, r *rand.Rand, lose int) *fault.Store {
	f := fault.Wrap(below)
	f.Add(fault.Rule{Do: fault.Delay, Delay: 200 * time.Microsecond, Times: -1, Every: 3})
	if lose > 0 {
		for _, op := range []string{storage.OpCheckAndMutate, storage.OpIncrement, storage.OpMultiGet} {
			f.Add(fault.Rule{Op: op, Do: fault.FailAfter, Times: -1, Every: lose, Nth: 1 + r.IntN(lose)})
			f.Add(fault.Rule{Op: op, Do: fault.FailBefore, Times: -1, Every: lose, Nth: 1 + r.IntN(lose)})
		}
	}
	return f
}

// TestBank: transfers by three servers, with lost answers, and every snapshot has the sum.
func TestBank(t *testing.T) {
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, lose := range []int{0, 40} {
		t.Run(fmt.Sprint("lose ", lose), func(t *testing.T) {
			base := mem.New()
			b := newBank(t, Wrap(base, Options{}), 12)
			var stores []*Store
			for range 3 {
				stores = append(stores, Wrap(slowly(base, r, lose), Options{}))
			}
			broken, snapshots, done, conflicts := b.run(stores, seed, 300)
			t.Logf("seed %d: %d transfers, %d conflicts, %d of %d snapshots broken, %+v", seed, done, conflicts, broken, snapshots, stores[0].Counts())
			if broken > 0 || snapshots == 0 || done == 0 {
				t.Errorf("seed %d: %d of %d snapshots broken, %d transfers", seed, broken, snapshots, done)
			}
		})
	}
}
