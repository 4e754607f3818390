package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// faultyFS fails one change of the disk, or all from one on. Unlike errorfs it
// fails logs that are written anew (ReuseForWrite), and writes a part of what a
// failing Write was given.
type faultyFS struct {
	vfs.FS
	at     int64 // of the change that fails; 0: none
	sticky bool  // and all after it
	err    error
	made   atomic.Int64 // changes so far
	failed atomic.Pointer[string]
}

func (f *faultyFS) fails(what, path string) error {
	n := f.made.Add(1)
	if f.at == 0 || n < f.at || n > f.at && !f.sticky {
		return nil
	}
	s := fmt.Sprintf("%d: %s %s", n, what, path)
	f.failed.CompareAndSwap(nil, &s)
	return &os.PathError{Op: what, Path: path, Err: f.err}
}

func (f *faultyFS) file(file vfs.File, path string, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f, path}, nil
}

func (f *faultyFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.fails("create", name); err != nil {
		return nil, err
	}
	file, err := f.FS.Create(name, c)
	return f.file(file, name, err)
}

func (f *faultyFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.OpenReadWrite(name, c, opts...)
	return f.file(file, name, err)
}

func (f *faultyFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	return f.file(file, name, err)
}

func (f *faultyFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.fails("reuse", name); err != nil {
		return nil, err
	}
	file, err := f.FS.ReuseForWrite(old, name, c)
	return f.file(file, name, err)
}

func (f *faultyFS) Link(old, name string) error {
	return errors.Join(f.fails("link", name), f.skip("link", func() error { return f.FS.Link(old, name) }))
}

// skip runs fn unless the change just counted is one that fails.
func (f *faultyFS) skip(_ string, fn func() error) error {
	if n := f.made.Load(); f.at != 0 && (n == f.at || n > f.at && f.sticky) {
		return nil
	}
	return fn()
}

func (f *faultyFS) Remove(name string) error {
	if err := f.fails("remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f *faultyFS) Rename(old, name string) error {
	if err := f.fails("rename", name); err != nil {
		return err
	}
	return f.FS.Rename(old, name)
}

func (f *faultyFS) Unwrap() vfs.FS { return f.FS }

type faultyFile struct {
	vfs.File
	fs   *faultyFS
	path string
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.fs.fails("write", f.path); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.fails("write", f.path); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.fails("sync", f.path); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultyFile) SyncData() error {
	if err := f.fs.fails("sync", f.path); err != nil {
		return err
	}
	return f.File.SyncData()
}

// bank is what the store must hold: rows by table. It is never changed, but
// cloned.
type bank map[string]map[string]string

func (b bank) clone() bank {
	out := bank{}
	for t, rows := range b {
		out[t] = maps.Clone(rows)
	}
	return out
}

func (b bank) String() string {
	var out []string
	for t, rows := range b {
		out = append(out, t)
		for k, v := range rows {
			if len(v) > 16 {
				v = fmt.Sprintf("%d bytes", len(v))
			}
			out = append(out, t+"/"+k+"="+v)
		}
	}
	sort.Strings(out)
	if len(out) > 40 {
		out = append(out[:40], fmt.Sprintf("and %d more", len(out)-40))
	}
	return strings.Join(out, " ")
}

const (
	accounts = 6
	opening  = 100
)

// teller runs random statements against a store and keeps, beside what it holds,
// what it may hold.
type teller struct {
	s    *Store
	rng  *rand.Rand
	has  bank   // all that is acknowledged
	may  []bank // what else the store may hold, after one ambiguous answer
	seq  int
	dead bool // the store has failed
}

// run sends one statement and judges the answer.
func (c *teller) run(t *testing.T, what string, after bank, send func() error) {
	t.Helper()
	err := send()
	switch code := storage.CodeOf(err); {
	case err == nil:
		if c.dead {
			t.Errorf("%s succeeds after the store has failed", what)
		}
		c.has = after
	case code == storage.CodeAmbiguous:
		if c.dead {
			t.Errorf("%s is ambiguous after the store has failed: %v", what, err)
		}
		c.may = append(c.may, after)
		c.dead = true
	case code == storage.CodeFault:
		c.dead = true
	}
	if c.s.fault.err.Load() != nil {
		c.dead = true
	}
}

func cells(v string) []storage.Mutation {
	return []storage.Mutation{{Op: storage.DeleteRow}, set("f", "v", 1, v)}
}

func (c *teller) create(t *testing.T, table string) {
	after := c.has.clone()
	after[table] = map[string]string{}
	c.run(t, "create "+table, after, func() error {
		return c.s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: table, Families: []storage.FamilySpec{{Name: "f"}}})
	})
}

