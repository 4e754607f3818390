package pebble

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// sizedFS reports free bytes, and refuses files where told.
type sizedFS struct {
	vfs.FS
	free    atomic.Uint64
	refuses atomic.Pointer[error] // of Create
}

func (f *sizedFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: f.free.Load(), TotalBytes: 1 << 40}, nil
}

func (f *sizedFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.refuses.Load(); err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: *err}
	}
	return f.FS.Create(name, c)
}

func freshRow(key string) []storage.RowMutation {
	return []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{{Op: storage.DeleteRow}, set("0", "v", 1, "x")}}}
}

// TestReserve fills the disk up to the reserve: writes are refused, what frees
// space goes on, and writes work again when there is space.
func TestReserve(t *testing.T) {
	ctx := context.Background()
	fs := &sizedFS{FS: vfs.NewMem()}
	fs.free.Store(1 << 30)
	o := testOptions(fs)
	o.ReserveBytes = 64 << 20
	o.OnFatal = func(err error) { t.Errorf("fault: %v", err) }
	s := openTest(t, o)
	tab := mustCreate(t, s, storage.FamilySpec{Name: "0"})
	mustPut(t, tab, storage.WriteOptions{}, "a", set("0", "v", 1, "x"))
	mustPut(t, tab, storage.WriteOptions{}, "b", set("0", "v", 1, "x"))
	s.space.until.Store(0) // look now

	refused := func(what string, err error) {
		t.Helper()
		var se *storage.Error
		if !errors.As(err, &se) || se.Code != storage.CodeDiskFull || !strings.Contains(se.Msg, "data") || se.Hint == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	writes := func() map[string]error {
		l, err := s.Load(ctx, "t", false)
		if err == nil {
			err = l.Add(ctx, freshRow("load"))
			if err == nil {
				err = s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{})
			}
			l.Close()
		}
		_, cas := tab.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("c"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: oneRow("c", "1")[0].Mutations})
		return map[string]error{
			"mutate": tab.Mutate(ctx, oneRow("c", "1"), storage.WriteOptions{}), "load": err, "compare and set": cas,
			"create": s.Admin().CreateTable(ctx, storage.TableSpec{Name: "u", Families: familyZero}),
		}
	}
	for _, free := range []uint64{40 << 20, 1 << 20} {
		fs.free.Store(free)
		for what, err := range writes() {
			refused(what, err)
		}
		if got := get(t, tab, "b", nil); !strings.Contains(got, "x") {
			t.Errorf("reads: %s", got)
		}
		err := tab.Mutate(ctx, []storage.RowMutation{{Key: []byte("a"), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}}, storage.WriteOptions{})
		essential := tab.Mutate(storage.Essential(ctx), oneRow("e", "1"), storage.WriteOptions{})
		if free > uint64(o.ReserveBytes/deleteShare) {
			if err != nil || essential != nil {
				t.Errorf("%d bytes free: delete: %v, essential: %v", free, err, essential)
			}
		} else {
			refused("delete", err)
			refused("essential", essential)
		}
		if err := s.Admin().Truncate(ctx, "t"); err != nil {
			t.Errorf("truncate: %v", err)
		}
		fs.free.Store(1 << 30)
		mustPut(t, tab, storage.WriteOptions{}, "b", set("0", "v", 1, "x"))
		s.space.until.Store(0)
	}
	if err := s.Admin().DropTable(ctx, "t"); err != nil {
		t.Errorf("drop: %v", err)
	}
}

