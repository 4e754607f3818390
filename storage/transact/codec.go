package transact

import (
	"encoding/binary"
	"errors"

	"github.com/saltsql/saltsql/storage"
)

// txID names a transaction: random bytes, and the row key of its record.
type txID [16]byte

// lock is the value of a row's lock cell:
//
//	01 | tx 16 | flags 1 | start 8 | expiry 8
//
// Bit 0 of flags says that the transaction has no other row, and no record. The others number the
// attempts to set the lock whose answers were lost, so that a late one is not taken for the lock that
// the transaction holds. start and expiry are µs, big-endian. The cell's timestamp, which is not in the
// value, is what a reader has pushed the lock of such a transaction to, and start before that.
type lock struct {
	tx            txID
	alone         bool
	attempt       byte // modulo 128
	start, expiry int64
	pushed        int64  // the cell's timestamp
	raw           []byte // the value
}

const (
	format   = 1
	noImage  = 2 // of an image
	lockSize = 1 + 16 + 1 + 8 + 8
	maxImage = storage.MaxCellBytes / 2
)

var errNoImage = errors.New("transact: the row before the commit was too large to keep")

var errMalformed = errors.New("transact: a cell of a lock, an image or a record is malformed")

func (l *lock) append(b []byte) []byte {
	b = append(b, format)
	b = append(b, l.tx[:]...)
	flags := l.attempt << 1
	if l.alone {
		flags |= 1
	}
	b = append(b, flags)
	b = binary.BigEndian.AppendUint64(b, uint64(l.start))
	return binary.BigEndian.AppendUint64(b, uint64(l.expiry))
}

func readLock(b []byte, at int64) (*lock, error) {
	if len(b) != lockSize || b[0] != format {
		return nil, errMalformed
	}
	l := &lock{tx: txID(b[1:17]), alone: b[17]&1 == 1, attempt: b[17] >> 1, pushed: at, raw: append([]byte(nil), b...)}
	l.start, l.expiry = int64(binary.BigEndian.Uint64(b[18:])), int64(binary.BigEndian.Uint64(b[26:]))
	return l, nil
}

// appendChanges makes the cell of a lock's changes, whose timestamp is not known yet:
//
//	01 | for each: op 1, family, qualifier, value, each after its length (uvarint)
func appendChanges(b []byte, muts []storage.Mutation) []byte {
	b = append(b, format)
	for i := range muts {
		m := &muts[i]
		b = append(b, byte(m.Op))
		b = appendBytes(b, []byte(m.Family))
		b = appendBytes(b, m.Qualifier)
		b = appendBytes(b, m.Value)
	}
	return b
}

// readChanges gives the changes as of a commit at ts. They point into b.
func readChanges(b []byte, ts int64) (muts []storage.Mutation, err error) {
	if len(b) == 0 || b[0] != format {
		return nil, errMalformed
	}
	for b = b[1:]; len(b) > 0; {
		m := storage.Mutation{Op: storage.MutationOp(b[0])}
		var family []byte
		b = b[1:]
		for _, to := range []*[]byte{&family, &m.Qualifier, &m.Value} {
			if *to, b, err = cutBytes(b); err != nil {
				return nil, err
			}
		}
		if m.Op > storage.DeleteRow {
			return nil, errMalformed
		}
		if m.Family = string(family); m.Op == storage.SetCell {
			m.Timestamp = ts
		}
		muts = append(muts, m)
	}
	return muts, nil
}

// appendImage makes the cell of a row as it was before a commit of tx:
//
//	01 | tx 16 | for each cell: timestamp 8, family, qualifier, value, each after its length
//
// A row that was not there has no cell. One that is too large for a cell is not kept:
//
//	02 | tx 16
func appendImage(b []byte, tx txID, cells []storage.Cell) []byte {
	size := 0
	for i := range cells {
		size += len(cells[i].Family) + len(cells[i].Qualifier) + len(cells[i].Value) + 20
	}
	if size > maxImage {
		return append(append(b, noImage), tx[:]...)
	}
	b = append(append(b, format), tx[:]...)
	for i := range cells {
		c := &cells[i]
		b = binary.BigEndian.AppendUint64(b, uint64(c.Timestamp))
		b = appendBytes(b, []byte(c.Family))
		b = appendBytes(b, c.Qualifier)
		b = appendBytes(b, c.Value)
	}
	return b
}

// readImage gives the cells, which point into b, or errNoImage.
func readImage(b []byte) (tx txID, cells []storage.Cell, err error) {
	if len(b) == 17 && b[0] == noImage {
		return txID(b[1:]), nil, errNoImage
	}
	if len(b) < 17 || b[0] != format {
		return tx, nil, errMalformed
	}
	tx = txID(b[1:17])
	for b = b[17:]; len(b) > 0; {
		if len(b) < 8 {
			return tx, nil, errMalformed
		}
		c := storage.Cell{Timestamp: int64(binary.BigEndian.Uint64(b))}
		var family []byte
		b = b[8:]
		for _, to := range []*[]byte{&family, &c.Qualifier, &c.Value} {
			if *to, b, err = cutBytes(b); err != nil {
				return tx, nil, err
			}
		}
		c.Family = string(family)
		cells = append(cells, c)
	}
	return tx, cells, nil
}

// rowName is a row of a table.
type rowName struct {
	table string
	key   []byte
}

// appendRows makes the list of a record's rows: table and key of each, after their lengths.
func appendRows(b []byte, rows []rowName) []byte {
	b = append(b, format)
	for i := range rows {
		b = appendBytes(appendBytes(b, []byte(rows[i].table)), rows[i].key)
	}
	return b
}

func readRows(b []byte) (rows []rowName, err error) {
	if len(b) == 0 || b[0] != format {
		return nil, errMalformed
	}
	for b = b[1:]; len(b) > 0; {
		var table, key []byte
		if table, b, err = cutBytes(b); err != nil {
			return nil, err
		}
		if key, b, err = cutBytes(b); err != nil {
			return nil, err
		}
		rows = append(rows, rowName{string(table), key})
	}
	return rows, nil
}

func appendBytes(b, v []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

func cutBytes(b []byte) (v, rest []byte, err error) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil, errMalformed
	}
	return b[w : w+int(n) : w+int(n)], b[w+int(n):], nil
}
