package pgcatalog_test

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/authz"
	_ "github.com/saltsql/saltsql/catalog/infoschema"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// world is a session that has one of everything.
type world struct{ snap *catalog.Snapshot }

func (world) Reload() bool                                          { return false }
func (w world) Snapshot() *catalog.Snapshot                         { return w.snap }
func (w world) Context() context.Context                            { return context.Background() }
func (w world) CancelBackend(int32) (bool, error)                   { return false, nil }
func (w world) TerminateBackend(int32, time.Duration) (bool, error) { return false, nil }
func (w world) EachServersLocks(_ context.Context, show func([]pgcatalog.Lock) error) error {
	return show([]pgcatalog.Lock{{PID: 1, Kind: pgcatalog.LockAdvisory, Mode: "ShareLock"}})
}
func (w world) Blocking(int32) []int32 { return []int32{1} }
func (w world) User() string           { return "u" }
func (w world) Role() uint32           { return catalog.BootstrapRole }
func (w world) Database() string       { return "d" }
func (w world) Channels() []string     { return nil }
func (w world) SearchPath() []string   { return []string{"public"} }
func (w world) Users() []string        { return []string{"u", "v"} }
func (w world) Started() time.Time     { return time.Unix(1, 0) }
func (w world) ShowsOptions() bool     { return true }
func (w world) Settings() []pgcatalog.Setting {
	return []pgcatalog.Setting{{Name: "saltsql.a", Value: "1", Kind: "enum", Options: []string{"1"}}}
}
func (w world) Statements() []pgcatalog.Statement {
	return []pgcatalog.Statement{{User: "saltsql", ID: 7, Text: "SELECT $1", Calls: 2, Rows: 2, Total: 3, Min: 1, Max: 2}}
}
func (w world) EachServersStatements(_ context.Context, show func(string, []pgcatalog.Statement) error) error {
	return show("s", w.Statements())
}
func (w world) IndexAdvice(sees func(string) bool) []pgcatalog.IndexAdvice {
	return []pgcatalog.IndexAdvice{{Table: w.Snapshot().Tables()[0], Definition: "d", Statements: 1, Calls: 1, RowsRead: 9, RowsSpared: 8, Query: "q"}}
}
func (w world) Supposed() []*catalog.Table {
	t := w.Snapshot().Tables()[0]
	ix, err := (&catalog.IndexDef{Name: "h", Parts: []catalog.IndexPartDef{{Column: "a"}}}).Build(t)
	if err != nil {
		panic(err)
	}
	ix.ID = catalog.HypotheticalID(0)
	if t, err = t.Suppose([]catalog.Index{ix}); err != nil {
		panic(err)
	}
	return []*catalog.Table{t}
}
func (w world) ResetStatements() {}
func (w world) SaltAdvice(_ context.Context, t *catalog.Table) ([]pgcatalog.SaltAdvice, error) {
	return []pgcatalog.SaltAdvice{{Table: t, Rule: "growing", Since: time.Unix(1, 0), Evidence: "e", DDL: "ALTER TABLE", Gain: 2, Copies: true}}, nil
}
func (w world) WhatIf(context.Context, *pgcatalog.WhatIf) ([]pgcatalog.WhatIfRow, error) {
	return nil, nil
}
func (w world) HeatSamples(context.Context, uint32, time.Time) ([]heat.Sample, error) {
	return nil, nil
}
func (w world) EachServersHeat(_ context.Context, _ pgcatalog.HeatWanted, show func(string, *pgcatalog.ServerHeat) error) error {
	t := w.Snapshot().Tables()[0]
	buckets := make([]heat.Counts, max(t.Options.SaltBuckets, 1))
	buckets[0].Hits = 1
	key, err := t.Codec().Key.AppendLogicalKey(nil, []types.Datum{types.NewInt(1)})
	if err != nil {
		return err
	}
	return show(w.Server(), &pgcatalog.ServerHeat{Sums: []heat.Sum{{ID: t.ID, Since: time.Unix(1, 0), Buckets: buckets}},
		Hot: map[uint32][]heat.HotKeys{t.ID: {{Kind: heat.Write, Total: 2, Keys: []heat.HotKey{{Count: 1, Key: key}}}}}})
}
func (w world) Forgotten() (int64, time.Time) { return 0, w.Started() }
func (w world) Server() string                { return "a/1" }

