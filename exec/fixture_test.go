package exec

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/txn"
)

var (
	tText  = types.Of(types.Text)
	tInt8  = types.Of(types.Int8)
	tFloat = types.Of(types.Float8)
	tBool  = types.Of(types.Bool)
)

// fixture is a store with one table:
//
//	host text, ts int8, n int8, cpu float8 NOT NULL, note text, key (host, ts DESC)
type fixture struct {
	t     testing.TB
	base  storage.Store
	txns  *txn.Manager
	table *catalog.Table
	set   op.Settings
	in    *txn.Txn // what statements run in, if not nil
	work  plan.Actual
	acts  *plan.Actuals // filled where set

	insertMode bool // load inserts, else it upserts
	noChunk    bool // load is one transaction
}

type option func(*fixture)

func withStore(s storage.Store) option { return func(f *fixture) { f.base = s } }
func withTable(change func(*catalog.Table)) option {
	return func(f *fixture) { change(f.table) }
}

func testTable(buckets int) *catalog.Table {
	t := &catalog.Table{
		ID: 100, Schema: "public", Name: "metrics", Physical: "metrics", Version: 1,
		PrimaryKey: []int{0, 1}, PrimaryKeyName: "pk",
		Options: catalog.Options{SaltBuckets: buckets, Hash: "phoenix31", ColumnEncodedBytes: 2, DefaultFamily: "0", Versions: 1},
	}
	add := func(name string, typ types.T, st rowcodec.Type, keyPos int, notNull bool) {
		c := catalog.Column{ID: len(t.Columns) + 1, Name: name, Type: typ, Store: rowcodec.Column{Type: st, SQL: typ}, KeyPos: keyPos, NotNull: notNull}
		if keyPos < 0 {
			c.Family, c.Number = "0", 11+len(t.Columns)-2
			c.Qualifier, _ = rowcodec.Qualifier(c.Number, 2)
		}
		t.Columns = append(t.Columns, c)
	}
	add("host", tText, rowcodec.Varchar, 0, true)
	add("ts", tInt8, rowcodec.BigInt, 1, true)
	add("n", tInt8, rowcodec.BigInt, -1, false)
	add("cpu", tFloat, rowcodec.Double, -1, true)
	add("note", tText, rowcodec.Varchar, -1, false)
	t.Columns[1].Desc = true
	t.NextColumnID, t.NextQualifier = len(t.Columns)+1, 14
	return t
}

func newFixture(t testing.TB, buckets int, opts ...option) *fixture {
	f := &fixture{t: t, table: testTable(buckets)}
	for _, o := range opts {
		o(f)
	}
	if f.base == nil {
		f.base = mem.New()
	}
	if err := f.table.Finish(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.base.Close() })
	spec := storage.TableSpec{Name: f.table.Physical}
	for _, fam := range f.table.Families() {
		spec.Families = append(spec.Families, storage.FamilySpec{Name: fam, TTL: f.table.Options.TTL})
	}
	if err := f.base.Admin().CreateTable(context.Background(), spec); err != nil {
		t.Fatal(err)
	}
	f.use(f.base)
	return f
}

func (f *fixture) use(s storage.Store) {
	f.base, f.txns = s, txn.NewManager(s, nil)
}

