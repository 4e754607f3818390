package exectest

import (
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Feeds is an operator over rows that gives them to sinks on several goroutines, and by Next
// one part after another.
type Feeds struct {
	Parts []*Batches
}

// NewFeeds deals rows out to n parts.
func NewFeeds(rows [][]types.Datum, ts []types.T, r *rand.Rand, n int) *Feeds {
	f := &Feeds{}
	for range n {
		f.Parts = append(f.Parts, &Batches{Types: ts, Rand: rand.New(rand.NewPCG(r.Uint64(), 0))})
	}
	for i, row := range rows {
		p := f.Parts[i%n]
		p.Rows = append(p.Rows, row)
	}
	return f
}

func (f *Feeds) Open(cx *op.Context) error {
	for _, p := range f.Parts {
		if err := p.Open(cx); err != nil {
			return err
		}
	}
	return nil
}

func (f *Feeds) Next() (*vec.Batch, error) {
	for _, p := range f.Parts {
		if b, err := p.Next(); err != io.EOF {
			return b, err
		}
	}
	return nil, io.EOF
}

func (f *Feeds) Close() error {
	for _, p := range f.Parts {
		p.Close()
	}
	return nil
}

// Feed has a goroutine for each part.
func (f *Feeds) Feed(newSink func() (op.Sink, error)) error {
	errs := make([]error, len(f.Parts))
	var wg sync.WaitGroup
	for i, p := range f.Parts {
		wg.Go(func() {
			errs[i] = op.Guarded(func() error { return op.FeedFrom(p.Next, newSink) })
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// RunFed is Run for an operator that feeds sinks.
func RunFed(t testing.TB, in op.Operator, cx *op.Context, each func(b *vec.Batch)) error {
	return Run(t, &fed{Operator: in}, cx, each)
}

// fed is an operator that collects by sinks what another gives.
type fed struct {
	op.Operator
	mu   sync.Mutex
	done bool
	rows []*vec.Batch
}

func (f *fed) Next() (*vec.Batch, error) {
	if !f.done {
		f.done, f.rows = true, nil
		if err := op.Feed(f.Operator, func() (op.Sink, error) { return &fedSink{f: f}, nil }); err != nil {
			return nil, err
		}
	}
	if len(f.rows) == 0 {
		return nil, io.EOF
	}
	b := f.rows[0]
	f.rows = f.rows[1:]
	return b, nil
}

type fedSink struct {
	f    *fed
	busy sync.Mutex
}

// Add keeps a copy. Two goroutines must not use one sink at a time.
func (s *fedSink) Add(b *vec.Batch) error {
	if !s.busy.TryLock() {
		return errors.New("two goroutines use one sink")
	}
	defer s.busy.Unlock()
	own := &vec.Batch{N: b.Rows()}
	sel := make([]uint16, b.Rows())
	for i := range sel {
		sel[i] = uint16(b.Row(i))
	}
	for _, v := range b.Cols {
		c := vec.New(v.Type)
		c.Resize(b.Rows())
		vec.CopySlots(c, 0, v, sel)
		own.Cols = append(own.Cols, c)
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.rows = append(s.f.rows, own)
	return nil
}
