package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// env is one test's store, with helpers that fail the test.
type env struct {
	t   *testing.T
	ctx context.Context
	s   storage.Store
}

// table creates a table with families f, g (1 version) and v (50 versions).
func (e *env) table(name string) storage.Table {
	e.t.Helper()
	e.must(e.s.Admin().CreateTable(e.ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{
		{Name: "f"}, {Name: "g", MaxVersions: 1}, {Name: "v", MaxVersions: 50},
	}}))
	return e.s.Table(name)
}

func (e *env) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *env) code(err error, want storage.Code) {
	e.t.Helper()
	var se *storage.Error
	if !errors.As(err, &se) || se.Code != want {
		e.t.Fatalf("got error %v (%v), want %v", err, storage.CodeOf(err), want)
	}
}

// muts reads mutations, separated by spaces and applied in order:
//
//	f:a@3=x   set column a of family f at 3 ms to x
//	-f:a      delete the column
//	-f        delete the family
//	-         delete the row
func muts(s string) []storage.Mutation {
	var out []storage.Mutation
	for _, w := range strings.Fields(s) {
		if w == "-" {
			out = append(out, storage.Mutation{Op: storage.DeleteRow})
			continue
		}
		if w[0] == '-' {
			fam, qual, isCol := strings.Cut(w[1:], ":")
			m := storage.Mutation{Op: storage.DeleteFamily, Family: fam}
			if isCol {
				m.Op, m.Qualifier = storage.DeleteCell, []byte(qual)
			}
			out = append(out, m)
			continue
		}
		col, rest, _ := strings.Cut(w, "@")
		ts, val, _ := strings.Cut(rest, "=")
		fam, qual, _ := strings.Cut(col, ":")
		ms, err := strconv.ParseInt(ts, 10, 64)
		if err != nil {
			panic(fmt.Sprintf("bad mutation %q", w))
		}
		out = append(out, storage.Mutation{Op: storage.SetCell, Family: fam, Qualifier: []byte(qual), Timestamp: ms * 1000, Value: []byte(val)})
	}
	return out
}

// rows reads rows as "key mutations".
func rows(lines ...string) []storage.RowMutation {
	out := make([]storage.RowMutation, len(lines))
	for i, l := range lines {
		key, rest, _ := strings.Cut(l, " ")
		out[i] = storage.RowMutation{Key: []byte(key), Mutations: muts(rest)}
	}
	return out
}

func (e *env) put(t storage.Table, lines ...string) {
	e.t.Helper()
	e.must(t.Mutate(e.ctx, rows(lines...), storage.WriteOptions{}))
}

func col(s string) storage.Col {
	f, q, _ := strings.Cut(s, ":")
	return storage.Col{Family: f, Qualifier: []byte(q)}
}

func cols(ss ...string) []storage.Col {
	var out []storage.Col
	for _, s := range ss {
		out = append(out, col(s))
	}
	return out
}

// span reads "a,b" as [a, b), with nothing for no bound.
func span(s string) storage.Span {
	lo, hi, _ := strings.Cut(s, ",")
	var sp storage.Span
	if lo != "" {
		sp.Start = []byte(lo)
	}
	if hi != "" {
		sp.End = []byte(hi)
	}
	return sp
}

func spans(ss ...string) []storage.Span {
	var out []storage.Span
	for _, s := range ss {
		out = append(out, span(s))
	}
	return out
}

// text shows rows as "key f:a@3=x g:b@1=y": cells by family and qualifier,
// versions in the order given; only projected ones, as more may come.
func text(b *storage.RowBatch, req *storage.ScanRequest) []string {
	out := make([]string, 0, b.Len())
	for i := range b.Len() {
		line := string(b.Key(i))
		if !req.KeysOnly {
			var cells []storage.Cell
			for j := range b.NumCells(i) {
				c := b.Cell(i, j)
				if len(req.Project) == 0 || slices.ContainsFunc(req.Project, func(p storage.Col) bool {
					return p.Family == c.Family && string(p.Qualifier) == string(c.Qualifier)
				}) {
					cells = append(cells, c)
				}
			}
			slices.SortStableFunc(cells, func(a, b storage.Cell) int {
				return strings.Compare(a.Family+":"+string(a.Qualifier), b.Family+":"+string(b.Qualifier))
			})
			for _, c := range cells {
				line += fmt.Sprintf(" %s:%s@%d=%s", c.Family, c.Qualifier, c.Timestamp/1000, c.Value)
			}
		}
		out = append(out, line)
	}
	return out
}

func (e *env) scan(t storage.Table, req storage.ScanRequest) []string {
	e.t.Helper()
	out, err := e.tryScan(t, &req)
	e.must(err)
	return out
}

func (e *env) tryScan(t storage.Table, req *storage.ScanRequest) (out []string, err error) {
	e.t.Helper()
	sc, err := t.Scan(e.ctx, req)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := sc.Close(); err == nil {
			err = cerr
		}
	}()
	limit := storage.MaxBatchRows
	if req.BatchRows > 0 {
		limit = req.BatchRows
	}
	var b storage.RowBatch
	b.StartRow([]byte("what was here before"))
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			if err := sc.Next(&b); err != io.EOF {
				e.t.Fatalf("Next after io.EOF: %v", err)
			}
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if b.Len() == 0 || b.Len() > limit {
			e.t.Fatalf("Next gave %d rows, want 1 to %d", b.Len(), limit)
		}
		out = append(out, text(&b, req)...)
	}
}

// all is the whole table, latest versions.
func (e *env) all(t storage.Table) []string {
	e.t.Helper()
	return e.scan(t, storage.ScanRequest{Spans: spans(",")})
}

func (e *env) want(got []string, want ...string) {
	e.t.Helper()
	if !slices.Equal(got, want) {
		e.t.Fatalf("got:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func byteKeys(keys ...string) [][]byte {
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = []byte(k)
	}
	return out
}

func (e *env) get(t storage.Table, req storage.ScanRequest, keys ...string) []string {
	e.t.Helper()
	var b storage.RowBatch
	_, err := t.MultiGet(e.ctx, byteKeys(keys...), &req, &b)
	e.must(err)
	return text(&b, &req)
}
