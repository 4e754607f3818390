package bigtable

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// looks is how often a write in doubt is looked for: over about a second, for
// one that is on its way.
const looks = 6

// settle finds out what became of entries in doubt, as far as it shows. No two
// writes of a row have one timestamp, so that cells of an entry's timestamp in
// its row are what it left, whatever others have put on top of them; the entry
// is written then. Where none is found nobody knows: it was not written, or
// not yet, or others have deleted it. Such an entry stays CodeAmbiguous, and so
// does one that leaves no cell, or whose fence does not hold any more.
func (t *table) settle(c *call, doubted []*rowEntry) {
	if c.fenced() != nil {
		return
	}
	for pause, try := retryFirst, 0; len(doubted) > 0 && try < looks; pause, try = 2*pause, try+1 {
		if try > 0 && c.sleep(c, pause/2+rand.N(pause)) != nil || c.Err() != nil {
			return
		}
		left := doubted[:0:0]
		for len(doubted) > 0 {
			n := min(len(doubted), maxKeysPerRequest)
			left = append(left, t.look(c, doubted[:n])...)
			doubted = doubted[n:]
		}
		doubted = left
	}
}

// look takes the error from the entries whose cells are in the store and gives
// the others.
func (t *table) look(c *call, doubted []*rowEntry) (left []*rowEntry) {
	var keys [][]byte
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, e := range doubted {
		if ts, ok := e.timestamp(); ok {
			keys = append(keys, []byte(e.key))
			lo, hi = min(lo, ts), max(hi, ts)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	var found storage.RowBatch
	f := newRowFiller(&storage.ScanRequest{}, true, &found)
	if err := t.readKeys(c, c, keys, timestampRange(lo, hi+time.Millisecond.Microseconds()), &f); err != nil {
		if c.Err() != nil {
			return nil
		}
		found.Reset()
	}
	for _, e := range doubted {
		switch _, ok := e.timestamp(); {
		case ok && e.leftIn(&found):
			e.err = nil
		case ok:
			left = append(left, e)
		}
	}
	return left
}

// timestamp is that of the entry's last cell.
func (e *rowEntry) timestamp() (ts int64, ok bool) {
	for i := len(e.muts) - 1; i >= 0; i-- {
		if e.muts[i].Op == storage.SetCell {
			return e.muts[i].Timestamp, true
		}
	}
	return 0, false
}

// leftIn says that a batch has the entry's row with cells which the entry wrote last, and none of
// its timestamp in these columns that it did not.
func (e *rowEntry) leftIn(found *storage.RowBatch) bool {
	i := found.Find([]byte(e.key))
	if i < 0 {
		return false
	}
	ts, _ := e.timestamp()
	some := false
	for j := range found.NumCells(i) {
		cell := found.Cell(i, j)
		if cell.Timestamp != ts {
			continue
		}
		value, ok := e.wrote(cell.Family, cell.Qualifier, ts)
		if ok && !bytes.Equal(value, cell.Value) {
			return false
		}
		some = some || ok
	}
	return some
}

// wrote gives what the entry wrote last to a column at ts.
func (e *rowEntry) wrote(family string, qualifier []byte, ts int64) (value []byte, ok bool) {
	for i := len(e.muts) - 1; i >= 0; i-- {
		m := &e.muts[i]
		if m.Op == storage.SetCell && m.Timestamp == ts && m.Family == family && bytes.Equal(m.Qualifier, qualifier) {
			return m.Value, true
		}
	}
	return nil, false
}
