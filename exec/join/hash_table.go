package join

import (
	"math/bits"
	"slices"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// hashTable finds kept rows by key: open addressing over the distinct keys, rows of
// one key in a chain, in the order they were kept.
//
//	hash --> slot {tag, first row} --> next row --> next row …
type hashTable struct {
	rows *spill.KeptRows
	keys []int // of its columns, those compared
	ints bool  // one key, an integer that is not NULL
	mask uint64
	slot []hashSlot
	next []int32
}

type hashSlot struct {
	tag uint32 // of the hash
	row int32  // the first one plus 1; 0 is a free slot
}

// tableBytes is what a table of n rows takes.
func tableBytes(n int) int64 { return int64(slotCount(n))*8 + int64(n)*4 }

func slotCount(n int) int { return 1 << bits.Len(uint(max(n+n/2, 4))) }

// newHashTable makes a table of the rows whose hash has the class given.
func newHashTable(rows *spill.KeptRows, keys []int, hashes []uint64, class uint64) *hashTable {
	t := &hashTable{}
	t.build(rows, keys, hashes, class)
	return t
}

// build makes a table of other rows, in its memory of before where that is enough.
func (t *hashTable) build(rows *spill.KeptRows, keys []int, hashes []uint64, class uint64) {
	n := 0
	for _, h := range hashes {
		if h&class != 0 {
			n++
		}
	}
	t.rows, t.keys, t.ints = rows, keys, false
	if want := slotCount(n); cap(t.slot) < want {
		t.slot = make([]hashSlot, want)
	} else {
		t.slot = t.slot[:want]
		clear(t.slot)
	}
	t.next = slices.Grow(t.next[:0], len(hashes))[:len(hashes)]
	t.mask = uint64(len(t.slot) - 1)
	if len(keys) == 1 && rows.Types[keys[0]].Phys() == types.PhysInt {
		t.ints = true
		for _, v := range rows.Cols[keys[0]] {
			t.ints = t.ints && !v.Nulls.Any()
		}
	}
	for r := len(hashes) - 1; r >= 0; r-- {
		if hashes[r]&class != 0 {
			t.insert(hashes[r], int32(r))
		}
	}
}

// tagOf leaves out the bits that say what class of hash it is.
func tagOf(h uint64) uint32 { return uint32(h >> 30) }

func (t *hashTable) insert(h uint64, row int32) {
	tag := tagOf(h)
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		s := &t.slot[i]
		if s.row == 0 {
			*s = hashSlot{tag, row + 1}
			t.next[row] = -1
			return
		}
		if s.tag == tag && t.same(s.row-1, row) {
			t.next[row] = s.row - 1
			s.row = row + 1
			return
		}
	}
}

func (t *hashTable) same(a, b int32) bool {
	for _, c := range t.keys {
		v, i := t.rows.Block(c, int(a))
		w, j := t.rows.Block(c, int(b))
		if !vec.Equal(v, i, w, j) {
			return false
		}
	}
	return true
}

// find gives the first row of a key, or -1; vals are the key's columns, in the order of
// t.keys.
func (t *hashTable) find(h uint64, vals []*vec.Vec, slot int) int32 {
	tag := tagOf(h)
next:
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		s := t.slot[i]
		if s.row == 0 {
			return -1
		}
		if s.tag != tag {
			continue
		}
		for k, c := range t.keys {
			v, at := t.rows.Block(c, int(s.row-1))
			if !vec.Equal(v, at, vals[k], slot) {
				continue next
			}
		}
		return s.row - 1
	}
}

// findAll puts the first row of each selected slot's key into heads, which is indexed
// by slot: -1 for none, and where the hash is not of the class given.
func (t *hashTable) findAll(hashes []uint64, class uint64, vals []*vec.Vec, sel []uint16, heads []int32) {
	if !t.ints || vals[0].Nulls.Any() {
		for _, s := range sel {
			heads[s] = -1
			if h := hashes[s]; h&class != 0 {
				heads[s] = t.find(h, vals, int(s))
			}
		}
		return
	}
	ints, blocks := vals[0].Ints, t.rows.Cols[t.keys[0]]
	// The loads of the slots do not wait for each other.
	for _, s := range sel {
		heads[s] = t.slot[hashes[s]&t.mask].row - 1
	}
	for _, s := range sel {
		r := heads[s]
		if r < 0 || blocks[r>>10].Ints[r&(vec.MaxRows-1)] == ints[s] {
			continue
		}
		heads[s] = t.findInt(hashes[s], ints[s], blocks)
	}
}

func (t *hashTable) findInt(h uint64, want int64, blocks []*vec.Vec) int32 {
	tag := tagOf(h)
	for i := (h + 1) & t.mask; ; i = (i + 1) & t.mask {
		s := t.slot[i]
		if s.row == 0 {
			return -1
		}
		if r := s.row - 1; s.tag == tag && blocks[r>>10].Ints[r&(vec.MaxRows-1)] == want {
			return r
		}
	}
}

// chainFill adds, for outer rows whose first candidates are heads, all of their
// candidates.
type chainFill struct {
	table  *hashTable
	heads  []int32 // per slot of the outer batch
	at     int     // the row to look at
	row    int32   // where inside: its next candidate
	inside bool
}

// find looks the first candidates of a batch's rows up.
func (c *chainFill) find(hashes []uint64, vals []*vec.Vec, sel []uint16) {
	c.heads = atLeast(c.heads, slotsOf(sel))
	c.at, c.inside = 0, false
	c.table.findAll(hashes, hashAll, vals, sel, c.heads)
}

func (c *chainFill) fill(m *matcher) {
	one := m.existsOnly()
	room := m.room()
	for ; c.at < len(m.sel); c.at++ {
		slot := m.sel[c.at]
		row := c.row
		if !c.inside {
			if row = c.heads[slot]; m.chainSeen(row) {
				continue
			}
		} else if c.inside = false; m.decided(slot) {
			continue
		}
		for ; row >= 0; row = c.table.next[row] {
			if room == 0 {
				c.row, c.inside = row, true
				m.upto = c.at
				return
			}
			m.add(slot, row)
			room--
			if one {
				break
			}
		}
	}
	m.upto = c.at
}
