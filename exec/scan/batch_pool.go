package scan

import (
	"sync"

	"github.com/saltsql/saltsql/storage"
)

// Row batches outlive the runs of a statement: a point read must not pay for
// the growth of one.
var batchPool = sync.Pool{New: func() any { return new(storage.RowBatch) }}

func getBatch() *storage.RowBatch { return batchPool.Get().(*storage.RowBatch) }

// putBatch takes back a batch that nothing points into any more.
func putBatch(rb *storage.RowBatch) {
	if rb != nil {
		rb.Recycle()
		batchPool.Put(rb)
	}
}
