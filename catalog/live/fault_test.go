package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// faultStore counts the calls that reach a store and lets one go wrong.
type faultStore struct {
	storage.Store
	calls atomic.Int64
	at    int64 // the call that goes wrong, from 0; -1 none
	mode  faultMode
}

type faultMode int

const (
	dieBefore   faultMode = iota // this call and all later ones fail; it did nothing
	dieAfter                     // the same, but this one was applied
	ambiguousNo                  // this one's answer is lost; it did nothing
	ambiguousOK                  // this one's answer is lost; it was applied
	unavailable                  // this one fails, and may be repeated
	modes
)

func (m faultMode) String() string {
	return []string{"die before", "die after", "ambiguous, not applied", "ambiguous, applied", "unavailable"}[m]
}

var errDead = storage.Errorf(storage.CodeClosed, "test", "", "the process has died")

func (s *faultStore) do(write bool, call func() error) error {
	n := s.calls.Add(1) - 1
	switch {
	case s.at < 0 || n < s.at:
		return call()
	case n > s.at && (s.mode == dieBefore || s.mode == dieAfter):
		return errDead
	case n > s.at:
		return call()
	}
	lost := storage.Errorf(storage.CodeAmbiguous, "test", "", "the answer was lost")
	if !write { // a read has no outcome to be unsure of
		lost.Code = storage.CodeUnavailable
	}
	switch s.mode {
	case dieBefore:
		return errDead
	case dieAfter:
		_ = call()
		return errDead
	case ambiguousNo:
		return lost
	case ambiguousOK:
		_ = call()
		return lost
	}
	return storage.Errorf(storage.CodeUnavailable, "test", "", "not now")
}

func (s *faultStore) Admin() storage.Admin { return faultAdmin{s.Store.Admin(), s} }
func (s *faultStore) Table(name string) storage.Table {
	return faultTable{s.Store.Table(name), s}
}

type faultAdmin struct {
	storage.Admin
	s *faultStore
}

func (a faultAdmin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	return a.s.do(true, func() error { return a.Admin.CreateTable(ctx, spec) })
}

func (a faultAdmin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	return a.s.do(true, func() error { return a.Admin.AlterTable(ctx, spec) })
}

func (a faultAdmin) DropTable(ctx context.Context, name string) error {
	return a.s.do(true, func() error { return a.Admin.DropTable(ctx, name) })
}

func (a faultAdmin) Truncate(ctx context.Context, name string) error {
	return a.s.do(true, func() error { return a.Admin.Truncate(ctx, name) })
}

func (a faultAdmin) Tables(ctx context.Context) (specs []storage.TableSpec, err error) {
	err = a.s.do(false, func() (err error) { specs, err = a.Admin.Tables(ctx); return err })
	return specs, err
}

type faultTable struct {
	storage.Table
	s *faultStore
}

func (t faultTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (n int, err error) {
	err = t.s.do(false, func() (err error) { n, err = t.Table.MultiGet(ctx, keys, req, dst); return err })
	return n, err
}

func (t faultTable) Mutate(ctx context.Context, rows []storage.RowMutation, o storage.WriteOptions) error {
	return t.s.do(true, func() error { return t.Table.Mutate(ctx, rows, o) })
}

func (t faultTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (ok bool, err error) {
	err = t.s.do(true, func() (err error) { ok, err = t.Table.CheckAndMutate(ctx, m); return err })
	return ok && err == nil, err
}

func (t faultTable) Scan(ctx context.Context, req *storage.ScanRequest) (sc storage.Scanner, err error) {
	err = t.s.do(false, func() (err error) { sc, err = t.Table.Scan(ctx, req); return err })
	return sc, err
}

// ddlCase is one statement under faults: a state before it, the statement, and
// what is to be seen if it happened.
type ddlCase struct {
	name  string
	setup func(context.Context, *Catalog) error
	run   func(context.Context, *Catalog) error
	done  func(*catalog.Snapshot) bool
}

func simpleTable(name string) *catalog.TableDef {
	return &catalog.TableDef{
		Name: catalog.Name{Name: name},
		Columns: []catalog.ColumnDef{
			{Name: "id", Type: types.Of(types.Int8), Identity: 's'},
			{Name: "v", Type: types.Of(types.Text)},
		},
		PrimaryKey: []catalog.KeyDef{{Name: "id"}},
		Options:    []catalog.OptionDef{{Name: "salt_buckets", Value: "4", HasValue: true}, {Name: "ttl", Value: "1000", HasValue: true}},
	}
}

func makeTable(name string) func(context.Context, *Catalog) error {
	return func(ctx context.Context, c *Catalog) error {
		_, _, err := c.CreateTable(ctx, simpleTable(name), false)
		return err
	}
}

func alterTable(acts ...AlterAction) func(context.Context, *Catalog) error {
	return func(ctx context.Context, c *Catalog) error {
		_, err := c.AlterTable(ctx, catalog.Name{Name: "t"}, false, acts, AlterHooks{})
		return err
	}
}

// openEpoch opens a salt epoch of the table t.
func openEpoch(ctx context.Context, c *Catalog) error {
	_, err := c.OpenEpoch(ctx, catalog.Name{Name: "t"}, false, &Forward{
		Options: []catalog.OptionDef{{Name: "salt_buckets", Value: "8", HasValue: true}},
		From:    func(types.T) (types.Datum, error) { return types.NewInt(100), nil },
	})
	return err
}

// frozenCases freeze their table where several servers share the store.
var frozenCases = []string{"add column in a new family", "open a salt epoch"}

func ddlCases() []ddlCase {
	return []ddlCase{
		{"open", nil, func(context.Context, *Catalog) error { return nil }, func(*catalog.Snapshot) bool { return true }},
		{"create table", nil, makeTable("t"), func(s *catalog.Snapshot) bool { return s.Table("public", "t") != nil }},
		{"drop table", makeTable("t"), func(ctx context.Context, c *Catalog) error {
			_, err := c.DropTable(ctx, []catalog.Name{{Name: "t"}}, false, false)
			return err
		}, func(s *catalog.Snapshot) bool { return s.Table("public", "t") == nil }},
		{"drop schema cascade", func(ctx context.Context, c *Catalog) error {
			return errors.Join(makeTable("t")(ctx, c), makeTable("u")(ctx, c))
		}, func(ctx context.Context, c *Catalog) error {
			_, err := c.DropSchema(ctx, []string{"public"}, false, true)
			return err
		}, func(s *catalog.Snapshot) bool { return s.Schema("public") == nil && len(s.Relations()) == 0 }},
		{frozenCases[1], makeTable("t"), openEpoch, func(s *catalog.Snapshot) bool { return s.Table("public", "t").Epochs != nil }},
		{frozenCases[0], makeTable("t"),
			alterTable(AddColumn{Column: catalog.ColumnDef{Family: "f", Name: "c", Type: types.Of(types.Int4), Default: catalog.ColumnDefault{Text: "1"}}}),
			func(s *catalog.Snapshot) bool { return s.Table("public", "t").ColumnByName("c") != nil }},
		{"shorter TTL", makeTable("t"), alterTable(SetOptions{[]catalog.OptionDef{{Name: "ttl", Value: "10", HasValue: true}}}),
			func(s *catalog.Snapshot) bool { return s.Table("public", "t").Options.TTL == 10*time.Second }},
		{"longer TTL", makeTable("t"), alterTable(SetOptions{[]catalog.OptionDef{{Name: "ttl", Value: "forever", HasValue: true}}}),
			func(s *catalog.Snapshot) bool { return s.Table("public", "t").Options.TTL == 0 }},
		{"rename and drop column", makeTable("t"), alterTable(RenameTable{To: "u"}, DropColumn{Name: "v"}),
			func(s *catalog.Snapshot) bool { return s.Table("public", "u") != nil }},
		{"create sequence", nil, func(ctx context.Context, c *Catalog) error {
			_, _, err := c.CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: "s"}}, false)
			return err
		}, func(s *catalog.Snapshot) bool { return len(s.Sequences()) == 1 }},
	}
}

