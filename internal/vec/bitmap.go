package vec

// Bitmap is a set of slots, one bit each. The zero Bitmap is empty.
type Bitmap struct {
	words []uint64
	any   bool // a bit may be set
}

// Reset empties the set and makes room for n slots.
func (b *Bitmap) Reset(n int) {
	w := (n + 63) / 64
	if cap(b.words) < w {
		b.words = make([]uint64, w)
		b.any = false
		return
	}
	b.words = b.words[:cap(b.words)]
	if b.any {
		clear(b.words)
		b.any = false
	}
	b.words = b.words[:w]
}

// Any says that a bit may be set; false is certain.
func (b *Bitmap) Any() bool { return b.any }

// Get says whether i is in the set.
func (b *Bitmap) Get(i int) bool {
	return b.any && b.words[i>>6]&(1<<(i&63)) != 0
}

// Set adds i.
func (b *Bitmap) Set(i int) {
	b.any = true
	b.words[i>>6] |= 1 << (i & 63)
}

// Clear removes i.
func (b *Bitmap) Clear(i int) {
	if b.any {
		b.words[i>>6] &^= 1 << (i & 63)
	}
}

// Or adds what is in c; both have room for n slots.
func (b *Bitmap) Or(c *Bitmap, n int) {
	if !c.any {
		return
	}
	b.any = true
	for i := range (n + 63) / 64 {
		b.words[i] |= c.words[i]
	}
}

// CopyFrom makes b equal to the first n slots of c.
func (b *Bitmap) CopyFrom(c *Bitmap, n int) {
	b.Reset(n)
	b.Or(c, n)
}

// extend makes room for n slots and keeps the set.
func (b *Bitmap) extend(n int) {
	w := (n + 63) / 64
	if w <= len(b.words) {
		return
	}
	if w > cap(b.words) {
		words := make([]uint64, len(b.words), max(w, 2*cap(b.words)))
		copy(words, b.words)
		b.words = words
	}
	old := len(b.words)
	b.words = b.words[:w]
	clear(b.words[old:])
}