func (w world) EachServersActivity(_ context.Context, show func(string, []pgcatalog.Activity) error) error {
	return show(w.Server(), w.Activity())
}

func (w world) Activity() []pgcatalog.Activity {
	return []pgcatalog.Activity{{PID: 1, User: "u", Client: netip.MustParseAddrPort("[::1]:5"), Started: time.Unix(1, 0)}}
}
func (w world) Prepared() []pgcatalog.Prepared {
	return []pgcatalog.Prepared{{Name: "p", Text: "t", Params: []types.T{types.Of(types.Int4)}}}
}
func (w world) Cursors() []pgcatalog.Cursor { return []pgcatalog.Cursor{{Name: "c"}} }
func (w world) StoredBytes(context.Context, string) (int64, error) {
	return 1, nil
}
func (w world) ExportSnapshot(context.Context) (string, error)                    { return "", nil }
func (w world) Snapshots() bool                                                   { return true }
func (w world) Parts(context.Context, *catalog.Table, int64) ([]part.Part, error) { return nil, nil }
func (w world) BucketBytes(context.Context, *catalog.Table, int) (int64, error) {
	return 1, nil
}
func (w world) EstimatedRows(*catalog.Table) float64 { return 5 }
func (w world) Updatable(v *catalog.View) []bool     { return make([]bool, len(v.Columns)) }
func (w world) ColumnStats(_ context.Context, t *catalog.Table) (*colstats.Table, error) {
	list := []types.Datum{types.NewInt(1), types.NewInt(2)}
	k := &colstats.Column{Type: types.Of(types.Int4), Width: 4, Distinct: -1, Common: list[:1], Freqs: []float64{0.5}, Bounds: list, Ordered: true}
	return &colstats.Table{Columns: map[int]*colstats.Column{t.Columns[0].ID: k}}, nil
}
func (w world) Jobs(context.Context) ([]catalog.Job, error) {
	return []catalog.Job{{ID: 1, Table: w.Snapshot().Tables()[0], Index: &catalog.Index{}, What: "w", State: "s", Rate: 5, Owner: "o", PID: 1}}, nil
}
func (w world) CancelJob(context.Context, uint32) (bool, error) { return false, nil }
func (w world) SequenceState(context.Context, uint32) (int64, bool, error) {
	return 1, true, nil
}