func (c *teller) put(t *testing.T, what string, rows map[string]map[string]string) {
	after := c.has.clone()
	c.run(t, what, after, func() error {
		b, err := c.s.Batch()
		if err != nil {
			return err
		}
		defer b.Close()
		for table, kv := range rows {
			var muts []storage.RowMutation
			for k, v := range kv {
				if after[table] == nil {
					return storage.Errorf(storage.CodeNotFound, "test", table, "no table")
				}
				after[table][k] = v
				muts = append(muts, storage.RowMutation{Key: []byte(k), Mutations: cells(v)})
			}
			if err := b.Mutate(table, muts); err != nil {
				return err
			}
		}
		return b.Commit(context.Background(), storage.WriteOptions{})
	})
}

// step runs one statement of the workload.
func (c *teller) step(t *testing.T) {
	ctx := context.Background()
	c.seq++
	seq := strconv.Itoa(c.seq)
	switch k := c.rng.IntN(12); {
	case k < 5: // a transfer, and its number
		from, to := strconv.Itoa(c.rng.IntN(accounts)), strconv.Itoa(c.rng.IntN(accounts))
		if from == to || c.has["bank"][from] == "" || c.has["bank"][to] == "" {
			return
		}
		a, _ := strconv.Atoi(c.has["bank"][from])
		b, _ := strconv.Atoi(c.has["bank"][to])
		c.put(t, "transfer", map[string]map[string]string{"bank": {from: strconv.Itoa(a - 1), to: strconv.Itoa(b + 1), "seq": seq}})
	case k < 6: // a row that makes the logs long
		c.put(t, "long row", map[string]map[string]string{"rows": {"long" + seq: strings.Repeat("x", 1+c.rng.IntN(80<<10))}})
	case k < 7:
		after := c.has.clone()
		if after["rows"] == nil {
			return
		}
		after["rows"]["cas"] = seq
		c.run(t, "compare and set", after, func() error {
			_, err := c.s.Table("rows").CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("cas"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: cells(seq), Else: cells(seq)})
			return err
		})
	case k < 9: // COPY: a batch, or ingested tables, of two tables
		after, ingest := c.has.clone(), k == 8
		if after["rows"] == nil {
			return
		}
		c.run(t, "load", after, func() error {
			l, err := c.s.Load(ctx, "rows", false)
			if err != nil {
				return err
			}
			defer l.Close()
			other, err := c.s.Load(ctx, "bank", false)
			if err != nil {
				return err
			}
			defer other.Close()
			after["bank"]["seq"] = seq
			if err := other.Add(ctx, []storage.RowMutation{{Key: []byte("seq"), Mutations: cells(seq)}}); err != nil {
				return err
			}
			for range 2 {
				var rows []storage.RowMutation
				for range 5 {
					key := fmt.Sprintf("load%02d", c.rng.IntN(20))
					after["rows"][key] = seq
					rows = append(rows, storage.RowMutation{Key: []byte(key), Mutations: cells(seq)})
				}
				if err := l.Add(ctx, rows); err != nil {
					return err
				}
				if ld := l.(*load); ingest {
					ld.mu.Lock()
					err := ld.spill()
					ld.mu.Unlock()
					if err != nil {
						return err
					}
				}
			}
			return c.s.CommitLoads(ctx, []storage.Load{l, other}, storage.WriteOptions{})
		})
	case k < 10: // a flush, which ends a log
		_ = c.s.detached(func() error {
			flushed, err := c.s.db.AsyncFlush()
			if err == nil {
				select {
				case <-flushed:
				case <-time.After(50 * time.Millisecond): // it fails, and is tried again and again
				}
			}
			return err
		})
	case k < 11:
		after := c.has.clone()
		if after["rows"] == nil {
			c.create(t, "rows")
			return
		}
		delete(after, "rows")
		c.run(t, "drop", after, func() error { return c.s.Admin().DropTable(ctx, "rows") })
	default:
		after := c.has.clone()
		if after["rows"] == nil {
			return
		}
		after["rows"] = map[string]string{}
		c.run(t, "truncate", after, func() error { return c.s.Admin().Truncate(ctx, "rows") })
	}
}

// contents reads all of a store.
func contents(s *Store) (bank, error) {
	ctx := context.Background()
	specs, err := s.Admin().Tables(ctx)
	if err != nil {
		return nil, err
	}
	out := bank{}
	for _, spec := range specs {
		rows := map[string]string{}
		out[spec.Name] = rows
		sc, err := s.Table(spec.Name).Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
		if err != nil {
			return nil, err
		}
		var b storage.RowBatch
		for err = sc.Next(&b); err == nil; err = sc.Next(&b) {
			for i := range b.Len() {
				rows[string(b.Key(i))] = string(b.Cell(i, 0).Value)
			}
		}
		sc.Close()
		if err != io.EOF {
			return nil, err
		}
	}
	return out, nil
}

