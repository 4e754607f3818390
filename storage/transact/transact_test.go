package transact

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

var balance = storage.Col{Family: "0", Qualifier: []byte("b")}

func set(n int64) []storage.Mutation {
	return []storage.Mutation{{Op: storage.SetCell, Family: balance.Family, Qualifier: balance.Qualifier, Timestamp: step, Value: binary.BigEndian.AppendUint64(nil, uint64(n))}}
}

const (
	entries = "i.3" + Mark
	ledger  = "l.4" + Mark
)

// bank is accounts in two tables, of which transfers keep the sum, with an index of them by their
// balance, and a ledger that each transfer adds a row to.
type bank struct {
	t      testing.TB
	ctx    context.Context
	tables [2]string
	n      int // accounts in each
	sum    int64
	expiry time.Duration
	base   func() storage.Store // what another server opens

	mu     sync.Mutex
	told   map[string]bool // rows of the ledger, by whether their transfer was committed; those in doubt are not there
	acked  []string        // those that were
	broken []string
}

func newBank(t testing.TB, n int, base func() storage.Store) *bank {
	b := &bank{t: t, ctx: context.Background(), tables: [2]string{"a.1" + Mark, "b.2" + Mark}, n: n, base: base, expiry: 400 * time.Millisecond, told: map[string]bool{}}
	s := Wrap(base(), Options{})
	for _, name := range append(b.tables[:], entries, ledger) {
		if err := s.Admin().CreateTable(b.ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range b.tables {
		var rows, index []storage.RowMutation
		for i := range n {
			rows = append(rows, storage.RowMutation{Key: account(i), Mutations: set(1000)})
			index = append(index, storage.RowMutation{Key: entry(1000, place{name, string(account(i))}), Mutations: set(1)})
			b.sum += 1000
		}
		if err := s.Table(name).Mutate(b.ctx, rows, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Table(entries).Mutate(b.ctx, index, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s.work.Wait()
	return b
}

type place struct{ table, key string }

func account(i int) []byte { return fmt.Appendf(nil, "k%04d", i) }

func entry(n int64, p place) []byte { return fmt.Appendf(nil, "%08d/%s/%s", n, p.table, p.key) }

// transfer moves money between accounts of both tables, 0 accounts being closed and opened again: a row
// of nothing is deleted.
func (b *bank) transfer(s *Store, r *rand.Rand, accounts int, id string) error {
	snap, err := s.Snapshot(b.ctx)
	if err != nil {
		return err
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
	seen, had := map[place]int64{}, map[place]int64{}
	for p := range places {
		if had[p], seen[p], err = valueOf(b.ctx, s, rowName{p.table, []byte(p.key)}, snap); err != nil {
			return err
		}
		all += had[p]
		list = append(list, p)
	}
	put := func(table string, key []byte, muts ...storage.Mutation) {
		if err == nil {
			err = batch.Mutate(table, []storage.RowMutation{{Key: key, Mutations: muts}})
		}
	}
	for i, p := range list {
		part := r.Int64N(all/2 + 1)
		if i == len(list)-1 {
			part = all
		}
		all -= part
		if had[p] > 0 {
			put(entries, entry(had[p], p), storage.Mutation{Op: storage.DeleteRow})
		}
		muts := []storage.Mutation{{Op: storage.SetCell, Family: storage.Version.Family, Qualifier: storage.Version.Qualifier, Timestamp: seen[p]}, {Op: storage.DeleteRow}}
		if part > 0 {
			muts = append(muts, set(part)...)
			put(entries, entry(part, p), set(1)...)
		}
		put(p.table, []byte(p.key), muts...)
	}
	put(ledger, []byte(id), set(1)...)
	if err != nil {
		return err
	}
	return batch.Commit(b.ctx, storage.WriteOptions{})
}

func (b *bank) fail(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = append(b.broken, fmt.Sprintf(format, args...))
}

func (b *bank) isBroken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.broken) > 0
}

// rows shows the rows of a table at a moment.
func (b *bank) rows(s *Store, name string, snap storage.Snapshot, visit func(key []byte, n int64)) error {
	return storage.EachBatch(b.ctx, s.Table(name), &storage.ScanRequest{Spans: []storage.Span{{}}, Snapshot: snap, Project: []storage.Col{balance}, BatchRows: 7}, func(rb *storage.RowBatch) error {
		for i := range rb.Len() {
			v, _ := rb.Value(i, balance.Family, balance.Qualifier)
			visit(rb.Key(i), int64(binary.BigEndian.Uint64(v)))
		}
		return nil
	})
}

// look reads all at one moment: the sum, that the index is of these rows, and that the last transfers
// are there which were acknowledged before.
func (b *bank) look(s *Store) error {
	b.mu.Lock()
	acked := b.acked[max(len(b.acked)-20, 0):]
	b.mu.Unlock()
	snap, err := s.Snapshot(b.ctx)
	if err != nil {
		return err
	}
	at := snap.(*snapshot).at
	var sum int64
	want := map[string]bool{}
	for _, name := range b.tables {
		err := b.rows(s, name, snap, func(key []byte, n int64) {
			sum += n
			want[string(entry(n, place{name, string(key)}))] = true
		})
		if err != nil {
			return err
		}
	}
	if sum != b.sum {
		b.fail("the sum at %d is %d, not %d", at, sum, b.sum)
	}
	err = b.rows(s, entries, snap, func(key []byte, _ int64) {
		if !want[string(key)] {
			b.fail("the entry %s at %d is of no row", key, at)
		}
		delete(want, string(key))
	})
	if err != nil {
		return err
	}
	for key := range want {
		b.fail("the row of entry %s at %d has none", key, at)
	}
	for _, id := range acked {
		if n, _, err := valueOf(b.ctx, s, rowName{ledger, []byte(id)}, snap); err != nil {
			return err
		} else if n != 1 {
			b.fail("transfer %s was acknowledged, and is not there at %d", id, at)
		}
	}
	return nil
}

// server is a server of the bank, which dies after some calls and gets a successor.
type server struct {
	b      *bank
	reads  bool // it only looks
	lose   int  // one answer of so many is lost; 0: none
	off    time.Duration
	change func(below storage.Store) storage.Store

	mu   sync.Mutex
	now  *Store
	died atomic.Int64
	dies func() int64 // after how many calls
	dead *atomic.Bool
}

func (v *server) get() (*Store, *atomic.Bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now == nil || v.dead.Load() {
		var calls atomic.Int64
		dead, most := new(atomic.Bool), v.dies()
		below := v.b.base()
		if v.lose > 0 {
			below = slowly(below, v.lose)
		}
		h := &hooks{Store: below, on: func(kind string, do func() error) error {
			if n := calls.Add(1); most > 0 && n > most {
				if !dead.Swap(true) {
					v.died.Add(1)
				}
				return storage.Errorf(storage.CodeFault, kind, "", "the server is dead")
			}
			return do()
		}}
		var top storage.Store = h
		if v.change != nil {
			top = v.change(h)
		}
		v.now, v.dead = Wrap(top, Options{Expiry: v.b.expiry, Now: func() time.Time { return time.Now().Add(v.off) }}).Transactions(), dead
	}
	return v.now, v.dead
}

// slowly has each call take a while, so that calls of many meet, and loses answers.
func slowly(below storage.Store, lose int) *fault.Store {
	f := fault.Wrap(below)
	f.Add(fault.Rule{Do: fault.Delay, Delay: 200 * time.Microsecond, Times: -1, Every: 3})
	for i, op := range []string{storage.OpCheckAndMutate, storage.OpIncrement, storage.OpMultiGet} {
		f.Add(fault.Rule{Op: op, Do: fault.FailAfter, Times: -1, Every: lose, Nth: 7 + i}, fault.Rule{Op: op, Do: fault.FailBefore, Times: -1, Every: lose, Nth: 11 + i})
	}
	return f
}

// run has servers transfer, and others look, until so many transfers are done or something is broken.
func (b *bank) run(servers []*server, seed uint64, transfers int) (made, conflicts, doubts, looked int64) {
	var left, nMade, nConflicts, nDoubts, nLooked atomic.Int64
	left.Store(int64(transfers))
	var wg sync.WaitGroup
	for w := range 2 * len(servers) {
		v, r := servers[w%len(servers)], rand.New(rand.NewPCG(seed, uint64(w)))
		if v.reads {
			continue
		}
		wg.Go(func() {
			for n := left.Add(-1); n >= 0 && !b.isBroken(); n = left.Add(-1) {
				s, dead := v.get()
				id := fmt.Sprintf("t%08d", n)
				err := b.transfer(s, r, 1+r.IntN(4), id)
				code := storage.CodeOf(err)
				if dead.Load() || code == storage.CodeAmbiguous {
					nDoubts.Add(1)
					continue
				}
				switch {
				case err == nil:
					nMade.Add(1)
				case code == storage.CodeConflict:
					nConflicts.Add(1)
				case !storage.IsRetryable(err):
					b.fail("transfer: %v", err)
				}
				b.mu.Lock()
				if b.told[id] = err == nil; err == nil {
					b.acked = append(b.acked, id)
				}
				b.mu.Unlock()
			}
		})
	}
	for _, v := range servers {
		wg.Go(func() {
			for left.Load() > 0 && !b.isBroken() {
				s, dead := v.get()
				if err := b.look(s); err == nil {
					nLooked.Add(1)
				} else if !dead.Load() && !storage.IsRetryable(err) {
					b.fail("look: %v", err)
				}
			}
		})
	}
	wg.Wait()
	return nMade.Load(), nConflicts.Load(), nDoubts.Load(), nLooked.Load()
}

// end looks at what is left: each transfer that was told of is there or is not, as was told, and no
// lock stands two expiries later.
func (b *bank) end(off time.Duration) {
	time.Sleep(2 * b.expiry)
	base := b.base()
	s := Wrap(base, Options{Expiry: b.expiry, Now: func() time.Time { return time.Now().Add(off) }})
	if _, err := s.Sweep(b.ctx); err != nil {
		b.fail("sweep: %v", err)
	}
	for _, name := range append(b.tables[:], entries, ledger) {
		if _, err := s.SweepLocks(b.ctx, name); err != nil {
			b.fail("sweep: %v", err)
		}
		if n, err := s.SweepLocks(b.ctx, name); err != nil || n > 0 {
			b.fail("%d locks are left in %s, %v", n, name, err)
		}
	}
	if err := b.look(s.Transactions()); err != nil {
		b.fail("look: %v", err)
	}
	there := map[string]bool{}
	if err := b.rows(s.Transactions(), ledger, nil, func(key []byte, _ int64) { there[string(key)] = true }); err != nil {
		b.fail("look: %v", err)
	}
	for id, told := range b.told {
		if there[id] != told {
			b.fail("transfer %s was told as %v and is %v", id, told, there[id])
		}
	}
}

func onMem(testing.TB) func() storage.Store {
	s := mem.New()
	return func() storage.Store { return s }
}

func onPebble(t testing.TB) func() storage.Store {
	s, err := pebble.Open(t.TempDir(), &pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return func() storage.Store { return s }
}

func onEmulator(t testing.TB) func() storage.Store {
	addr := emulator.Start(t)
	return func() storage.Store {
		s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "p", Instance: "i", Emulator: addr})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
}

var transfersFlag = flag.Int("transfers", 0, "transfers that TestBank makes on mem; 0 is a few")

// TestBank: transfers by three servers whose clocks are minutes apart, which die and lose answers; and
// every snapshot has the sum, its index and all that was acknowledged before.
func TestBank(t *testing.T) {
	seed := seeds.First(t)
	for _, on := range []struct {
		name      string
		open      func(testing.TB) func() storage.Store
		transfers int
	}{{"mem", onMem, max(*transfersFlag, seeds.Amount(150, 5000))}, {"pebble", onPebble, seeds.Amount(40, 1000)}, {"emulator", onEmulator, seeds.Amount(40, 1000)}} {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			b := newBank(t, 12, on.open(t))
			var servers []*server
			for i := range 3 {
				r := rand.New(rand.NewPCG(seed, uint64(100+i)))
				servers = append(servers, &server{b: b, lose: 60, off: time.Duration(i-1) * 2 * time.Minute, dies: func() int64 { return 200 + r.Int64N(2000) }})
			}
			made, conflicts, doubts, looked := b.run(servers, seed, on.transfers)
			b.end(20 * time.Minute)
			died := servers[0].died.Load() + servers[1].died.Load() + servers[2].died.Load()
			t.Logf("%d transfers, %d conflicts, %d in doubt, %d deaths, %d snapshots, %d broken", made, conflicts, doubts, died, looked, len(b.broken))
			if len(b.broken) > 0 {
				t.Errorf("broken: %q", b.broken[:min(len(b.broken), 10)])
			}
			if made == 0 || looked == 0 {
				t.Error("nothing was done")
			}
		})
	}
}
