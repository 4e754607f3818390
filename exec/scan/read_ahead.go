package scan

import (
	"sync"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/storage"
)

// readAhead fills batches of one reader on a goroutine of its own, while the
// consumer decodes the ones before.
type readAhead struct {
	free chan *storage.RowBatch
	out  chan filled
	wg   sync.WaitGroup
}

// aheadBatches is how many batches there are: one with the consumer, one
// waiting for it, one being filled.
const aheadBatches = 3

// startReadAhead takes over the reader until stop.
func startReadAhead(r *pageReader) *readAhead {
	a := &readAhead{free: make(chan *storage.RowBatch, aheadBatches), out: make(chan filled, aheadBatches)}
	for range aheadBatches {
		a.free <- getBatch()
	}
	a.wg.Go(func() {
		for rb := range a.free {
			err := op.Guarded(func() error { return r.next(rb) })
			a.out <- filled{rb, err}
			if err != nil {
				return
			}
		}
	})
	return a
}

// stop ends the goroutine. The caller has canceled the scan's context.
func (a *readAhead) stop() {
	close(a.free)
	a.wg.Wait()
}
