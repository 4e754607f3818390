package session

import (
	"context"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// syncNotes is a store that notes whether its last write was to be synced.
type syncNotes struct {
	storage.Store
	noSync bool
}

type notedTable struct {
	storage.Table
	of *syncNotes
}

type notedBatch struct {
	storage.Batch
	of *syncNotes
}

func (s *syncNotes) Table(name string) storage.Table { return &notedTable{s.Store.Table(name), s} }

func (s *syncNotes) Batch() (storage.Batch, error) {
	b, err := s.Store.Batch()
	return &notedBatch{b, s}, err
}

func (t *notedTable) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	t.of.noSync = opts.NoSync
	return t.Table.Mutate(ctx, rows, opts)
}

func (t *notedTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	t.of.noSync = m.NoSync
	return t.Table.CheckAndMutate(ctx, m)
}

func (b *notedBatch) Commit(ctx context.Context, opts storage.WriteOptions) error {
	b.of.noSync = opts.NoSync
	return b.Batch.Commit(ctx, opts)
}

// TestSynchronousCommit: what the setting is at COMMIT says whether it waits for the disk, SET
// LOCAL of the transaction too.
func TestSynchronousCommit(t *testing.T) {
	st := &syncNotes{Store: mem.New()}
	defer st.Close()
	db, err := Open(context.Background(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := newClient(t, db, SessionOptions{})
	c.must("CREATE TABLE t (k int PRIMARY KEY)")
	for _, step := range []struct {
		sql    string
		noSync bool
	}{
		{"INSERT INTO t VALUES (1)", false},
		{"BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO t VALUES (2); COMMIT", true},
		{"INSERT INTO t VALUES (3)", false},
		{"SET synchronous_commit = false; INSERT INTO t VALUES (4)", true},
		{"DELETE FROM t WHERE k = 4", true},
		{"BEGIN; INSERT INTO t VALUES (5), (6); SET synchronous_commit = local; COMMIT", false},
		{"SET synchronous_commit = 'off'; BEGIN; UPDATE t SET k = 7 WHERE k = 5; COMMIT", true},
		{"RESET synchronous_commit; INSERT INTO t VALUES (8)", false},
	} {
		for sql := range strings.SplitSeq(step.sql, "; ") {
			c.must(sql)
		}
		if st.noSync != step.noSync {
			t.Errorf("%s: without a sync %v", step.sql, st.noSync)
		}
	}
}
