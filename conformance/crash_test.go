package conformance

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
)

// TestCrashInDDL lets a server die at each call that a DDL statement makes to
// Bigtable, before the call is done or after. The next server, opened on what
// is left, finds the statement done or undone: no table of the store without a
// descriptor, no descriptor without its table, families and GC rules as the
// descriptor says. What differs between the stores' own admin calls shows here;
// the catalog's tests do the same, at every call, on the reference store.
func TestCrashInDDL(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx := catalog.AsProgram(context.Background())
	def := func(options ...catalog.OptionDef) *catalog.TableDef {
		return &catalog.TableDef{
			Name:       catalog.Name{Name: "t"},
			Columns:    []catalog.ColumnDef{{Name: "k", Type: types.Of(types.Text)}, {Name: "v", Type: types.Of(types.Text)}},
			PrimaryKey: []catalog.KeyDef{{Name: "k"}},
			Options:    append(options, catalog.OptionDef{Name: "salt_buckets", Value: "4", HasValue: true}),
		}
	}
	ttl := catalog.OptionDef{Name: "ttl", Value: "1000", HasValue: true}
	versions := catalog.OptionDef{Name: "versions", Value: "3", HasValue: true}
	create := func(c *live.Catalog) error {
		_, _, err := c.CreateTable(ctx, def(ttl), false)
		return err
	}
	for _, tt := range []struct {
		name  string
		setup bool
		run   func(c *live.Catalog) error
	}{
		{"create", false, create},
		{"drop", true, func(c *live.Catalog) error {
			_, err := c.DropTable(ctx, []catalog.Name{{Name: "t"}}, false, false)
			return err
		}},
		{"alter", true, func(c *live.Catalog) error {
			_, err := c.AlterTable(ctx, catalog.Name{Name: "t"}, false, []live.AlterAction{
				live.AddColumn{Column: catalog.ColumnDef{Family: "f", Name: "c", Type: types.Of(types.Int4)}},
				live.SetOptions{Options: []catalog.OptionDef{versions, {Name: "ttl", Value: "forever", HasValue: true}}},
			}, live.AlterHooks{})
			return err
		}},
		{"add key", false, func(c *live.Catalog) error {
			keyless := def()
			keyless.PrimaryKey = nil
			if _, _, err := c.CreateTable(ctx, keyless, false); err != nil {
				return err
			}
			_, err := c.AddKey(ctx, keyless.Name, live.AddPrimaryKey{Key: []catalog.KeyDef{{Name: "v"}}},
				func(context.Context, *catalog.Table, *catalog.Table) error { return nil })
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, do := range []fault.Action{fault.FailBefore, fault.FailAfter} {
				for at := 1; ; at++ {
					if testing.Short() && at%2 == 0 {
						continue
					}
					if !crash(t, fmt.Sprintf("%s, call %d: %v", tt.name, at, do), tt.setup, create, tt.run, do, at) {
						break
					}
				}
			}
		})
	}
}

// crash says whether the call was reached.
func crash(t *testing.T, what string, setup bool, create, run func(*live.Catalog) error, do fault.Action, at int) bool {
	ctx := catalog.AsProgram(context.Background())
	inner := harness.Stores["bigtable"](t)
	defer inner.Close()
	opts := live.OpenOptions{Lease: 200 * time.Millisecond, Poll: time.Hour} // others wait for a lease of the dead
	if setup {
		c, err := live.Open(ctx, inner, live.Member, opts)
		if err == nil {
			err = create(c)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	dead := storage.Errorf(storage.CodeClosed, "test", "", "the process has died")
	store := fault.Wrap(inner, fault.Rule{Do: do, Nth: at, Err: dead}, fault.Rule{Nth: at + 1, Times: -1, Err: dead})
	c, err := live.Open(ctx, store, live.Member, opts)
	if err == nil {
		err = run(c)
		c.Close()
	}
	reached := store.Fired() > 0

	later, clocked := opts, fault.Wrap(inner)
	later.Now = func() time.Time { return time.Now().Add(time.Hour) }
	clocked.SetClock(later.Now)
	next, oerr := live.Open(ctx, clocked, live.Member, later)
	if oerr != nil {
		t.Fatalf("%s: open afterwards: %v", what, oerr)
	}
	defer next.Close()
	// Jobs of the dead are gone on with soon after Open, and what they leave goes with the next.
	ps, cerr := next.Check(ctx)
	for n := 0; n < 60 && len(ps) > 0 && !slices.ContainsFunc(ps, func(p live.Problem) bool { return !p.Pending }); n++ {
		time.Sleep(time.Duration(n) * 20 * time.Millisecond)
		again, err := live.Open(ctx, clocked, live.Member, later)
		if err != nil {
			t.Fatalf("%s: open afterwards: %v", what, err)
		}
		ps, cerr = again.Check(ctx)
		again.Close()
	}
	if cerr != nil || len(ps) > 0 {
		t.Errorf("%s (%v): check: %v %v", what, err, cerr, ps)
	}
	return reached
}

// TestGCRules: what CREATE and ALTER TABLE say of TTL and versions is what the
// store is told.
func TestGCRules(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		v := variant{store, 4, false}
		db := v.open(t)
		s, err := engine{v, db}.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			sql      string
			ttl      time.Duration
			versions int
		}{
			{"CREATE TABLE g (k TEXT PRIMARY KEY, v TEXT) TTL = 3600, VERSIONS = 2", time.Hour, 2},
			{"ALTER TABLE g SET (ttl = 60)", time.Minute, 2},
			{"ALTER TABLE g SET (versions = 5)", time.Minute, 5},
			{"ALTER TABLE g RESET (ttl, versions)", 0, 1},
		} {
			if _, _, err := s.Exec(ctx, step.sql); err != nil {
				t.Fatalf("%s: %s: %v", store, step.sql, err)
			}
			if ps, err := session.Behind(db).Catalog().Check(ctx); err != nil || len(ps) > 0 {
				t.Errorf("%s: %s: %v %v", store, step.sql, err, ps)
			}
			o := session.Behind(db).Catalog().Snapshot().Table("public", "g").Options
			if o.TTL != step.ttl || o.Versions != step.versions {
				t.Errorf("%s: %s: TTL %v, %d versions", store, step.sql, o.TTL, o.Versions)
			}
		}
		s.Close()
	}
}
