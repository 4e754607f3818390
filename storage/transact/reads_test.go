package transact

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

var (
	readCols     = []storage.Col{{Family: "f", Qualifier: []byte("a")}, {Family: "f", Qualifier: []byte("b")}, {Family: "g", Qualifier: []byte("a")}, {Family: "g", Qualifier: []byte("z")}}
	readFamilies = []storage.FamilySpec{{Name: "f"}, {Name: "g", MaxVersions: 3}}
)

// mirror is a table of a store, and a table without transactions to which each commit was made at once.
type mirror struct {
	t     *testing.T
	ctx   context.Context
	r     *rand.Rand
	base  storage.Store
	plain *mem.Store
	name  string
	now   time.Duration // each server's clock is ahead of that of the one before
	looks []mirrored
	n     int
	trace []string
}

type mirrored struct{ snap, plain storage.Snapshot }

func (m *mirror) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("%v\n%s", err, strings.Join(m.trace, "\n"))
	}
}

// server is another server, which makes so many conditional writes and then dies.
func (m *mirror) server(calls int, commit func(c int64)) *Store {
	m.now += 15 * time.Second
	ahead := m.now
	h := &hooks{Store: m.base}
	var left atomic.Int64
	left.Store(int64(calls))
	h.on = func(kind string, do func() error) error {
		if kind != "get" && kind != "get record" && kind != "increment" && kind != "scan" && kind != "set time" {
			if left.Add(-1) < 0 {
				return storage.Errorf(storage.CodeFault, kind, "", "the server is dead")
			}
		}
		return do()
	}
	var own atomic.Pointer[lock]
	h.made = func(kind string, w *storage.CondMutation) {
		switch last := len(w.Then) - 1; {
		case kind == "lock":
			l, _ := readLock(w.Then[0].Value, 0)
			own.Store(l)
		case kind == "commit":
			commit(w.Then[0].Timestamp)
		case kind == "write" && own.Load() != nil && own.Load().alone && txID(w.Then[last-1].Value[1:]) == own.Load().tx:
			commit(w.Then[last-1].Timestamp)
		}
	}
	return Wrap(h, Options{Now: func() time.Time { return time.Now().Add(ahead) }})
}

// change is a transaction of some rows by a server that may die in it.
func (m *mirror) change() {
	var rows []storage.RowMutation
	for _, k := range m.r.Perm(20)[:1+m.r.IntN(4)] {
		row := storage.RowMutation{Key: fmt.Appendf(nil, "k%02d", k)}
		for range 1 + m.r.IntN(4) {
			m.n++
			c := readCols[m.r.IntN(3)]
			mut := storage.Mutation{Family: c.Family, Qualifier: c.Qualifier, Value: fmt.Append(nil, m.n)}
			switch m.r.IntN(8) {
			case 0:
				mut = storage.Mutation{Op: storage.DeleteRow}
			case 1:
				mut = storage.Mutation{Op: storage.DeleteFamily, Family: c.Family}
			case 2:
				mut.Op, mut.Value = storage.DeleteCell, nil
			}
			row.Mutations = append(row.Mutations, mut)
		}
		rows = append(rows, row)
	}
	calls := 1000
	if m.r.IntN(3) > 0 {
		calls = m.r.IntN(2*len(rows) + 3)
	}
	at := int64(0)
	s := m.server(calls, func(c int64) { at = c })
	b, err := s.Transactions().Batch()
	m.must(err)
	m.must(b.Mutate(m.name, rows))
	err = b.Commit(m.ctx, storage.WriteOptions{})
	s.work.Wait()
	m.trace = append(m.trace, fmt.Sprintf("%d calls, at %d, %v: %v", calls, at, err, rows))
	if (err == nil) != (at != 0) {
		m.t.Fatalf("told %v, committed at %d", err, at)
	}
	if at == 0 {
		return
	}
	for i := range rows {
		for j := range rows[i].Mutations {
			if w := &rows[i].Mutations[j]; w.Op == storage.SetCell {
				w.Timestamp = at
			}
		}
	}
	m.must(m.plain.Table(m.name).Mutate(m.ctx, rows, storage.WriteOptions{}))
}

