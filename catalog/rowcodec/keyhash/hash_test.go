package keyhash

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The hashes, with what other implementations say of them.
func TestHashes(t *testing.T) {
	for _, tt := range []struct {
		hash, of string
		want     string
	}{
		{"phoenix31", "ab", "00000fe2"},
		{"fnv1a", "", "811c9dc5"},
		{"fnv1a", "foobar", "bf9cf968"},
		{"fnv1a64", "foobar", "85944171f73967e8"},
		{"murmur3", "", "00000000"},
		{"murmur3", "test", "ba6bd213"},
		{"murmur3", "Hello, world!", "c0363e43"},
		{"murmur3", "The quick brown fox jumps over the lazy dog", "2e4ff723"},
		{"crc32", "123456789", "cbf43926"},
		{"md5", "", "d41d8cd98f00b204e9800998ecf8427e"},
		{"sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
	} {
		sum, n := byName[tt.hash]([]byte(tt.of))
		if got := fmt.Sprintf("%x", sum[:n]); got != tt.want {
			t.Errorf("%s(%q) is %s, want %s", tt.hash, tt.of, got, tt.want)
		}
	}
	if names := Names(); !slices.Contains(names, "fnv1a") || len(names) != len(byName) {
		t.Errorf("hashes: %v", names)
	}
}

// TestBucket: the smallest hash has a bucket, which its absolute value would not.
func TestBucket(t *testing.T) {
	for _, tt := range []struct {
		h       int32
		n, want int
	}{{7, 4, 3}, {-7, 4, 3}, {math.MinInt32, 3, 2}, {math.MinInt32, 256, 0}, {math.MaxInt32, 1, 0}} {
		if got := Bucket(tt.h, tt.n); got != tt.want {
			t.Errorf("%d in %d buckets: %d, want %d", tt.h, tt.n, got, tt.want)
		}
	}
}
