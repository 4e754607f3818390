package bigtable

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// A write whose fence does not hold is not sent, and one whose fence ends before its answer
// comes is not taken for made: this process may have been stopped in between.
func TestFence(t *testing.T) {
	w, s, table := openWrites(t, Config{})
	there := func(key string) bool {
		var b storage.RowBatch
		if _, err := s.Table("t").MultiGet(context.Background(), [][]byte{[]byte(key)}, nil, &b); err != nil {
			t.Error(err)
		}
		return b.Len() > 0
	}
	for what, write := range map[string]func(ctx context.Context, key string) error{
		"one row": func(ctx context.Context, key string) error {
			return table.Mutate(ctx, []storage.RowMutation{put(key, "q", "v")}, storage.WriteOptions{})
		},
		"two rows": func(ctx context.Context, key string) error {
			return table.Mutate(ctx, []storage.RowMutation{put(key, "q", "v"), put(key+"+", "q", "v")}, storage.WriteOptions{})
		},
		"conditional": func(ctx context.Context, key string) error {
			_, err := table.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte(key), Cond: storage.Cond{Op: storage.RowAbsent}, Then: put(key, "q", "v").Mutations})
			return err
		},
	} {
		later := time.Now().Add(time.Hour)
		over := storage.WithFence(context.Background(), func() (time.Time, bool) { return later, false })
		if err := write(over, what+" too late"); storage.CodeOf(err) != storage.CodeCanceled || there(what+" too late") {
			t.Errorf("%s, too late: %v, there: %v", what, err, there(what+" too late"))
		}
		// The clock is past the time, and nobody has noticed.
		past := storage.WithFence(context.Background(), func() (time.Time, bool) { return time.Now().Add(-time.Second), true })
		if err := write(past, what+" past"); err == nil || there(what+" past") {
			t.Errorf("%s, past: %v, there: %v", what, err, there(what+" past"))
		}
		key := what + " answered late"
		late := storage.WithFence(context.Background(), func() (time.Time, bool) { return later, !there(key) })
		if err := write(late, key); storage.CodeOf(err) != storage.CodeAmbiguous || !there(key) {
			t.Errorf("%s, answered late: %v, there: %v", what, err, there(key))
		}
		held := storage.WithFence(context.Background(), func() (time.Time, bool) { return later, true })
		if err := write(held, what); err != nil || !there(what) {
			t.Errorf("%s: %v, there: %v", what, err, there(what))
		}
	}
	// So are changes of tables: rows may have been written since.
	over := storage.WithFence(context.Background(), func() (time.Time, bool) { return time.Now().Add(time.Hour), false })
	if err := s.Admin().Truncate(over, "t"); storage.CodeOf(err) != storage.CodeCanceled || !there("one row") {
		t.Errorf("TRUNCATE, too late: %v, there: %v", err, there("one row"))
	}
	if w.singles == 0 {
		t.Error("no row was sent alone")
	}
}