// testWorld has tables, a view and sequences, with comments.
func testWorld(t *testing.T, tables int) world {
	t.Helper()
	ctx := catalog.AsProgram(context.Background())
	c, err := live.Open(ctx, mem.New(), live.Alone, live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for i := range tables {
		name := catalog.Name{Name: "t" + string(rune('a'+i%26)) + string(rune('a'+i/26))}
		_, _, err := c.CreateTable(ctx, &catalog.TableDef{
			Name: name,
			Columns: []catalog.ColumnDef{
				{Name: "a", Type: types.Of(types.Int4), NotNull: true}, {Name: "b", Type: types.Of(types.Varchar).WithLength(5)},
				{Name: "c", Type: types.ArrayOf(types.Of(types.Int4)), Default: catalog.ColumnDefault{Text: "'{}'"}},
			},
			PrimaryKey:  []catalog.KeyDef{{Name: "a", Desc: true}},
			Options:     []catalog.OptionDef{{Name: "SALT_BUCKETS", Value: "4", HasValue: true}},
			Checks:      []catalog.Check{{Text: "a > 0"}},
			ForeignKeys: []catalog.ForeignKeyDef{{ForeignKey: catalog.ForeignKey{OnUpdate: 'a', OnDelete: 'c'}, Columns: []string{"a"}, Table: name}},
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CommentOn(ctx, "table", name, "", "a table"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: "s"}}, false); err != nil {
		t.Fatal(err)
	}
	v := &catalog.ViewDef{Name: catalog.Name{Name: "v"}, Query: catalog.ViewQuery{Text: "SELECT a FROM taa"}, Columns: []catalog.ViewColumn{{Name: "a", Type: types.Of(types.Int4)}},
		DependsOn: []uint32{c.Snapshot().Table("public", "taa").ID},
		Uses:      []catalog.ViewColumnUse{{Relation: c.Snapshot().Table("public", "taa").ID, Column: 1}}}
	if _, _, err := c.CreateView(ctx, v, false); err != nil {
		t.Fatal(err)
	}
	_, _, err = c.CreateTable(ctx, &catalog.TableDef{
		Name: catalog.Name{Name: "m"}, Columns: []catalog.ColumnDef{{Name: "a", Type: types.Of(types.Int4)}},
		Materialized: &catalog.Materialized{Query: v.Query, DependsOn: v.DependsOn, Uses: v.Uses},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.CreateTable(ctx, &catalog.TableDef{
		Name: catalog.Name{Name: "g"}, PrimaryKey: []catalog.KeyDef{{Name: "a"}},
		Columns: []catalog.ColumnDef{{Name: "a", Type: types.Of(types.Int4), NotNull: true},
			{Name: "b", Type: types.Of(types.Int4), Generated: `{"node":"col","col":1,"type":"int4"}`, GeneratedFrom: []int{1}}},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CreateEnum(ctx, catalog.Name{Name: "mood"}, []string{"sad", "ok"}); err != nil {
		t.Fatal(err)
	}
	positive := catalog.DomainCheckDef{Cond: `{"node":"call","fn":"operator >(int4,int4)","type":"bool","args":[{"node":"col","col":1,"type":"int4"},{"node":"const","type":"int4","value":"0"}]}`}
	def := &catalog.DomainDef{Name: catalog.Name{Name: "positive"}, Base: types.Of(types.Int4), Default: `{"node":"const","type":"int4","value":"1"}`, Checks: []catalog.DomainCheckDef{positive}}
	if err := c.CreateDomain(ctx, def); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateRole(ctx, "r", authz.RoleChange{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateRole(ctx, "group", authz.RoleChange{Admins: []uint32{c.Snapshot().Role("r").ID}}); err != nil {
		t.Fatal(err)
	}
	if err := c.CommentOnRole(ctx, "r", "a role"); err != nil {
		t.Fatal(err)
	}
	value := "on"
	if err := c.SetRoleSetting(ctx, "r", "row_security", value); err != nil {
		t.Fatal(err)
	}
	g := authz.Grant{Rights: acl.Select, Grantees: []uint32{acl.Public}}
	if err := c.AlterDefaultRights(ctx, g, acl.Table, []uint32{c.Snapshot().Role("r").ID}, nil); err != nil {
		t.Fatal(err)
	}
	return world{c.Snapshot()}
}

// fits says that a datum is one of a type's.
func fits(t types.T, d types.Datum) bool {
	if d.Null {
		return true
	}
	switch t.Phys() {
	case types.PhysBytes:
		return d.Bytes != nil && d.Array == nil && d.Decimal == nil
	case types.PhysArray:
		if d.Array == nil || d.Array.Elem.Base() != t.ElemType().Base() && t.Elem != types.Unknown {
			return false
		}
		for _, e := range d.Array.Elems {
			if !fits(t.ElemType(), e) {
				return false
			}
		}
		return true
	case types.PhysDecimal:
		return d.Decimal != nil
	case types.PhysFloat:
		return d.Bytes == nil && d.Array == nil && d.Int == 0 && !d.Bool
	case types.PhysInt:
		return d.Bytes == nil && d.Array == nil && d.Float == 0 && !d.Bool
	case types.PhysBool:
		return d.Bytes == nil && d.Array == nil && d.Float == 0 && d.Int == 0
	}
	return d.Bytes == nil && d.Array == nil
}

// TestRows reads every relation in full: each has the values of its columns' types, none
// is NULL where its column is NOT NULL, and a relation without rows is one that is empty
// by its nature.
func TestRows(t *testing.T) {
	w := testWorld(t, 2)
	for _, r := range pgcatalog.Relations() {
		rows := 0
		err := r.Rows(w, nil, func(row []types.Datum) bool {
			rows++
			for i, d := range row {
				c := r.Columns[i]
				if !fits(c.Type, d) {
					t.Errorf("%s.%s.%s is no %s: %+v", r.Schema, r.Name, c.Name, c.Type, d)
					return false
				}
				if d.Null && c.NotNull {
					t.Errorf("%s.%s.%s is NULL", r.Schema, r.Name, c.Name)
					return false
				}
			}
			return true
		})
		if err != nil {
			t.Errorf("%s.%s: %v", r.Schema, r.Name, err)
		}
		if full := r.Schema + "." + r.Name; (rows == 0) != (!pgcatalog.HasSource(full)) {
			t.Errorf("%s has %d rows, and a source: %v", full, rows, pgcatalog.HasSource(full))
		}
	}
}

// TestEqualities reads relations with an equality over each of their columns in turn: the
// rows that satisfy it are those that a reading in full has.
func TestEqualities(t *testing.T) {
	w := testWorld(t, 2)
	for _, r := range pgcatalog.Relations() {
		var all [][]types.Datum
		if err := r.Rows(w, nil, func(row []types.Datum) bool { all = append(all, slices.Clone(row)); return len(all) < 3000 }); err != nil {
			t.Fatal(err)
		}
		for i, c := range r.Columns {
			for k := 0; k < len(all); k += len(all)/2 + 1 {
				want := all[k][i]
				if want.Null {
					continue
				}
				count := func(rows [][]types.Datum) (n int) {
					for _, row := range rows {
						if !row[i].Null && types.Equal(c.Type, row[i], want) {
							n++
						}
					}
					return n
				}
				var got [][]types.Datum
				err := r.Rows(w, map[int]types.Datum{i: want}, func(row []types.Datum) bool { got = append(got, slices.Clone(row)); return len(got) < 3000 })
				if err != nil {
					t.Fatal(err)
				}
				if len(all) < 3000 && count(got) != count(all) {
					t.Errorf("%s.%s where %s = %s has %d rows, %d of a reading in full satisfy it", r.Schema, r.Name, c.Name,
						types.Format(c.Type, want, nil), count(got), count(all))
				}
			}
		}
	}
}

// TestLookups holds lookups to the work of what they find: of 60 tables, one is looked at.
func TestLookups(t *testing.T) {
	w := testWorld(t, 60)
	table := w.snap.Table("public", "tca")
	pk := pgcatalog.IndexesOf(table)[0]
	for _, c := range []struct {
		relation, column string
		value            types.Datum
		most             int
	}{
		{"pg_class", "oid", types.NewInt(int64(table.ID)), 1},
		{"pg_class", "relname", types.NewText("tca"), 1},
		{"pg_attribute", "attrelid", types.NewInt(int64(table.ID)), 3},
		{"pg_index", "indrelid", types.NewInt(int64(table.ID)), 1},
		{"pg_index", "indexrelid", types.NewInt(int64(pk.OID())), 1},
		{"pg_constraint", "conrelid", types.NewInt(int64(table.ID)), 3},
		{"pg_constraint", "oid", types.NewInt(int64(pk.Constraint)), 1},
		{"pg_constraint", "conindid", types.NewInt(int64(pk.OID())), 3},
		{"pg_attrdef", "adrelid", types.NewInt(int64(table.ID)), 1},
		{"pg_description", "objoid", types.NewInt(int64(table.ID)), 1},
		{"pg_namespace", "oid", types.NewInt(int64(2200)), 1},
		{"pg_namespace", "nspname", types.NewText("public"), 1},
		{"pg_type", "oid", types.NewInt(int64(23)), 1},
		{"pg_type", "typname", types.NewText("int4"), 1},
		{"pg_proc", "oid", types.NewInt(int64(177)), 1},
		{"pg_proc", "proname", types.NewText("lower"), 3},
		{"pg_tables", "tablename", types.NewText("tca"), 1},
		{"pg_indexes", "indexname", types.NewText("tca_pkey"), 1},
	} {
		r := relationNamed("pg_catalog", c.relation)
		at := -1
		for i := range r.Columns {
			if r.Columns[i].Name == c.column {
				at = i
			}
		}
		built := 0
		if err := r.Rows(w, map[int]types.Datum{at: c.value}, func([]types.Datum) bool { built++; return true }); err != nil {
			t.Fatal(err)
		}
		if built == 0 || built > c.most {
			t.Errorf("%s by %s makes %d rows, at most %d are meant", c.relation, c.column, built, c.most)
		}
	}
}

func relationNamed(schema, name string) *catalog.Virtual {
	for _, r := range pgcatalog.Relations() {
		if r.Schema == schema && r.Name == name {
			return r
		}
	}
	return nil
}