// TestEveryFaultPoint lets each storage call of each statement go wrong in
// each way. Whatever happens: a statement that says it succeeded did; one whose
// call only had to be repeated succeeds; and a catalog opened afterwards is
// sound, with the statement's work there in whole or not at all.
func TestEveryFaultPoint(t *testing.T) {
	later := OpenOptions{Now: func() time.Time { return time.Now().Add(time.Hour) }}
	cases := ddlCases()
	for i := range seeds.Part(t, len(cases), seeds.Whole) {
		tc := cases[i]
		t.Run(strings.ReplaceAll(tc.name, " ", "_"), func(t *testing.T) {
			for mode := range modes {
				testFaultPoints(t, tc, mode, OpenOptions{}, later)
				testFaultPoints(t, tc, mode, OpenOptions{ListAfter: 1}, later)
				if slices.Contains(frozenCases, tc.name) {
					shared := OpenOptions{Poll: time.Hour, Lease: 200 * time.Millisecond}
					testFaultPoints(t, tc, mode, shared, OpenOptions{Poll: time.Hour, Lease: shared.Lease, Now: later.Now})
				}
			}
		})
	}
}

// testFaultPoints lets each call go wrong in one way. opts are those of the
// server that meets the fault, later those of the one that comes after it.
func testFaultPoints(t *testing.T, tc ddlCase, mode faultMode, opts, later OpenOptions) {
	ctx := catalog.AsProgram(context.Background())
	for at := int64(0); ; at++ {
		if mode != dieBefore && mode != dieAfter && testing.Short() && at%3 != 0 {
			continue
		}
		what := fmt.Sprintf("%s, call %d: %v", tc.name, at, mode)
		store := mem.New()
		if tc.setup != nil {
			c := openTest(t, store)
			if err := tc.setup(ctx, c); err != nil {
				t.Fatal(err)
			}
		}
		f := &faultStore{Store: store, at: at, mode: mode}
		c, err := Open(ctx, f, asBy(opts), opts)
		if err == nil {
			err = tc.run(ctx, c)
			defer c.Close()
		}
		reached := f.calls.Load() > at
		if err != nil && (mode == unavailable || mode == ambiguousOK || mode == ambiguousNo) {
			t.Errorf("%s: %v", what, err)
		}
		if err != nil && sqlerr.As(err) == nil {
			t.Errorf("%s: not a SQL error: %v", what, err)
		}
		c2, oerr := Open(ctx, store, asBy(later), later)
		if oerr != nil {
			t.Fatalf("%s: open afterwards: %v", what, oerr)
		}
		defer c2.Close()
		if err == nil && !tc.done(c2.Snapshot()) {
			t.Errorf("%s: it succeeded and its work is not there", what)
		}
		problems, cerr := c2.Check(ctx)
		for start := time.Now(); asBy(later) == Member && len(problems) > 0 && time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
			problems, cerr = c2.Check(ctx) // a member puts things in order soon after it has opened
		}
		if cerr != nil || len(problems) > 0 {
			t.Errorf("%s: check: %v %v", what, cerr, problems)
		}
		if err != nil && !tc.done(c2.Snapshot()) {
			// Half done is undone: the statement works when repeated.
			if err := tc.run(ctx, c2); err != nil || !tc.done(c2.Snapshot()) {
				t.Errorf("%s: repeated: %v", what, err)
			}
		}
		if !reached {
			break
		}
	}
}
