package pebble

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// tableState is one table from CREATE to DROP. Its id is never used again.
type tableState struct {
	id   uint32
	desc atomic.Pointer[tableDesc] // replaced by AlterTable
	// writes is held shared while rows are written and exclusively by what
	// changes the whole table or a range of it.
	writes sync.RWMutex
	recent recentRows
	seeks  atomic.Int64 // that its layers have cost since they were merged
	looked atomic.Int64 // how many they were at the last look: see seekCompactor
}

// tableDesc is immutable. Family ids grow and are never used again, so a
// descriptor read after a row can name all the row's families.
type tableDesc struct {
	spec     storage.TableSpec // normalized
	ids      []uint32          // parallel to spec.Families
	byID     []familyDesc      // index: id; [0] is unused
	hasTTL   bool
	versions bool // some family keeps more than one
}

type familyDesc struct {
	name     string
	versions int
	ttl      time.Duration
}

func newTableDesc(spec storage.TableSpec, ids []uint32) *tableDesc {
	d := &tableDesc{spec: spec, ids: ids}
	for i, f := range spec.Families {
		for len(d.byID) <= int(ids[i]) {
			d.byID = append(d.byID, familyDesc{})
		}
		d.byID[ids[i]] = familyDesc{f.Name, f.MaxVersions, f.TTL}
		d.hasTTL = d.hasTTL || f.TTL > 0
		d.versions = d.versions || f.MaxVersions > 1
	}
	return d
}

// familyID gives 0 for a family that the table lacks. Tables have few.
func (d *tableDesc) familyID(name string) uint32 {
	for i := range d.spec.Families {
		if d.spec.Families[i].Name == name {
			return d.ids[i]
		}
	}
	return 0
}

// oldest gives the timestamp below which a family's cells are expired.
func (f *familyDesc) oldest(now time.Time) int64 {
	if f.ttl == 0 {
		return 0
	}
	return now.Add(-f.ttl).UnixMicro()
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
