package txn

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// ledger is one row with a version cell m, a text v and a number w, as
// sessions of a store without atomic batches write it.
type ledger struct {
	t     *testing.T
	s     storage.Store
	clock *Clock
}

var ledgerKey = []byte("k")

func (l *ledger) set(ts int64, q string, v []byte) storage.Mutation {
	return storage.Mutation{Op: storage.SetCell, Family: "f", Qualifier: []byte(q), Timestamp: ts, Value: v, Latest: true}
}

func (l *ledger) read() (w, version int64, ok bool) {
	var rb storage.RowBatch
	if _, err := l.s.Table("t").MultiGet(ctx, [][]byte{ledgerKey}, nil, &rb); err != nil {
		l.t.Fatal(err)
	}
	if rb.Len() == 0 {
		return 0, noVersion, false
	}
	if b, has := rb.Value(0, "f", []byte("w")); has {
		w = int64(binary.BigEndian.Uint64(b))
	}
	return w, versionIn(&rb, 0, &storage.Col{Family: "f", Qualifier: []byte("m")}, 0), true
}

func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func (l *ledger) mutate(muts ...storage.Mutation) {
	if err := l.s.Table("t").Mutate(ctx, []storage.RowMutation{{Key: ledgerKey, Mutations: muts}}, storage.WriteOptions{}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *ledger) check(op storage.CondOp, at int64, muts ...storage.Mutation) (bool, error) {
	c := storage.Cond{Op: op, Timestamp: at}
	if op >= storage.CellAbsent {
		c.Family, c.Qualifier = "f", []byte("m")
	}
	return l.s.Table("t").CheckAndMutate(ctx, &storage.CondMutation{Key: ledgerKey, Cond: c, Then: muts})
}

// add is UPDATE … SET w = w + n: what it read may be old by the time it writes.
func (l *ledger) add(n int64, between func()) (bool, error) {
	for {
		w, version, ok := l.read()
		if !ok {
			return false, nil
		}
		between()
		ts := l.clock.Next(ledgerKey, version)
		if ok, err := l.check(storage.CellTSEquals, version, l.set(ts, "m", nil), l.set(ts, "w", number(w+n))); err != nil || ok {
			return ok, err
		}
	}
}

// What a transaction's changes of a row depend on holds at its commit: a
// committed transaction's additions are added to what is there just before it,
// whatever it wrote to the row first, and whatever others write meanwhile.
func TestCommitKeepsOthersChanges(t *testing.T) {
	s := *seed
	if s == 0 {
		s = seeds.First(t)
	}
	t.Logf("seed %d", s)
	rng := rand.New(rand.NewPCG(s, 2))
	committed, refused := 0, 0
	for range 3000 {
		base := newStore(t)
		m := NewManager(weak{base}, nil)
		others := &ledger{t, base, m.Clock()}
		meddle := func() {
			if rng.IntN(4) > 0 {
				return
			}
			switch ts := others.clock.Next(ledgerKey, 0); rng.IntN(6) {
			case 0:
				others.mutate(storage.Mutation{Op: storage.DeleteRow})
			case 1:
				others.mutate(storage.Mutation{Op: storage.DeleteRow}, others.set(ts, "m", nil), others.set(ts, "w", number(rng.Int64N(1000)*1000)))
			default:
				if _, err := others.add(1000, func() {}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if rng.IntN(4) > 0 {
			ts := others.clock.Next(ledgerKey, 0)
			others.mutate(others.set(ts, "m", nil), others.set(ts, "w", number(5000)))
		}
		x := begin(t, m, Options{})
		own := &ledger{t, x.Store(), m.Clock()}
		x.Table("t").SetVersion(storage.Col{Family: "f", Qualifier: []byte("m")})
		var (
			added    int64       // by the transaction
			replaced = int64(-1) // what it put in place of the row; -1: nothing
			err      error
		)
		for range 1 + rng.IntN(4) {
			meddle()
			mark, was := x.Mark(), [2]int64{added, replaced}
			ts := own.clock.Next(ledgerKey, 0)
			switch rng.IntN(7) {
			case 0, 1: // UPSERT (k, v)
				own.mutate(own.set(ts, "m", nil), own.set(ts, "v", []byte("x")))
			case 2: // UPSERT of all columns
				own.mutate(storage.Mutation{Op: storage.DeleteRow}, own.set(ts, "m", nil), own.set(ts, "w", number(7)))
				added, replaced = 0, 7
			case 3: // a conditional UPSERT (k, v) of a row that exists
				_, err = own.check(storage.RowPresent, 0, own.set(ts, "m", nil), own.set(ts, "v", []byte("y")))
			case 4: // DELETE
				var ok bool
				if ok, err = own.check(storage.RowPresent, 0, storage.Mutation{Op: storage.DeleteRow}); ok {
					added, replaced = 0, 0
				}
			default:
				var ok bool
				if ok, err = own.add(1, meddle); ok && err == nil {
					added++
				}
			}
			if err != nil {
				break
			}
			if rng.IntN(5) == 0 {
				x.RollbackTo(mark)
				added, replaced = was[0], was[1]
			}
		}
		meddle()
		before, _, _ := others.read()
		if err == nil {
			err = x.Commit(ctx, storage.WriteOptions{})
		}
		after, _, _ := others.read()
		switch {
		case errors.Is(err, ErrSerialization):
			refused++
			if after != before {
				t.Fatalf("a refused commit left %d, was %d", after, before)
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		committed++
		want := before + added
		if replaced >= 0 {
			want = replaced + added
		}
		if after != want {
			t.Fatalf("w is %d, was %d before the commit that adds %d (in place of the row: %d), want %d", after, before, added, replaced, want)
		}
	}
	t.Logf("%d committed, %d refused", committed, refused)
	if committed < 500 || refused < 100 {
		t.Error("the odds are wrong")
	}
}
