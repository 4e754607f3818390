package heat

import (
	"bytes"
	"cmp"
	"slices"
	"time"
	"unsafe"
)

// keys is what is kept of the keys of a relation; under Heat.mu. Where there is no room, the relations
// that are used least have none.
type keys struct {
	open  reservoir
	sets  []SampleSet // oldest first
	block block       // of sketches, the open one
	hot   [][]HotKeys // of blocks before, oldest first
	bytes int64       // of this
}

const keysBytes = int64(unsafe.Sizeof(keys{})) + blockBytes

// sample keeps an operation on a key.
func (r *relation) sample(t *taken, key []byte) {
	if r.keyless {
		return
	}
	if r.keys == nil {
		r.keys = &keys{block: block{since: r.heat.minute}}
		r.hold(keysBytes)
	}
	k := r.keys
	before := k.open.bytes
	k.open.add(t, key)
	if grown := k.block.add(t, key) + k.open.bytes - before; grown != 0 {
		r.hold(grown)
		h := r.heat
		if over := max(h.held-h.most/4, h.used-h.most); over > 0 {
			h.shedKeys(over + h.most/32)
		}
	}
}

// hold books bytes of keys, below 0 those that are let go of.
func (r *relation) hold(bytes int64) {
	r.keys.bytes += bytes
	r.heat.held += bytes
	r.heat.used += bytes
}

// dropKeys lets go of the relation's keys, and keeps none of it until there is much room.
func (r *relation) dropKeys() {
	r.hold(-r.keys.bytes)
	r.keys, r.keyless = nil, true
}

// shedKeys drops keys of so many bytes, those of the relations that are used least.
func (h *Heat) shedKeys(bytes int64) {
	var list []*relation
	for _, r := range h.relations {
		if r.keys != nil {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *relation) int {
		return cmp.Or(cmp.Compare(a.use, b.use), cmp.Compare(a.keys.bytes, b.keys.bytes), cmp.Compare(a.id, b.id))
	})
	for until := h.held - bytes; len(list) > 0 && h.held > until; list = list[1:] {
		list[0].dropKeys()
	}
}

// rollKeys ends the open minute of the relation's keys.
func (r *relation) rollKeys(before time.Time) {
	if r.keyless && r.heat.held < r.heat.most/8 {
		r.keyless = false
	}
	k := r.keys
	if k == nil {
		return
	}
	if len(k.open.list) > 0 {
		set := SampleSet{At: r.heat.minute, Data: bytes.Clone(appendSamples(nil, r.heat.minute, k.open.samples()))}
		k.sets = append(k.sets, set)
		r.hold(setBytes + int64(len(set.Data)) - k.open.bytes)
		k.open = reservoir{}
	}
	k.sets = slices.DeleteFunc(k.sets, func(s SampleSet) bool {
		old := s.At.Before(before)
		if old {
			r.hold(-setBytes - int64(len(s.Data)))
		}
		return old
	})
	if !r.heat.minute.Truncate(blockTime).Equal(r.heat.now().Truncate(blockTime)) {
		r.rollBlock()
	}
	if len(k.sets) == 0 && len(k.hot) == 0 {
		r.hold(-r.keys.bytes)
		r.keys = nil
	}
}

// openPieces are the pieces of the open minute, as a Minute has them.
func (r *relation) openPieces() []byte {
	if r.keys == nil || len(r.keys.open.list) == 0 {
		return nil
	}
	list := r.keys.open.samples()
	sortSamples(list)
	return bytes.Clone(appendPieces(nil, piecesOf(list)))
}

// rollBlock ends the open block of the relation's sketches.
func (r *relation) rollBlock() {
	k := r.keys
	list := k.block.list()
	grown := hotBytes(list)
	for _, of := range k.block.of {
		for _, s := range of {
			if s != nil {
				grown -= s.bytes
			}
		}
	}
	k.hot, k.block = append(k.hot, list), block{since: r.heat.now().Truncate(time.Minute)}
	before := k.block.since.Add(-keptBlocks * blockTime)
	k.hot = slices.DeleteFunc(k.hot, func(of []HotKeys) bool {
		old := len(of) == 0 || of[0].Since.Before(before)
		if old {
			grown -= hotBytes(of)
		}
		return old
	})
	r.hold(grown)
}

// sampleSets gives the samples of minutes that end after a time, with those of the open one.
func (r *relation) sampleSets(since time.Time) []SampleSet {
	if r.keys == nil {
		return nil
	}
	var list []SampleSet
	for i, s := range r.keys.sets {
		end := r.heat.minute
		if i+1 < len(r.keys.sets) {
			end = r.keys.sets[i+1].At
		}
		if end.After(since) {
			list = append(list, s)
		}
	}
	if len(r.keys.open.list) > 0 {
		list = append(list, SampleSet{At: r.heat.minute, Data: appendSamples(nil, r.heat.minute, r.keys.open.samples())})
	}
	return list
}

// SampleSets gives by minutes what Samples gives: for other servers.
func (h *Heat) SampleSets(id uint32, since time.Time) []SampleSet {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roll()
	var list []SampleSet
	for k, r := range h.relations {
		if k.id == id {
			list = append(list, r.sampleSets(since)...)
		}
	}
	return list
}

// Samples gives what is kept of the operations on a relation since a time, in no order: of
// KeepSamples at most.
func (h *Heat) Samples(id uint32, since time.Time) []Sample {
	var out []Sample
	for _, s := range h.SampleSets(id, since) {
		list, err := s.Samples(since)
		if err != nil {
			panic(err) // it was written here
		}
		out = append(out, list...)
	}
	return out
}

// Hot gives the keys that got most of the operations on a relation of late.
func (h *Heat) Hot(id uint32) []HotKeys {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roll()
	var lists [][]HotKeys
	for k, r := range h.relations {
		if k.id == id && r.keys != nil {
			lists = append(append(lists, r.keys.hot...), r.keys.block.list())
		}
	}
	return MergeHotKeys(lists...)
}