// request is one at random.
func (m *mirror) request() (req storage.ScanRequest) {
	for _, c := range readCols {
		if m.r.IntN(3) == 0 {
			req.Project = append(req.Project, c)
		}
	}
	req.EveryRow = m.r.IntN(3) == 0 && len(req.Project) > 0
	req.KeysOnly = m.r.IntN(5) == 0
	req.WithVersion = m.r.IntN(2) == 0
	req.ValuesOnly = len(req.Project) > 0 && !req.KeysOnly && m.r.IntN(4) == 0
	if len(req.Project) > 0 && !req.KeysOnly && m.r.IntN(3) == 0 {
		col, part := req.Project[0], byte('0'+m.r.IntN(10))
		req.Filter = func(_ []byte, row storage.RowView) (bool, error) {
			v, ok := row.Get(col.Family, col.Qualifier)
			return !ok || v[len(v)-1] > part, nil
		}
	}
	if m.r.IntN(3) == 0 {
		req.Limit = 1 + m.r.Int64N(12)
	}
	req.Reverse, req.BatchRows = m.r.IntN(2) == 0, m.r.IntN(4)
	if n := len(m.looks); m.r.IntN(5) == 0 && n > 0 { // a moment in the past, and in whole milliseconds
		req.MinTS = m.looks[m.r.IntN(n)].snap.(*snapshot).at
	}
	lo := m.r.IntN(25)
	req.Spans = []storage.Span{{Start: fmt.Appendf(nil, "k%02d", lo), End: fmt.Appendf(nil, "k%02d", lo+m.r.IntN(20))}, {Start: []byte("k50")}}
	if m.r.IntN(2) == 0 {
		req.Spans = []storage.Span{{}}
	}
	return req
}

// text shows the rows of a batch as what a request is promised of them. Rows of nothing but a version
// are left out, and shown apart.
func (m *mirror) text(rb *storage.RowBatch, req *storage.ScanRequest, withVersion bool) (rows, gone []string) {
	for i := range rb.Len() {
		var cells []string
		version, data := false, false
		if n := rb.Columns(); n > 0 {
			for k, v := range rb.Values()[i*n : (i+1)*n] {
				if v != storage.Absent {
					cells = append(cells, fmt.Sprintf("%s:%s=%s", req.Project[k].Family, req.Project[k].Qualifier, rb.Slice(v.Lo, v.Hi)))
				}
			}
		}
		for j := range rb.NumCells(i) {
			c := rb.Cell(i, j)
			version, data = version || isCol(&c, &storage.Version), data || !internal(c.Family)
			if len(req.Project) == 0 && internal(c.Family) && !isCol(&c, &storage.Version) {
				m.t.Fatalf("the cell %v is shown", c)
			}
			wanted := len(req.Project) == 0 && !internal(c.Family) || slices.ContainsFunc(req.Project, func(p storage.Col) bool { return isCol(&c, &p) })
			if wanted && !req.KeysOnly {
				at := fmt.Sprint("@", c.Timestamp)
				if req.ValuesOnly {
					at = ""
				}
				cells = append(cells, fmt.Sprintf("%s:%s%s=%s", c.Family, c.Qualifier, at, c.Value))
			}
		}
		slices.Sort(cells)
		line := fmt.Sprint(string(rb.Key(i)), " ", strings.Join(cells, " "))
		if withVersion && !version {
			m.t.Fatalf("row %s has no version", line)
		}
		// A row that has nothing that was asked for is there only where its request says so.
		if withVersion && !data && len(cells) == 0 && !req.EveryRow && !req.KeysOnly {
			gone = append(gone, line)
			continue
		}
		rows = append(rows, line)
	}
	return rows, gone
}

