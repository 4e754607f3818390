package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// The directory is kept under table id 0:
//
//	00000000 "format"       01
//	00000000 "next"         next table id, 4 bytes big-endian
//	00000000 "table/" name  descriptor:
//	    01                  format version
//	    id                  4 bytes big-endian
//	    families            uvarint count; each: uvarint id, uvarint length and
//	                        name, uvarint versions, uvarint TTL in ns
//	    splits              uvarint count; each: uvarint length and key
//
// A table "m" with id 5, family 1 "0" of one version without TTL, no splits:
//
//	01 00000005 01 01 0130 01 00 00
const (
	directoryFormat = 0x01
	descVersion     = 0x01
)

var (
	formatKey   = []byte("\x00\x00\x00\x00format")
	nextKey     = []byte("\x00\x00\x00\x00next")
	tablePrefix = []byte("\x00\x00\x00\x00table/")
	tableEnd    = []byte("\x00\x00\x00\x00table0") // '0' follows '/'
)

// directory is the tables by name: immutable, replaced by every DDL.
type directory map[string]*tableState

func tableKey(name string) []byte {
	return append(tablePrefix[:len(tablePrefix):len(tablePrefix)], name...)
}

func appendDesc(dst []byte, id uint32, d *rowpack.Desc) []byte {
	dst = append(dst, descVersion)
	dst = binary.BigEndian.AppendUint32(dst, id)
	dst = binary.AppendUvarint(dst, uint64(len(d.Spec.Families)))
	for i, f := range d.Spec.Families {
		dst = binary.AppendUvarint(dst, uint64(d.IDs[i]))
		dst = rowpack.AppendBytes(dst, []byte(f.Name))
		dst = binary.AppendUvarint(dst, uint64(f.MaxVersions))
		dst = binary.AppendUvarint(dst, uint64(f.TTL))
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.Spec.Splits)))
	for _, k := range d.Spec.Splits {
		dst = rowpack.AppendBytes(dst, k)
	}
	return dst
}

var errDesc = errors.New("table directory is malformed")

// byteReader reads uvarints and byte strings.
type byteReader struct {
	raw []byte
	pos int
}

func (r *byteReader) uvarint() (uint64, bool) {
	v, pos := rowpack.Uvarint(r.raw, r.pos)
	if pos < 0 {
		return 0, false
	}
	r.pos = pos
	return v, true
}

func (r *byteReader) bytes() ([]byte, bool) {
	n, ok := r.uvarint()
	if !ok || n > uint64(len(r.raw)-r.pos) {
		return nil, false
	}
	b := r.raw[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b, true
}

func decodeDesc(name string, raw []byte) (*tableState, error) {
	if len(raw) < 5 || raw[0] != descVersion {
		return nil, errDesc
	}
	c := byteReader{raw, 5}
	spec := storage.TableSpec{Name: name}
	var ids []uint32
	n, ok := c.uvarint()
	if !ok || n > uint64(len(raw)) {
		return nil, errDesc
	}
	for range n {
		id, ok1 := c.uvarint()
		fname, ok2 := c.bytes()
		versions, ok3 := c.uvarint()
		ttl, ok4 := c.uvarint()
		if !ok1 || !ok2 || !ok3 || !ok4 || id == 0 || id > rowpack.MaxFamilyID {
			return nil, errDesc
		}
		ids = append(ids, uint32(id))
		spec.Families = append(spec.Families, storage.FamilySpec{Name: string(fname), MaxVersions: int(versions), TTL: time.Duration(ttl)})
	}
	n, ok = c.uvarint()
	if !ok || n > uint64(len(raw)) {
		return nil, errDesc
	}
	for range n {
		k, ok := c.bytes()
		if !ok {
			return nil, errDesc
		}
		spec.Splits = append(spec.Splits, append([]byte(nil), k...))
	}
	if c.pos != len(raw) {
		return nil, errDesc
	}
	t := &tableState{id: binary.BigEndian.Uint32(raw[1:])}
	t.begun.Store(1) // what the log holds of it
	t.ended.Store(1)
	t.desc.Store(rowpack.NewDesc(spec, ids))
	return t, nil
}

// loadDirectory reads the directory, and makes an empty one in a new database.
func loadDirectory(db *pebble.DB) (dir directory, next uint32, err error) {
	format, closer, err := db.Get(formatKey)
	if errors.Is(err, pebble.ErrNotFound) {
		return initDirectory(db)
	}
	if err != nil {
		return nil, 0, err
	}
	known := len(format) == 1 && format[0] == directoryFormat
	closer.Close()
	if !known {
		return nil, 0, errors.New("the folder was written by a newer version")
	}
	raw, closer, err := db.Get(nextKey)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errDesc, err)
	}
	if len(raw) == 4 {
		next = binary.BigEndian.Uint32(raw)
	}
	closer.Close()
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: tablePrefix, UpperBound: tableEnd})
	if err != nil {
		return nil, 0, err
	}
	dir = directory{}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		name := string(it.Key()[len(tablePrefix):])
		var t *tableState
		if t, err = decodeDesc(name, it.Value()); err == nil {
			dir[name] = t
			if t.id >= next {
				err = errDesc
			}
		}
	}
	return dir, next, errors.Join(err, it.Close())
}

func initDirectory(db *pebble.DB) (directory, uint32, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return nil, 0, err
	}
	foreign := it.First()
	if err := it.Close(); err != nil {
		return nil, 0, err
	}
	if foreign {
		return nil, 0, errors.New("the folder holds a Pebble database of another program")
	}
	b := db.NewBatch()
	defer b.Close()
	if err := errors.Join(b.Set(formatKey, []byte{directoryFormat}, nil), b.Set(nextKey, []byte{0, 0, 0, 1}, nil)); err != nil {
		return nil, 0, err
	}
	return directory{}, 1, db.Apply(b, pebble.Sync)
}