func newPebble(t testing.TB) storage.Store {
	s, err := pebble.Open(t.TempDir(), &pebble.Options{NoSync: true, CacheBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// remote is a store without atomic batches and snapshots, as Bigtable is.
type remote struct{ storage.Store }

func (r remote) Caps() storage.Caps {
	c := r.Store.Caps()
	c.Name, c.AtomicBatch, c.Snapshots, c.SmallScanSerial, c.ScanFanout, c.MaxKeysPerGet = "remote", false, false, false, 8, 100
	return c
}

func (f *fixture) context() *op.Context {
	return &op.Context{
		Ctx: context.Background(), Txns: f.txns, Txn: f.in, Settings: f.set, Actuals: f.acts,
		Env: &expr.Env{Ctx: context.Background(), TimeZone: time.UTC},
	}
}

// run runs a plan and gives its rows as text, a line each.
func (f *fixture) run(root plan.Node, params ...types.Datum) (string, error) {
	s, err := Prepare(&plan.Plan{Root: root, Columns: root.Columns(), Tables: []*catalog.Table{f.table}})
	if err != nil {
		return "", err
	}
	return f.exec(s, params...)
}

func (f *fixture) exec(s *Statement, params ...types.Datum) (string, error) {
	cx := f.context()
	cx.Env.Params = params
	defer func() { f.work = cx.Work }()
	defer s.Close()
	if err := s.Open(cx); err != nil {
		return "", err
	}
	var out strings.Builder
	for {
		b, err := s.Next()
		if err == io.EOF {
			if err := s.Close(); err != nil {
				return "", err
			}
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		if b.Rows() == 0 {
			return "", fmt.Errorf("empty batch")
		}
		writeRows(&out, b)
	}
}

func writeRows(out *strings.Builder, b *vec.Batch) {
	for i := range b.Rows() {
		for c, v := range b.Cols {
			if c > 0 {
				out.WriteByte('|')
			}
			if slot := b.Row(i); v.Null(slot) {
				out.WriteString("NULL")
			} else {
				out.Write(types.AppendText(nil, v.Type, v.Datum(slot), nil))
			}
		}
		out.WriteByte('\n')
	}
}

func (f *fixture) must(root plan.Node, params ...types.Datum) string {
	f.t.Helper()
	out, err := f.run(root, params...)
	if err != nil {
		f.t.Fatalf("%v", err)
	}
	return out
}

// Expressions over the table's columns.
func (f *fixture) col(name string) expr.Expr {
	for i, c := range f.table.Columns {
		if c.Name == name {
			return &expr.Col{Index: i, T: c.Type, Name: name}
		}
	}
	f.t.Fatalf("no column %s", name)
	return nil
}

// As tests write expressions.
var lit, opCall, colAt = exectest.Lit, exectest.Op, exectest.Col

func null(t types.T) expr.Expr { return &expr.Const{Value: types.NullDatum, T: t} }

func and(args ...expr.Expr) expr.Expr {
	e, err := expr.MakeAnd(args, 0)
	if err != nil {
		panic(err)
	}
	return e
}

// scanAll gives a scan of the named columns; none means all.
func (f *fixture) scan(names ...string) *plan.Scan {
	s := &plan.Scan{Source: plan.Source{Table: f.table, Alias: f.table.Name}}
	for i, c := range f.table.Columns {
		if len(names) == 0 {
			s.Cols = append(s.Cols, i)
		}
		for _, n := range names {
			if n == c.Name {
				s.Cols = append(s.Cols, i)
			}
		}
	}
	return s
}

// merged puts a merge over a scan of a salted table.
func (f *fixture) merged(s *plan.Scan, o plan.Order) plan.Node {
	s.Order = o
	if f.table.Options.SaltBuckets == 0 {
		return s
	}
	return &plan.SaltMerge{Input: s}
}

func (f *fixture) gathered(s *plan.Scan) plan.Node {
	if f.table.Options.SaltBuckets == 0 {
		return s
	}
	return &plan.SaltGather{Input: s}
}

func key(terms ...plan.KeyTerm) *plan.KeyCond {
	return &plan.KeyCond{Or: []plan.KeyConj{{Terms: terms}}}
}

func term(op plan.KeyOp, col int, args ...expr.Expr) plan.KeyTerm {
	return plan.KeyTerm{Op: op, Columns: []int{col}, Args: args}
}

func (f *fixture) cols() []plan.Column {
	cols := make([]plan.Column, len(f.table.Columns))
	for i, c := range f.table.Columns {
		cols[i] = plan.Column{Name: c.Name, Type: c.Type}
	}
	return cols
}

// values are rows of the table's columns: Go values, nil is NULL.
func (f *fixture) values(rows ...[]any) *plan.Values {
	v := &plan.Values{Cols: f.cols()}
	for _, r := range rows {
		var es []expr.Expr
		for i, x := range r {
			if x == nil {
				es = append(es, null(f.table.Columns[i].Type))
			} else {
				es = append(es, lit(x))
			}
		}
		v.Rows = append(v.Rows, es)
	}
	return v
}

func (f *fixture) insert(rows ...[]any) *plan.Insert {
	return &plan.Insert{Table: f.table, Input: f.values(rows...), Mode: plan.CheckAbsent}
}

// source gives n rows made by gen, for large loads.
type source struct {
	n, at int
	b     *vec.Batch
	gen   func(i int, b *vec.Batch, slot int)
}

func (s *source) Next() (*vec.Batch, error) {
	n := min(s.n-s.at, vec.MaxRows)
	if n == 0 {
		return nil, io.EOF
	}
	for _, c := range s.b.Cols {
		c.Resize(n)
	}
	for i := range n {
		s.gen(s.at+i, s.b, i)
	}
	s.at += n
	s.b.N = n
	return s.b, nil
}

// load upserts n rows: host-<i % hosts>, ts i, n i, cpu i/2, note NULL or "note i".
func (f *fixture) load(n, hosts int) {
	f.t.Helper()
	var up plan.Node = &plan.Upsert{Table: f.table, Input: &plan.External{Cols: f.cols()}, Named: []int{0, 1, 2, 3, 4}}
	if f.insertMode {
		up = &plan.Insert{Table: f.table, Input: &plan.External{Cols: f.cols()}, Mode: plan.CheckAbsent}
	}
	s, err := Prepare(&plan.Plan{Root: up, Tables: []*catalog.Table{f.table}})
	if err != nil {
		f.t.Fatal(err)
	}
	cx := f.context()
	if !f.noChunk {
		cx.Settings.Chunked, cx.Settings.MaxTxnBytes = true, 16<<20
	}
	var ts []types.T
	for _, c := range f.table.Columns {
		ts = append(ts, c.Type)
	}
	cx.Source = &source{n: n, b: vec.NewBatch(ts), gen: func(i int, b *vec.Batch, slot int) {
		b.Cols[0].Bytes[slot] = fmt.Appendf(nil, "host-%03d", i%hosts)
		b.Cols[1].Ints[slot] = int64(i)
		b.Cols[2].Ints[slot] = int64(i)
		b.Cols[3].Floats[slot] = float64(i) / 2
		b.Cols[4].Bytes[slot] = fmt.Appendf(nil, "note %d", i)
		if i%3 == 0 {
			b.Cols[4].Nulls.Set(slot)
		}
	}}
	defer s.Close()
	if err := s.Open(cx); err != nil {
		f.t.Fatal(err)
	}
	if _, err := s.Next(); err != io.EOF {
		f.t.Fatal(err)
	}
	if got := s.RowsAffected(); got != int64(n) {
		f.t.Fatalf("%d rows affected, want %d", got, n)
	}
}

func sorted(text string) string {
	lines := strings.SplitAfter(text, "\n")
	sort.Strings(lines)
	return strings.Join(lines, "")
}
