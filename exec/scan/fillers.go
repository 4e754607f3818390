package scan

import (
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/storage"
)

// fillers are a few goroutines that read pages ahead for a merge. They bound
// how many buckets are read at once, however many there are.
type fillers struct {
	asked   chan fillRequest
	stopped atomic.Bool
	wg      sync.WaitGroup
}

// fillRequest has rb filled with b's next page and sent to b.ready. The bucket's
// reader is the filler's until then.
type fillRequest struct {
	b  *mergeBucket
	rb *storage.RowBatch
}

type filled struct {
	rb  *storage.RowBatch
	err error
}

// startFillers starts n goroutines for up to most buckets.
func startFillers(n, most int) *fillers {
	f := &fillers{asked: make(chan fillRequest, most)}
	for range n {
		f.wg.Go(f.run)
	}
	return f
}

// ask never blocks: a bucket has one request at a time.
func (f *fillers) ask(r fillRequest) { f.asked <- r }

func (f *fillers) run() {
	for r := range f.asked {
		if f.stopped.Load() {
			continue
		}
		err := op.Guarded(func() error { return r.b.r.next(r.rb) })
		r.b.ready <- filled{r.rb, err}
	}
}

// stop ends the goroutines. The caller has canceled the scans' context.
func (f *fillers) stop() {
	f.stopped.Store(true)
	close(f.asked)
	f.wg.Wait()
}