// watch reads the transfers' number until stop: what it has seen must be there
// after a crash.
func watch(s *Store, stop <-chan struct{}) (last func() int) {
	var newest atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			var b storage.RowBatch
			if _, err := s.Table("bank").MultiGet(context.Background(), [][]byte{[]byte("seq")}, nil, &b); err != nil {
				if storage.CodeOf(err) == storage.CodeNotFound {
					continue
				}
				return
			}
			if b.Len() > 0 {
				n, _ := strconv.Atoi(string(b.Cell(0, 0).Value))
				newest.Store(max(newest.Load(), int64(n)))
			}
		}
	}()
	return func() int { <-done; return int(newest.Load()) }
}

// verify opens what a crash has left and compares it with the model.
func verify(t *testing.T, what string, fs vfs.FS, c *teller, seen int) {
	t.Helper()
	s, err := Open("data", testOptions(fs))
	if err != nil {
		t.Errorf("%s: the store does not open: %v", what, err)
		return
	}
	defer s.Close()
	got, err := contents(s)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	ok := fmt.Sprint(got) == fmt.Sprint(c.has) && equal(got, c.has)
	for _, m := range c.may {
		ok = ok || equal(got, m)
	}
	if !ok {
		t.Errorf("%s: the store holds\n%v\nacknowledged were\n%v\nor\n%v", what, got, c.has, c.may)
	}
	if n, _ := strconv.Atoi(got["bank"]["seq"]); n < seen {
		t.Errorf("%s: a reader saw transfer %d, and the last one there is %d", what, seen, n)
	}
	sum, n := 0, 0
	for k, v := range got["bank"] {
		if k != "seq" {
			a, _ := strconv.Atoi(v)
			sum, n = sum+a, n+1
		}
	}
	if sum != n*opening || n != 0 && n != accounts {
		t.Errorf("%s: %d accounts hold %d", what, n, sum)
	}
}

func equal(a, b bank) bool {
	return maps.EqualFunc(a, b, func(x, y map[string]string) bool { return maps.Equal(x, y) })
}

// crashRound runs the workload on fs until a change fails or steps are done,
// crashes, and looks at what is left: all that was written, what was synced, and
// something between.
func crashRound(t *testing.T, seed uint64, at int64, sticky bool, failure error, steps int) (made int64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	mem := vfs.NewCrashableMem()
	ffs := &faultyFS{FS: mem, at: at, sticky: sticky, err: failure}
	o := testOptions(ffs)
	told := make(chan struct{})
	o.OnFatal = func(error) { close(told) }
	s, err := Open("data", o)
	c := &teller{s: s, rng: rng, has: bank{}}
	seen := 0
	if err == nil {
		stop := make(chan struct{})
		last := watch(s, stop)
		c.create(t, "bank")
		c.create(t, "rows")
		start := map[string]string{}
		for i := range accounts {
			start[strconv.Itoa(i)] = strconv.Itoa(opening)
		}
		c.put(t, "open accounts", map[string]map[string]string{"bank": start})
		for i := 0; i < steps; i++ {
			c.step(t)
			if !c.dead && i%8 == 7 {
				if got, err := contents(s); err == nil && !equal(got, c.has) {
					t.Errorf("the running store shows\n%v\nacknowledged were\n%v", got, c.has)
				}
			}
		}
		close(stop)
		seen = last()
		if s.fault.err.Load() != nil {
			<-told
		}
	}
	made = ffs.made.Load()
	what := fmt.Sprintf("seed %d, change %d, sticky %v", seed, at, sticky)
	if f := ffs.failed.Load(); f != nil {
		what += ", " + *f
	}
	clones := map[string]*vfs.MemFS{
		"synced":  mem.CrashClone(vfs.CrashCloneCfg{}),
		"torn":    mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng}),
		"written": mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rng}),
	}
	if s != nil {
		s.Close()
	}
	for _, k := range []string{"synced", "torn", "written"} {
		if s == nil && k == "torn" {
			continue // Pebble cannot go on with any part of a folder that was never finished
		}
		verify(t, what+", "+k, clones[k], c, seen)
	}
	return made
}

// TestCrashAtEveryChange fails each write, sync, create, rename, remove and link
// of a workload of DML, COPY, ingests and DDL, once and for good.
func TestCrashAtEveryChange(t *testing.T) {
	const steps = 40
	seed := seeds.First(t)
	n := crashRound(t, seed, 0, false, nil, steps)
	t.Logf("%d changes", n)
	for i := range seeds.Part(t, int(n), seeds.Whole) {
		at := int64(i) + 1
		failure := error(syscall.EIO)
		if at%2 == 0 {
			failure = syscall.ENOSPC
		}
		if crashRound(t, seed, at, at%3 == 0, failure, steps); t.Failed() {
			break
		}
	}
}
