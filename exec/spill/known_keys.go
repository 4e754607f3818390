package spill

import "unsafe"

// KnownKeys is a set of keys, whose bytes lie one behind another.
type KnownKeys struct {
	keys  map[string]struct{}
	arena []byte
	Bytes int
}

// The bytes of keys lie in blocks of growing size: a lookup of one row has one small key.
const (
	firstArena = 256
	mostArena  = 16 << 10
)

func (k *KnownKeys) Len() int { return len(k.keys) }

func (k *KnownKeys) Reset() {
	clear(k.keys)
	if k.Bytes = 0; cap(k.arena) > firstArena {
		k.arena = nil
	}
	k.arena = k.arena[:0] // no key is left that lies in it
}

// Add says whether a key, which is copied, is new.
func (k *KnownKeys) Add(key []byte) bool {
	if _, ok := k.keys[string(key)]; ok {
		return false
	}
	if k.keys == nil {
		k.keys = map[string]struct{}{}
	}
	if cap(k.arena)-len(k.arena) < len(key) {
		k.arena = make([]byte, 0, max(len(key), firstArena, min(2*cap(k.arena), mostArena))) // what is there is never changed
	}
	at := len(k.arena)
	k.arena = append(k.arena, key...)
	k.Bytes += len(key)
	k.keys[unsafe.String(unsafe.SliceData(k.arena[at:]), len(key))] = struct{}{}
	return true
}
