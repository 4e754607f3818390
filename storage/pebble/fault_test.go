package pebble

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/saltsql/saltsql/storage"
)

var errInjected = errors.New("injected fault")

// failWhen gives a file system that fails the operations for which when answers true.
func failWhen(fs vfs.FS, when func(op errorfs.Op) bool) vfs.FS {
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if when(op) {
			return errInjected
		}
		return nil
	}))
}

func isSync(k errorfs.OpKind) bool {
	return k == errorfs.OpFileSync || k == errorfs.OpFileSyncData || k == errorfs.OpFileSyncTo
}

func oneRow(key, value string) []storage.RowMutation {
	return []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{set("0", "v", 0, value)}}}
}

var familyZero = []storage.FamilySpec{{Name: "0"}}

// TestFailedSync loses one sync of the log. From then on nobody is answered
// with success, and nobody sees the row.
func TestFailedSync(t *testing.T) {
	ctx := context.Background()
	for _, op := range []string{"sync", "write"} {
		t.Run(op, func(t *testing.T) {
			var fail atomic.Bool
			o := testOptions(failWhen(vfs.NewMem(), func(o errorfs.Op) bool {
				return fail.Load() && strings.HasSuffix(o.Path, ".log") && (isSync(o.Kind) == (op == "sync")) && (op == "sync" || o.Kind == errorfs.OpFileWrite)
			}))
			s, err := Open("data", o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: familyZero}); err != nil {
				t.Fatal(err)
			}
			tab := s.Table("t")
			fail.Store(true)
			if err := tab.Mutate(ctx, oneRow("a", "1"), storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeAmbiguous {
				t.Errorf("the write whose %s failed: %v", op, err)
			}
			fail.Store(false)
			if err := tab.Mutate(ctx, oneRow("b", "1"), storage.WriteOptions{NoSync: true}); err == nil {
				t.Error("a later write without sync succeeds")
			}
			var rows storage.RowBatch
			if _, err := tab.MultiGet(ctx, [][]byte{[]byte("a")}, nil, &rows); err == nil {
				t.Errorf("a later read succeeds and sees %d rows", rows.Len())
			}
		})
	}
}
