package pebble

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// TestLogSize commits rows one by one: the log's size changes by steps, not with each
// commit, and what was committed is there after a crash, though zeros follow it.
func TestLogSize(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are sized ahead on Linux only")
	}
	const rows, rowBytes = 600, 8 << 10
	ctx := context.Background()
	dir, crashed := t.TempDir(), t.TempDir()
	s, err := Open(dir, testOptions(vfs.Default))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: familyZero}); err != nil {
		t.Fatal(err)
	}
	log := newestLog(t, dir)
	sizes := map[int64]bool{}
	value := string(make([]byte, rowBytes))
	for i := range rows {
		if err := s.Table("t").Mutate(ctx, oneRow(fmt.Sprint(i), value), storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		sizes[info.Size()] = true
	}
	if most := rows*rowBytes/logStep + 2; len(sizes) > most {
		t.Errorf("%d commits gave the log %d sizes, at most %d are expected", rows, len(sizes), most)
	}
	if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	again, err := Open(crashed, testOptions(vfs.Default))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i := range rows {
		var b storage.RowBatch
		if _, err := again.Table("t").MultiGet(ctx, [][]byte{[]byte(fmt.Sprint(i))}, nil, &b); err != nil || b.Len() != 1 {
			t.Fatalf("row %d after a crash: %d rows, %v", i, b.Len(), err)
		}
	}
}

func newestLog(t *testing.T, dir string) (log string) {
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	return logs[len(logs)-1]
}
