package serverlocks

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

const prefix = "lock/"

// stored is a row as it was read or written: no cell is no row.
type stored struct {
	cell string
	state
}

// read reads a lock's row.
func (l *Locks) read(ctx context.Context, name string) (at stored, err error) {
	var b storage.RowBatch
	err = versions.RetryRead(ctx, func() error {
		b.Reset()
		_, err := l.keeper.Table.MultiGet(ctx, [][]byte{[]byte(prefix + name)}, nil, &b)
		return err
	})
	if err != nil || b.Len() == 0 {
		return stored{}, err
	}
	return decode(&b, 0)
}

func decode(b *storage.RowBatch, i int) (at stored, err error) {
	if b.NumCells(i) != 1 {
		return stored{}, catalog.Corrupt(string(b.Key(i)), "it should hold one cell")
	}
	cell := b.Cell(i, 0)
	if err := json.Unmarshal(cell.Value, &at.state); err != nil {
		return stored{}, catalog.Corrupt(string(b.Key(i)), "%v", err)
	}
	at.cell = string(cell.Qualifier)
	return at, nil
}

// swap makes the row say next where it is as it was; false where it is not.
func (l *Locks) swap(ctx context.Context, name string, was stored, next state) (now stored, won bool, err error) {
	m := storage.CondMutation{Key: []byte(prefix + name), Cond: storage.Cond{Op: storage.RowAbsent}}
	if was.cell != "" {
		m.Cond = storage.Cond{Op: storage.CellPresent, Family: versions.SystemFamily, Qualifier: []byte(was.cell)}
	}
	if next.empty() {
		m.Then = []storage.Mutation{{Op: storage.DeleteRow}}
	} else {
		if was.cell != "" {
			m.Then = []storage.Mutation{{Op: storage.DeleteCell, Family: versions.SystemFamily, Qualifier: []byte(was.cell)}}
		}
		nonce := make([]byte, 6)
		_, _ = rand.Read(nonce) // never fails: see crypto/rand
		now = stored{hex.EncodeToString(nonce), next}
		value, err := json.Marshal(&next)
		if err != nil {
			return was, false, err
		}
		m.Then = append(m.Then, storage.Mutation{
			Op: storage.SetCell, Family: versions.SystemFamily, Qualifier: []byte(now.cell), Timestamp: l.keeper.Options.Now().UnixMilli() * 1000, Value: value,
		})
	}
	won, err = l.keeper.Table.CheckAndMutate(storage.Essential(ctx), &m)
	return now, won && err == nil, err
}