func (m *mirror) scan(t storage.Table, req storage.ScanRequest, withVersion bool) (rows, gone []string) {
	sc, err := t.Scan(m.ctx, &req)
	m.must(err)
	defer func() { m.must(sc.Close()) }()
	var rb storage.RowBatch
	for {
		err := sc.Next(&rb)
		if err == io.EOF {
			return rows, gone
		}
		m.must(err)
		r, g := m.text(&rb, &req, withVersion)
		rows, gone = append(rows, r...), append(gone, g...)
	}
}

// compare makes a request of both tables, at one moment.
func (m *mirror) compare(by *Store) {
	req := m.request()
	if req.WithVersion && (req.EveryRow || req.KeysOnly) {
		req.WithVersion = false // which rows are there is not to be seen then
	}
	plain := req
	plain.WithVersion = false
	at := "now"
	if n := len(m.looks); n > 0 && m.r.IntN(4) > 0 {
		l := m.looks[m.r.IntN(n)]
		req.Snapshot, plain.Snapshot, at = l.snap, l.plain, fmt.Sprint(l.snap.(*snapshot).at)
	}
	what := fmt.Sprintf("at %s, %+v", at, req)
	got, gone := m.scan(by.Table(m.name), req, req.WithVersion)
	want, _ := m.scan(m.plain.Table(m.name), plain, false)
	if !slices.Equal(got, want) {
		m.t.Fatalf("scan %s:\n  %s\nwant\n  %s\ngone %q, after\n%s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "), gone, strings.Join(m.trace, "\n"))
	}
	var keys [][]byte
	for k := range 21 {
		if m.r.IntN(3) > 0 {
			keys = append(keys, fmt.Appendf(nil, "k%02d", k))
		}
	}
	var one, two storage.RowBatch
	one.StartRow([]byte("there before"))
	_, err := by.Table(m.name).MultiGet(m.ctx, keys, &req, &one)
	m.must(err)
	_, err = m.plain.Table(m.name).MultiGet(m.ctx, keys, &plain, &two)
	m.must(err)
	if string(one.Key(0)) != "there before" {
		m.t.Fatal("a row that was there before is not any more")
	}
	var rest storage.RowBatch
	for i := 1; i < one.Len(); i++ {
		rest.AppendRow(&one, i)
	}
	got, _ = m.text(&rest, &req, req.WithVersion)
	if want, _ = m.text(&two, &plain, false); !slices.Equal(got, want) {
		m.t.Fatalf("get %s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestReads makes random changes by servers that die in the midst of them, and random requests at
// random moments, and compares what they give with a table in which each commit was made at once.
func TestReads(t *testing.T) {
	first := seeds.First(t)
	var met, pushed, images int64
	done := 0
	for more := seeds.Until(0, 20*time.Second); more(done); done++ {
		m := &mirror{t: t, ctx: context.Background(), r: rand.New(rand.NewPCG(first, uint64(done))), base: mem.New(), plain: mem.New(), name: "t" + Mark}
		m.must(Wrap(m.base, Options{}).Admin().CreateTable(m.ctx, storage.TableSpec{Name: m.name, Families: readFamilies}))
		m.must(m.plain.Admin().CreateTable(m.ctx, storage.TableSpec{Name: m.name, Families: readFamilies}))
		for range 40 {
			m.change()
			below := m.base
			if m.r.IntN(3) == 0 {
				below = fault.Wrap(m.base, fault.Rule{Do: fault.Wide, Times: -1})
			}
			by := Wrap(below, Options{Now: func() time.Time { return time.Now().Add(m.now) }}).Transactions()
			for range 4 {
				m.compare(by)
			}
			snap, err := by.Snapshot(m.ctx)
			m.must(err)
			plain, err := m.plain.Snapshot(m.ctx)
			m.must(err)
			m.looks = append(m.looks, mirrored{snap, plain})
			by.work.Wait()
			c := by.Counts()
			met, pushed, images = met+c.LocksMet, pushed+c.Pushed, images+c.Images
		}
	}
	t.Logf("%d runs, %d locks met, %d pushed, %d images", done, met, pushed, images)
	if met == 0 || pushed == 0 || images == 0 {
		t.Error("no lock, or no image, was in a read's way")
	}
}
