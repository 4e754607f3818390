package transact

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// status is what a record says of its transaction.
type status byte

const (
	undecided status = 0 // it is under way, or all of it is done and forgotten
	committed status = 'c'
	aborted   status = 'a'
)

// state is a record: the status, and when it was committed, or, while it is undecided, what it was
// pushed to. The cell of a status is it and at, 8 bytes big-endian.
type state struct {
	status status
	at     int64
}

func (s state) value() []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(s.status)}, uint64(s.at))
}

func readStatus(b []byte) (s state, err error) {
	if len(b) != 9 {
		return s, errMalformed
	}
	s = state{status(b[0]), int64(binary.BigEndian.Uint64(b[1:]))}
	if s.status != committed && s.status != aborted {
		return s, errMalformed
	}
	return s, nil
}

// readRecord reads row i of a batch.
func readRecord(rb *storage.RowBatch, i int) (s state, err error) {
	for j := range rb.NumCells(i) {
		switch c := rb.Cell(i, j); {
		case isCol(&c, &statusCol):
			if s, err = readStatus(c.Value); err != nil {
				return s, corrupt(RecordTable, rb.Key(i), err)
			}
			return s, nil
		case isCol(&c, &pushedCol):
			s.at = max(s.at, c.Timestamp)
		}
	}
	return s, nil
}

// states reads the records of transactions, in one call.
func (s *Store) states(ctx context.Context, ids []txID) (map[txID]state, error) {
	slices.SortFunc(ids, func(a, b txID) int { return bytes.Compare(a[:], b[:]) })
	ids = slices.Compact(ids)
	keys := make([][]byte, len(ids))
	for i := range ids {
		keys[i] = ids[i][:]
	}
	var rb storage.RowBatch
	err := storage.Again(ctx, func() error {
		rb.Reset()
		_, err := s.records.MultiGet(ctx, keys, &storage.ScanRequest{Project: []storage.Col{statusCol, pushedCol}}, &rb)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[txID]state, rb.Len())
	for i := range rb.Len() {
		if len(rb.Key(i)) != len(txID{}) {
			continue
		}
		st, err := readRecord(&rb, i)
		if err != nil {
			return nil, err
		}
		out[txID(rb.Key(i))] = st
	}
	return out, nil
}

func (s *Store) state(ctx context.Context, id txID) (state, error) {
	all, err := s.states(ctx, []txID{id})
	return all[id], err
}

// decide writes that a transaction is committed, if nobody has pushed it to that time or beyond, or
// that it is aborted, if it is undecided; ok is false where it is not so. rows is kept with a commit.
func (s *Store) decide(ctx context.Context, id txID, to state, rows []byte) (ok bool, err error) {
	m := storage.CondMutation{Key: id[:], Cond: storage.Cond{Op: storage.Untouched, Family: statusFamily, Other: pushedCol, Timestamp: unseen},
		Then: []storage.Mutation{{Op: storage.SetCell, Family: statusFamily, Qualifier: statusCol.Qualifier, Timestamp: to.at, Value: to.value()}}}
	if to.status == committed {
		m.Cond.Timestamp = to.at - step
		m.Then = append(m.Then, storage.Mutation{Op: storage.SetCell, Family: keysCol.Family, Qualifier: keysCol.Qualifier, Timestamp: to.at, Value: rows})
	}
	return storage.CheckAndMutateAgain(ctx, s.records, &m)
}

// push has a transaction that is undecided be committed after at only; ok is false where it is decided.
func (s *Store) push(ctx context.Context, id txID, at int64) (ok bool, err error) {
	return storage.CheckAndMutateAgain(ctx, s.records, &storage.CondMutation{Key: id[:],
		Cond: storage.Cond{Op: storage.CellAbsent, Family: statusFamily, Qualifier: statusCol.Qualifier},
		Then: []storage.Mutation{{Op: storage.SetCell, Family: pushedCol.Family, Qualifier: pushedCol.Qualifier, Timestamp: at}}})
}

// forget removes a record that says what it was seen to say.
func (s *Store) forget(ctx context.Context, id txID, was state) error {
	cond := storage.Cond{Op: storage.CellAbsent, Family: statusFamily, Qualifier: statusCol.Qualifier}
	if was.status != undecided {
		cond.Op, cond.Value = storage.CellIs, was.value()
	}
	_, err := storage.CheckAndMutateAgain(ctx, s.records, &storage.CondMutation{Key: id[:], Cond: cond, Then: []storage.Mutation{{Op: storage.DeleteRow}}})
	return err
}

func corrupt(table string, key []byte, err error) error {
	return storage.Errorf(storage.CodeCorruption, storage.OpMultiGet, table, "row %x: %w", key, err)
}