// TestQuota has the file system refuse what statfs would allow.
func TestQuota(t *testing.T) {
	ctx := context.Background()
	fs := &sizedFS{FS: vfs.NewMem()}
	fs.free.Store(1 << 40)
	s := openTest(t, testOptions(fs))
	tab := mustCreate(t, s, storage.FamilySpec{Name: "0"})
	full := error(syscall.EDQUOT)
	fs.refuses.Store(&full)
	l, err := s.Load(ctx, "t", false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Add(ctx, freshRow("a")); err != nil {
		t.Fatal(err)
	}
	l.(*load).run.size = loadRunBytes // so that it makes tables
	if err := s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeDiskFull {
		t.Errorf("a load over the quota: %v", err)
	}
	if err := tab.Mutate(ctx, oneRow("b", "1"), storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeDiskFull {
		t.Errorf("a write over the quota: %v", err)
	}
	fs.refuses.Store(nil)
	if err := tab.Mutate(ctx, oneRow("b", "1"), storage.WriteOptions{}); err != nil {
		t.Errorf("a write once there is space: %v", err)
	}
}

// TestNoHandles runs out of file handles.
func TestNoHandles(t *testing.T) {
	ctx := context.Background()
	fs := &sizedFS{FS: vfs.NewMem()}
	fs.free.Store(1 << 40)
	s := openTest(t, testOptions(fs))
	mustCreate(t, s, storage.FamilySpec{Name: "0"})
	none := error(syscall.EMFILE)
	fs.refuses.Store(&none)
	l, err := s.Load(ctx, "t", false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Add(ctx, freshRow("a")); err != nil {
		t.Fatal(err)
	}
	l.(*load).run.size = loadRunBytes
	err = s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{})
	var se *storage.Error
	if !errors.As(err, &se) || se.Code != storage.CodeTooManyFiles || se.Hint == "" {
		t.Errorf("no handle: %v", err)
	}
	fs.refuses.Store(nil)
}

// TestFullAtOpen starts where nothing can be written: Open ends and says why.
func TestFullAtOpen(t *testing.T) {
	for errno, code := range map[syscall.Errno]storage.Code{
		syscall.ENOSPC: storage.CodeDiskFull, syscall.EROFS: storage.CodePermissionDenied,
		syscall.EACCES: storage.CodePermissionDenied, syscall.EMFILE: storage.CodeTooManyFiles,
	} {
		mem := vfs.NewMem()
		s, err := Open("data", testOptions(mem))
		if err != nil {
			t.Fatal(err)
		}
		tab := mustCreate(t, s, storage.FamilySpec{Name: "0"})
		mustPut(t, tab, storage.WriteOptions{}, "a", set("0", "v", 1, "x"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fs := &sizedFS{FS: mem}
		refusal := error(errno)
		fs.refuses.Store(&refusal)
		_, err = Open("data", testOptions(fs))
		var se *storage.Error
		if !errors.As(err, &se) || se.Code != code || se.Hint == "" {
			t.Errorf("%v: %v", errno, err)
		}
		s, err = Open("data", testOptions(mem)) // the lock is let go
		if err != nil {
			t.Fatalf("%v: %v", errno, err)
		}
		if got := get(t, s.Table("t"), "a", nil); !strings.Contains(got, "x") {
			t.Errorf("%v: %s", errno, got)
		}
		s.Close()
	}
}

// TestOpenEnds gives up opening on a disk that hangs.
func TestOpenEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	hung := make(chan struct{})
	fs := &hangingFS{FS: vfs.NewMem(), reached: func() { cancel(); <-hung }}
	defer close(hung)
	if _, err := OpenContext(ctx, "data", testOptions(fs)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type hangingFS struct {
	vfs.FS
	reached func()
}

func (f *hangingFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.reached()
	return f.FS.Create(name, c)
}

// copyFolder copies a store's files.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedLog flips each of some bytes of a log that was synced, cuts it, and
// removes it: the folder does not open as if nothing were missing.
func TestDamagedLog(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	s, err := Open(dir, testOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	tab := mustCreate(t, s, storage.FamilySpec{Name: "0"})
	for i := range 20 {
		if err := tab.Mutate(ctx, oneRow(string(rune('a'+i)), strings.Repeat("x", 100*i)), storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	crashed := filepath.Join(t.TempDir(), "crashed")
	copyFolder(t, dir, crashed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"closed": dir, "crashed": crashed} {
		logs, err := filepath.Glob(filepath.Join(from, "*.log"))
		if err != nil || len(logs) != 1 {
			t.Fatalf("%v %v", logs, err)
		}
		whole, err := os.ReadFile(logs[0])
		if err != nil {
			t.Fatal(err)
		}
		end := len(strings.TrimRight(string(whole), "\x00"))
		try := func(what string, change func(log string) error, want storage.Code) {
			t.Helper()
			folder := filepath.Join(t.TempDir(), "x")
			copyFolder(t, from, folder)
			if err := change(filepath.Join(folder, filepath.Base(logs[0]))); err != nil {
				t.Fatal(err)
			}
			s, err := Open(folder, testOptions(nil))
			if err == nil {
				s.Close()
			}
			if storage.CodeOf(err) != want || (err == nil) != (want == storage.CodeUnknown) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		try("whole", func(string) error { return nil }, storage.CodeUnknown)
		try("removed", os.Remove, storage.CodeCorruption)
		try("cut", func(log string) error { return os.Truncate(log, int64(end-200)) }, storage.CodeCorruption)
		for _, at := range []int{10, end / 4, end / 2, end - 1000, end - 100, end - 60} {
			try("flipped", func(log string) error {
				b := append([]byte(nil), whole...)
				b[at] ^= 0x10
				return os.WriteFile(log, b, 0o600)
			}, storage.CodeCorruption)
		}
		try("garbage behind the end", func(log string) error {
			f, err := os.OpenFile(log, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt([]byte("what a torn write leaves"), int64(end+40))
			return err
		}, storage.CodeUnknown)
		try("given up", func(log string) error {
			return errors.Join(os.Remove(log), os.Remove(filepath.Join(filepath.Dir(log), markName)))
		}, storage.CodeUnknown)
	}
}

// TestPrivate looks at the modes of folder and files, new and older ones.
func TestPrivate(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	look := func() {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		s, err := Open(dir, testOptions(nil))
		if err != nil {
			t.Fatal(err)
		}
		if len(*s.dir.Load()) == 0 {
			mustCreate(t, s, storage.FamilySpec{Name: "0"})
		}
		l, err := s.Load(ctx, "t", false)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Add(ctx, freshRow("a")); err != nil {
			t.Fatal(err)
		}
		l.(*load).run.size = loadRunBytes
		if err := errors.Join(s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}), s.db.Flush()); err != nil {
			t.Fatal(err)
		}
		l.Close()
		look()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, markName), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormat opens folders of an older format and of the one that this version
// makes: an older one is raised by word only.
func TestFormat(t *testing.T) {
	if storeFormat > pebble.FormatNewest {
		t.Fatal("the library does not know the format")
	}
	fs := vfs.NewMem()
	db, err := pebble.Open("data", &pebble.Options{FS: fs, FormatMajorVersion: pebble.FormatColumnarBlocks, Logger: logger{log: testOptions(nil).Logger}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := initDirectory(db); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []pebble.FormatMajorVersion{pebble.FormatColumnarBlocks, storeFormat, storeFormat} {
		o := testOptions(fs)
		o.Upgrade = i == 1
		s, err := Open("data", o)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Format(); got != uint64(want) {
			t.Errorf("open %d: format %d, not %d", i, got, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
