package session

import (
	"sync"

	"github.com/saltsql/saltsql/catalog/ctid"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

//saltsql:limit sessions: rows that a session finds again by their ctid, those that it selected last
const maxShown = 1_000_000

// shownBytes is about what a number takes beside its key: in the map and in the list.
const shownBytes = 96

// shownRows numbers the keys of rows whose ctid a session has selected, in the order in which it first did.
// The oldest are forgotten, and their numbers not given again.
type shownRows struct {
	mu     sync.Mutex
	byKey  map[string]int64 // by the storage's name, 00 and the key
	keys   []string         // from the number first on
	first  int64
	share  memory.Share // of what the session holds
	booked int64
}

var _ ctid.Numbers = sessionFuncs{}

// RowNumber numbers a row by its key.
func (f sessionFuncs) RowNumber(physical string, key []byte) (int64, error) {
	return f.s.shown.number(&f.s.held, physical, key)
}

// RowKey gives the key of a number that RowNumber gave.
func (f sessionFuncs) RowKey(physical string, n int64) (key []byte, ok bool) {
	return f.s.shown.key(physical, n)
}

func (r *shownRows) number(held *memory.Account, physical string, key []byte) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var buf [256]byte
	name := append(append(append(buf[:0], physical...), 0), key...)
	if n, ok := r.byKey[string(name)]; ok {
		return n, nil
	}
	n := r.first + int64(len(r.keys))
	if n >= ctid.MostNumbers {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "a session cannot select the ctid of more than %d rows", ctid.MostNumbers).
			WithHint("Leave ctid out and name rows by their key columns, or begin another session.")
	}
	if r.byKey == nil {
		r.byKey, r.share = map[string]int64{}, memory.Of(held, false)
	}
	if len(r.keys) == maxShown {
		r.booked -= int64(len(r.keys[0])) + shownBytes
		delete(r.byKey, r.keys[0])
		r.keys[0] = ""
		r.keys, r.first = r.keys[1:], r.first+1
	}
	r.booked += int64(len(name)) + shownBytes
	if r.booked > r.share.Bytes() {
		if err := r.share.MustTo(r.booked + r.booked/8 + 4<<10); err != nil {
			r.booked -= int64(len(name)) + shownBytes
			return 0, err
		}
	}
	kept := string(name)
	r.byKey[kept] = n
	r.keys = append(r.keys, kept)
	return n, nil
}

func (r *shownRows) key(physical string, n int64) (key []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.first || n >= r.first+int64(len(r.keys)) {
		return nil, false
	}
	name := r.keys[n-r.first]
	if len(name) <= len(physical) || name[:len(physical)] != physical || name[len(physical)] != 0 {
		return nil, false
	}
	return []byte(name[len(physical)+1:]), true
}

// forget has the session know none of the numbers any more.
func (r *shownRows) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first += int64(len(r.keys))
	r.byKey, r.keys, r.booked = nil, nil, 0
	r.share.Release()
}
