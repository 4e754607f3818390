package changelog

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/saltsql/saltsql/storage"
)

const family = "l"

var (
	keysCell  = []byte("k")
	endedCell = []byte("d")
)

// maxEntry is how many bytes of keys one entry holds, well below what a store lets a request
// or a cell have.
const maxEntry = 1 << 20

// Spec describes the storage table of a log.
func Spec(name string) storage.TableSpec {
	return storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: family, MaxVersions: 1}}}
}

// Append adds entries for n keys to dst. ts stamps their cells.
func Append(dst []storage.RowMutation, n int, key func(i int) []byte, ts int64, ended bool) []storage.RowMutation {
	var value []byte
	flush := func() {
		id := make([]byte, 16)
		_, _ = rand.Read(id) // never fails: see crypto/rand
		m := []storage.Mutation{{Op: storage.SetCell, Family: family, Qualifier: keysCell, Timestamp: ts, Value: value}}
		if ended {
			m = append(m, end(ts))
		}
		dst = append(dst, storage.RowMutation{Key: id, Mutations: m})
		value = nil
	}
	for i := range n {
		k := key(i)
		if len(value) > 0 && len(value)+len(k) > maxEntry {
			flush()
		}
		value = append(binary.AppendUvarint(value, uint64(len(k))), k...)
	}
	if len(value) > 0 {
		flush()
	}
	return dst
}

// End gives what ends entries that Append made.
func End(entries []storage.RowMutation, ts int64) []storage.RowMutation {
	out := make([]storage.RowMutation, len(entries))
	for i := range entries {
		out[i] = storage.RowMutation{Key: entries[i].Key, Mutations: []storage.Mutation{end(ts)}}
	}
	return out
}

func end(ts int64) storage.Mutation {
	return storage.Mutation{Op: storage.SetCell, Family: family, Qualifier: endedCell, Timestamp: ts}
}

// Entry reads the i-th row of a batch of a log, and gives its keys, which are valid until
// the batch is filled anew.
func Entry(b *storage.RowBatch, i int) (keys [][]byte, ended bool, err error) {
	for j := range b.NumCells(i) {
		c := b.Cell(i, j)
		if string(c.Qualifier) == string(endedCell) {
			ended = true
			continue
		}
		for v := c.Value; len(v) > 0; {
			n, w := binary.Uvarint(v)
			if w <= 0 || n > uint64(len(v)-w) {
				return nil, false, storage.Errorf(storage.CodeCorruption, storage.OpScan, "", "an entry of a change log cannot be read")
			}
			keys = append(keys, v[w:w+int(n)])
			v = v[w+int(n):]
		}
	}
	return keys, ended, nil
}
