package transact

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// event is what happens at one call of the transaction that a schedule is about.
type event struct {
	call int // from 0
	do   string
}

// Those of faults befall the call. The others happen before it: a reader takes a snapshot and reads; a
// writer changes the same rows; a writer does so whose clock is so far ahead that all locks have
// expired; a reader whose clock is ahead; the calls that were held back are made.
var (
	faults    = []string{"lose", "refuse", "deny", "deny all", "hold", "die"}
	intruders = []string{"look", "write", "steal", "read late", "deliver"}
)

func (e event) String() string { return fmt.Sprintf("%s@%d", e.do, e.call) }

// schedule runs a transaction of rows under events.
type schedule struct {
	t      testing.TB
	ctx    context.Context
	events []event
	rows   []rowName
	blind  bool

	mu       sync.Mutex
	calls    int
	trace    []string
	held     []func() error
	dead     bool // its server says nothing any more
	denied   bool
	others   *Store // a server without faults
	ahead    *Store // one whose clock is ahead
	last     *Store // one whose clock is ahead of all
	looks    []look
	written  int64
	complain []string
}

// look is what a snapshot has shown.
type look struct {
	snap   storage.Snapshot
	values []int64
}

func (s *schedule) fail(format string, args ...any) {
	s.complain = append(s.complain, fmt.Sprintf(format, args...))
}

// on is the transaction's server's store.
func (s *schedule) on(kind string, do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return storage.Errorf(storage.CodeFault, kind, "", "the server is dead")
	}
	n := s.calls
	s.calls++
	s.trace = append(s.trace, fmt.Sprint(n, " ", kind))
	fault := ""
	for _, e := range s.events {
		if e.call != n {
			continue
		}
		if slices.Contains(faults, e.do) {
			fault = e.do
		} else {
			s.trace = append(s.trace, e.do)
			s.intrude(e.do)
		}
	}
	write := kind != "get" && kind != "get record" && kind != "scan"
	if fault != "" {
		s.trace = append(s.trace, fault)
	}
	s.denied = s.denied || fault == "deny all"
	switch {
	case s.denied, fault == "deny":
		return storage.Errorf(storage.CodePermissionDenied, kind, "", "injected")
	case fault == "die":
		s.dead = true
		return storage.Errorf(storage.CodeFault, kind, "", "the server is dead")
	case fault == "refuse", fault != "" && !write:
		return storage.Errorf(storage.CodeUnavailable, kind, "", "injected")
	case fault == "hold":
		s.held = append(s.held, do)
		return storage.Errorf(storage.CodeAmbiguous, kind, "", "held back")
	case fault == "lose":
		if err := do(); err != nil {
			return err
		}
		return storage.Errorf(storage.CodeAmbiguous, kind, "", "lost")
	}
	return do()
}

func (s *schedule) intrude(what string) {
	switch what {
	case "look":
		s.look(s.others)
	case "read late":
		s.look(s.ahead)
	case "write":
		s.write(s.others)
	case "steal":
		s.write(s.ahead)
	case "deliver":
		s.deliver()
	}
}

// deliver makes the calls that were held back.
func (s *schedule) deliver() {
	for _, do := range s.held {
		_ = do()
	}
	s.held = nil
}

// look opens a snapshot and keeps what it shows.
func (s *schedule) look(by *Store) {
	snap, err := by.Snapshot(s.ctx)
	if err != nil {
		s.fail("snapshot: %v", err)
		return
	}
	s.looks = append(s.looks, look{snap, s.values(by, snap, "at first")})
}

// values reads the rows, whose sum is to be 0 where there are two.
func (s *schedule) values(by *Store, snap storage.Snapshot, when string) (out []int64) {
	var sum int64
	for _, r := range s.rows {
		v, _, err := valueOf(s.ctx, by, r, snap)
		if err != nil {
			s.fail("read %s: %v", when, err)
		}
		out = append(out, v)
		sum += v
	}
	if len(s.rows) > 1 && sum != 0 {
		s.fail("a snapshot is broken %s: %v at %d", when, out, snap.(*snapshot).at)
	}
	return out
}

func valueOf(ctx context.Context, by *Store, r rowName, snap storage.Snapshot) (v, version int64, err error) {
	var rb storage.RowBatch
	if _, err = by.Table(r.table).MultiGet(ctx, [][]byte{r.key}, &storage.ScanRequest{Snapshot: snap, WithVersion: true, Project: []storage.Col{balance}}, &rb); err != nil || rb.Len() == 0 {
		return 0, 0, err
	}
	for j := range rb.NumCells(0) {
		switch c := rb.Cell(0, j); {
		case isCol(&c, &storage.Version):
			version = c.Timestamp
		case isCol(&c, &balance):
			v = int64(binary.BigEndian.Uint64(c.Value))
		}
	}
	return v, version, nil
}

