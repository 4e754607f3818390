package bigtable

import (
	"math"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigtable"

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
		if try > 0 && c.sleep(pause/2+rand.N(pause)) != nil || c.Err() != nil {
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
	var keys bigtable.RowList
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, e := range doubted {
		if ts, ok := e.timestamp(); ok {
			keys = append(keys, e.key)
			lo, hi = min(lo, ts), max(hi, ts)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	found := make(map[string]bigtable.Row, len(keys))
	err := t.t.ReadRows(c, keys, func(r bigtable.Row) bool {
		found[r.Key()] = r
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(lo), bigtable.Timestamp(hi+time.Millisecond.Microseconds()))))
	for _, e := range doubted {
		switch _, ok := e.timestamp(); {
		case ok && e.leftIn(found[e.key]):
			e.err = nil
		case ok:
			left = append(left, e)
		}
	}
	if err != nil && c.Err() != nil {
		return nil
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

// leftIn says that a row has cells which the entry wrote last, and none of its
// timestamp in these columns that it did not.
func (e *rowEntry) leftIn(row bigtable.Row) bool {
	ts, _ := e.timestamp()
	some := false
	for _, items := range row {
		for _, it := range items {
			if int64(it.Timestamp) != ts {
				continue
			}
			value, ok := e.wrote(it.Column, ts)
			if ok && string(value) != string(it.Value) {
				return false
			}
			some = some || ok
		}
	}
	return some
}

// wrote gives what the entry wrote last to a column (family:qualifier) at ts.
func (e *rowEntry) wrote(column string, ts int64) (value []byte, ok bool) {
	for i := len(e.muts) - 1; i >= 0; i-- {
		m := &e.muts[i]
		if n := len(m.Family); m.Op == storage.SetCell && m.Timestamp == ts && len(column) > n &&
			column[:n] == m.Family && column[n+1:] == string(m.Qualifier) {
			return m.Value, true
		}
	}
	return nil, false
}
