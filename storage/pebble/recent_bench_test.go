package pebble

import (
	"encoding/binary"
	"testing"
)

// BenchmarkWrote is what the sample of recent rows adds to a write.
func BenchmarkWrote(b *testing.B) {
	s, err := Open(b.TempDir(), &Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	t := &tableState{id: 7}
	key := []byte("\x00\x00\x00\x07some-host/12345678")
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		n++
		binary.BigEndian.PutUint64(key[len(key)-8:], n)
		s.wrote(t, key)
	}
}
