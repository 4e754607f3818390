package pebble

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// tableState is one table from CREATE to DROP. Its id is never used again.
type tableState struct {
	id   uint32
	desc atomic.Pointer[rowpack.Desc] // replaced by AlterTable
	// writes is held shared while rows are written and exclusively by what
	// changes the whole table or a range of it.
	writes sync.RWMutex
	recent recentRows
	seeks  atomic.Int64 // that its layers have cost since they were merged
	looked atomic.Int64 // how many they were at the last look: see seekCompactor
	// lookedAt is how many writes had begun then; seekCompactor's own.
	lookedAt uint64

	// See tableRun.
	begun, ended, flushed atomic.Uint64 // writes, and how many of them are in files at least
	run                   atomic.Pointer[tableRun]
	refused               atomic.Uint64 // views.layout plus 1 where the files were no sorted run
}

const prefixLen = 4

// key builds the Pebble key of a row in buf.
func (t *tableState) key(buf, row []byte) []byte {
	return append(binary.BigEndian.AppendUint32(buf[:0], t.id), row...)
}

// bounds builds the Pebble bounds of a span in buffers.
func (t *tableState) bounds(lo, hi []byte, span storage.Span) (lower, upper []byte) {
	lower = t.key(lo, span.Start)
	if len(span.End) == 0 {
		return lower, binary.BigEndian.AppendUint32(hi[:0], t.id+1)
	}
	return lower, t.key(hi, span.End)
}
