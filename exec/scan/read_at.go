package scan

import (
	"math/bits"

	"github.com/saltsql/saltsql/internal/vec"
)

// At is a full key whose row is wanted in a slot of a batch.
type At struct {
	Key  []byte
	Slot uint16
}

// ReadAt reads the rows of full keys, each into its slot of a batch of n, which is good until
// Close. wanted is in the order of keys, of which several may be equal; without repetitions
// they are the points of the set that OpenSet was given. Slots whose row is not there, or is
// dropped by the filter, are not selected; nil is no slot at all.
func (c *Core) ReadAt(wanted []At, n int) (*vec.Batch, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	if err := c.tooOld(); err != nil {
		return nil, err
	}
	s := newPointSource(c, c.set.Points)
	c.src = s
	for most := keysPerGet(c.cx.Caps()); len(s.keys) > 0; {
		k := min(len(s.keys), most)
		if err := s.read(s.keys[:k]); err != nil {
			return nil, err
		}
		s.keys = s.keys[k:]
	}
	if s.rb.Len() == 0 {
		return nil, nil
	}
	m := &c.dec
	m.begin(n)
	var found [vec.MaxRows / 64]uint64
	at := 0
	for i := range s.rb.Len() {
		key := s.rb.Key(i)
		for string(wanted[at].Key) != string(key) {
			at++
		}
		for ; at < len(wanted) && string(wanted[at].Key) == string(key); at++ {
			slot := wanted[at].Slot
			skipped := len(m.skipped)
			if err := m.add(s.rb, i, int(slot)); err != nil {
				return nil, err
			}
			if len(m.skipped) == skipped {
				found[slot>>6] |= 1 << (slot & 63)
			}
		}
	}
	m.sel = m.sel[:0]
	for w, word := range found[:(n+63)/64] {
		for ; word != 0; word &= word - 1 {
			m.sel = append(m.sel, uint16(w<<6+bits.TrailingZeros64(word)))
		}
	}
	if len(m.sel) == 0 {
		c.gaveAt(s.rb, wanted, nil)
		return nil, nil
	}
	m.out.Sel = m.sel
	b, err := m.pass(c.cx.Env, c.recheck)
	if err == nil {
		c.gaveAt(s.rb, wanted, b)
	}
	return b, err
}

// BytesRead is how many bytes of rows were read since OpenSet.
func (c *Core) BytesRead() int { return int(c.work.BytesRead) }
