package scroll

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// numbers gives 1 … n in batches of some rows.
type numbers struct {
	n, at, step int64
	out         *vec.Batch
}

func (s *numbers) Types() []types.T { return []types.T{types.Of(types.Int8)} }

func (s *numbers) Next(context.Context) (*vec.Batch, error) {
	if s.at == s.n {
		return nil, io.EOF
	}
	if s.out == nil {
		s.out = vec.NewBatch(s.Types())
	}
	s.out.N = int(min(s.step, s.n-s.at))
	s.out.Cols[0].Resize(s.out.N)
	for i := range s.out.N {
		s.at++
		s.out.Cols[0].Set(i, types.NewInt(s.at))
	}
	return s.out, nil
}

// fetch runs one FETCH to its end.
func fetch(t *testing.T, c *Cursor, u *tree.Fetch) ([]int64, int64, error) {
	t.Helper()
	f := NewFetch(c, u)
	var got []int64
	for {
		b, err := f.Next(context.Background())
		if err == io.EOF {
			return got, f.Passed(), nil
		}
		if err != nil {
			return got, f.Passed(), err
		}
		for i := range b.Rows() {
			got = append(got, b.Cols[0].Ints[b.Row(i)])
		}
	}
}

// model is a list of rows with a place in it: 0 is before all, n+1 behind them.
type model struct{ n, at int64 }

func (m *model) fetch(u *tree.Fetch) (rows []int64) {
	to := func(p int64) { m.at = max(0, min(p, m.n+1)) }
	here := func() {
		if m.at >= 1 && m.at <= m.n {
			rows = append(rows, m.at)
		}
	}
	count := u.Count
	switch u.Direction {
	case tree.FetchAbsolute:
		if count < 0 {
			count += m.n + 1
		}
		to(count)
		here()
		return rows
	case tree.FetchRelative:
		to(m.at + count)
		here()
		return rows
	case tree.FetchBackward:
		count = -count
	}
	if u.All {
		if count = m.n + 1; u.Direction == tree.FetchBackward {
			count = -count
		}
	} else if count == 0 {
		here()
		return rows
	}
	for ; count > 0 && m.at <= m.n; count-- {
		to(m.at + 1)
		here()
	}
	for ; count < 0 && m.at > 0; count++ {
		to(m.at - 1)
		here()
	}
	return rows
}

// TestFetch compares random FETCH and MOVE of cursors of all sizes with a model.
func TestFetch(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		n := rnd.Int64N(30)
		if seed%20 == 0 {
			n = 2000 + rnd.Int64N(2000) // more than one batch
		}
		var account memory.Account
		c := New(&numbers{n: n, step: 1 + rnd.Int64N(700)}, &account, t.TempDir(), false)
		m := model{n: n}
		for range 40 {
			u := &tree.Fetch{Direction: tree.FetchDirection(rnd.IntN(4)), Count: rnd.Int64N(2*n+5) - n - 2, Move: rnd.IntN(4) == 0}
			u.All = u.Direction <= tree.FetchBackward && rnd.IntN(5) == 0
			before := m.at
			want := m.fetch(u)
			got, passed, err := fetch(t, c, u)
			if err != nil {
				t.Fatalf("seed %d, %+v at %d of %d: %v", seed, u, before, n, err)
			}
			if u.Move {
				if passed != int64(len(want)) {
					t.Fatalf("seed %d, %+v at %d of %d: moved over %d rows, want %d", seed, u, before, n, passed, len(want))
				}
			} else if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %+v at %d of %d: %d rows %v, want %d", seed, u, before, n, len(got), got[:min(len(got), 5)], len(want))
			}
		}
		if c.Close(); account.Used() != 0 {
			t.Fatalf("seed %d: %d bytes are held after Close", seed, account.Used())
		}
	}
}

// TestForwardOnly goes on after any way back was refused.
func TestForwardOnly(t *testing.T) {
	var account memory.Account
	c := New(&numbers{n: 10, step: 4}, &account, t.TempDir(), true)
	defer c.Close()
	if got, _, err := fetch(t, c, &tree.Fetch{Count: 6}); err != nil || len(got) != 6 {
		t.Fatal(got, err)
	}
	for _, u := range []tree.Fetch{{Direction: tree.FetchBackward, Count: 1}, {Direction: tree.FetchAbsolute, Count: 2}, {Direction: tree.FetchRelative, Count: -1}, {Count: 0}} {
		if got, _, err := fetch(t, c, &u); err == nil {
			t.Errorf("%+v: %v", u, got)
		}
	}
	if got, _, err := fetch(t, c, &tree.Fetch{All: true}); err != nil || !slices.Equal(got, []int64{7, 8, 9, 10}) {
		t.Error(got, err)
	}
}

// TestUnread takes rows back that were not wanted.
func TestUnread(t *testing.T) {
	var account memory.Account
	c := New(&numbers{n: 10, step: 10}, &account, t.TempDir(), false)
	defer c.Close()
	if _, err := c.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.Unread(3)
	if got, _, err := fetch(t, c, &tree.Fetch{Count: 2}); err != nil || !slices.Equal(got, []int64{4, 5}) {
		t.Error(got, err)
	}
}
