package keyhash

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"
	"math/bits"
	"slices"
)

// Phoenix is the id of Phoenix's hash.
const Phoenix = "phoenix31"

// Phoenix31 is h = 31·h + b over signed bytes from h = 1, in 32 bits.
func Phoenix31(b []byte) int32 {
	h := int32(1)
	for _, c := range b {
		h = 31*h + int32(int8(c))
	}
	return h
}

// Bucket takes the remainder first and the absolute value then, so that the
// smallest int32 has a bucket.
func Bucket(h int32, buckets int) int {
	m := h % int32(buckets)
	if m < 0 {
		m = -m
	}
	return int(m)
}

// Hash gives a hash, big-endian, and how many bytes of sum it has.
type Hash func(b []byte) (sum [20]byte, size int)

var byName = map[string]Hash{
	Phoenix: func(b []byte) ([20]byte, int) { return hash32(uint32(Phoenix31(b))) },
	"fnv1a": func(b []byte) ([20]byte, int) {
		h := fnv.New32a()
		h.Write(b)
		return hash32(h.Sum32())
	},
	"fnv1a64": func(b []byte) (sum [20]byte, size int) {
		h := fnv.New64a()
		h.Write(b)
		binary.BigEndian.PutUint64(sum[:], h.Sum64())
		return sum, 8
	},
	"murmur3": func(b []byte) ([20]byte, int) { return hash32(murmur3(b)) },
	"crc32":   func(b []byte) ([20]byte, int) { return hash32(crc32.ChecksumIEEE(b)) },
	"md5": func(b []byte) (sum [20]byte, size int) {
		h := md5.Sum(b)
		return sum, copy(sum[:], h[:])
	},
	"sha1": func(b []byte) ([20]byte, int) { return sha1.Sum(b), sha1.Size },
}

func hash32(h uint32) (sum [20]byte, size int) {
	binary.BigEndian.PutUint32(sum[:], h)
	return sum, 4
}

// murmur3 is MurmurHash3_x86_32 with seed 0.
func murmur3(b []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	mix := func(k uint32) uint32 { return bits.RotateLeft32(k*c1, 15) * c2 }
	h, n := uint32(0), len(b)
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h^mix(binary.LittleEndian.Uint32(b)), 13)*5 + 0xe6546b64
	}
	k := uint32(0)
	for i, c := range b {
		k |= uint32(c) << (8 * i)
	}
	h ^= mix(k) ^ uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// Names lists the hashes.
func Names() []string {
	var names []string
	for n := range byName {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Named is the hash of a name; nil where there is none.
func Named(name string) Hash { return byName[name] }