// add is a transaction that adds n to the first row and takes it from the second, or, blind, sets them
// to that. What it has given to the store is its own again, and is written over.
func (s *schedule) add(by *Store, n int64, blind bool) (err error) {
	var snap storage.Snapshot
	if !blind {
		if snap, err = by.Snapshot(s.ctx); err != nil {
			return err
		}
	}
	b, err := by.Batch()
	if err != nil {
		return err
	}
	var rows []storage.RowMutation
	for _, r := range s.rows {
		var muts []storage.Mutation
		v := int64(0)
		if !blind {
			var version int64
			if v, version, err = valueOf(s.ctx, by, r, snap); err != nil {
				return err
			}
			muts = append(muts, storage.Mutation{Op: storage.SetCell, Family: storage.Version.Family, Qualifier: storage.Version.Qualifier, Timestamp: version})
		}
		muts = append(append(muts, storage.Mutation{Op: storage.DeleteRow}), set(v+n)...)
		rows = append(rows, storage.RowMutation{Key: bytes.Clone(r.key), Mutations: muts})
		if err := b.Mutate(r.table, rows[len(rows)-1:]); err != nil {
			return err
		}
		n = -n
	}
	err = b.Commit(s.ctx, storage.WriteOptions{})
	b.Close()
	for i := range rows {
		copy(rows[i].Key, "over")
		for j := range rows[i].Mutations {
			copy(rows[i].Mutations[j].Value, "written over")
		}
	}
	return err
}

// write has another server add 10, which succeeds or is told that it has not.
func (s *schedule) write(by *Store) {
	switch err := s.add(by, 10, false); storage.CodeOf(err) {
	case storage.CodeConflict:
	default:
		if err != nil {
			s.fail("another's write: %v", err)
			return
		}
		s.written += 10
	}
}

// run runs it, and gives how many calls it took.
func (s *schedule) run(tables int, blind bool) (calls int) {
	s.ctx, s.blind = context.Background(), blind
	base := mem.New()
	at := func(d time.Duration) Options { return Options{Now: func() time.Time { return time.Now().Add(d) }} }
	own := Wrap(&hooks{Store: base, on: s.on}, Options{})
	s.others, s.ahead = Wrap(base, Options{}).Transactions(), Wrap(base, at(3*time.Minute)).Transactions()
	s.last = Wrap(base, at(20*time.Minute)).Transactions()
	for i := range tables {
		s.rows = append(s.rows, rowName{fmt.Sprint("t.", i, Mark), []byte("k")})
		if err := s.others.Admin().CreateTable(s.ctx, storage.TableSpec{Name: s.rows[i].table, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
			s.t.Fatal(err)
		}
	}
	// An own transaction of 1, whose first calls, which read, are not of the schedule.
	told := s.add(own.Transactions(), 1, blind)
	own.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	calls = s.calls
	for range 2 { // what was held back comes before all is set right, and after
		s.look(s.others)
		s.settle()
		s.deliver()
	}
	s.settle()
	s.look(s.others)
	for _, l := range s.looks[:len(s.looks)-1] {
		if again := s.values(s.others, l.snap, "when read again"); !slices.Equal(again, l.values) {
			s.fail("a snapshot has shown %v and then %v", l.values, again)
		}
	}
	v := s.looks[len(s.looks)-1].values[0]
	is := v - s.written
	if blind { // it may have written over others
		is = v % 10
	}
	switch code := storage.CodeOf(told); {
	case is != 0 && is != 1:
		s.fail("the rows have %d, of which others have written %d", v, s.written)
	case told == nil && is == 0 && !s.dead:
		s.fail("it was told that it is committed, and is not: %d, others %d", v, s.written)
	case told != nil && code != storage.CodeAmbiguous && is == 1 && !s.dead:
		s.fail("it was told %v, and is committed", told)
	}
	for _, r := range s.rows {
		t := &table{s.others, r.table, base.Table(r.table)}
		if rows, err := t.get(s.ctx, r.key); err != nil || rows[0].lock != nil {
			s.fail("a lock is left: %v, %v", rows[0].lock, err)
		}
	}
	if len(s.complain) > 0 {
		s.t.Errorf("%d rows, blind %v, %v: told %v\n  %q\n  %q", tables, blind, s.events, told, s.complain, s.trace)
	}
	own.Close()
	return calls
}

// settle writes all rows, by the server whose clock is ahead of all, so that all locks go.
func (s *schedule) settle() {
	for range 5 {
		was := s.written
		if s.write(s.last); s.written != was {
			break
		}
	}
	for _, by := range []*Store{s.others, s.ahead, s.last} {
		by.work.Wait()
	}
}

// TestSchedules has each fault and each intruder at each call of a COMMIT, and pairs of them.
func TestSchedules(t *testing.T) {
	all := append(slices.Clone(faults), intruders...)
	var list [][]event
	const most = 16
	for a := range most {
		for _, d := range all {
			list = append(list, []event{{a, d}})
			for b := a; b < most; b++ {
				for _, e := range all {
					if b > a || e != d {
						list = append(list, []event{{a, d}, {b, e}})
					}
				}
			}
		}
	}
	type kind struct {
		tables int
		blind  bool
	}
	kinds := []kind{{1, false}, {1, true}, {2, false}, {2, true}}
	type job struct {
		kind   int
		events []event
	}
	var wg sync.WaitGroup
	todo := make(chan job)
	for range 16 {
		wg.Go(func() {
			for j := range todo {
				(&schedule{t: t, events: j.events}).run(kinds[j.kind].tables, kinds[j.kind].blind)
			}
		})
	}
	done := 0
	for n := range seeds.Part(t, len(list)*len(kinds), 20*time.Second) {
		todo <- job{n % len(kinds), list[n/len(kinds)]}
		done++
	}
	// Three or more at random.
	r := rand.New(rand.NewPCG(seeds.First(t), 5))
	for more := seeds.Until(0, 20*time.Second); more(done); done++ {
		var events []event
		for range 3 + r.IntN(4) {
			events = append(events, event{r.IntN(most), all[r.IntN(len(all))]})
		}
		todo <- job{r.IntN(len(kinds)), events}
	}
	close(todo)
	wg.Wait()
	t.Logf("%d schedules", done)
}
