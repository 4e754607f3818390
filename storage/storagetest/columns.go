package storagetest

import (
	"fmt"
	"io"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

// testColumns reads the same rows with and without names and timestamps:
// rows of several shapes, with values of all sizes of offsets.
func testColumns(e *env) {
	t := e.table("t")
	texts := []string{"", "x", strings.Repeat("y", 100), strings.Repeat("z", 400), strings.Repeat("w", 70_000)}
	var lines []string
	for i := range 60 {
		var b strings.Builder
		fmt.Fprintf(&b, "k%02d f:m@1=x", i)
		for j, q := range []string{"f:a", "f:b", "g:a", "v:c", "f:c"} {
			if (i>>j)&1 == 0 {
				fmt.Fprintf(&b, " %s@%d=%s", q, i+2, texts[(i+3*j)%len(texts)])
			}
		}
		if i%7 == 0 { // an older version, which nobody asks for
			fmt.Fprintf(&b, " v:c@1=old")
		}
		lines = append(lines, b.String())
	}
	e.put(t, lines...)
	for _, project := range []string{"f:a", "f:m f:a", "f:c f:a f:b", "v:c", "g:a f:b v:c f:m", "f:none f:b", "h:x"} {
		for _, req := range []storage.ScanRequest{
			{Spans: spans(",")},
			{Spans: spans(","), Reverse: true, BatchRows: 7},
			{Spans: spans("k05,k20", "k30,k31", "k40,"), Limit: 11},
			{Spans: spans(","), Hint: &storage.Hint{Col: col("f:b"), Lo: []byte("x"), Hi: []byte("y")}},
		} {
			req.Project = cols(strings.Fields(project)...)
			want := e.projected(t, req)
			req.ValuesOnly = true
			got := e.projected(t, req)
			if req.Hint != nil {
				want, got = e.hinted(want, &req), e.hinted(got, &req)
			}
			if strings.Join(want, "\n") != strings.Join(got, "\n") {
				e.t.Fatalf("project %s, %+v:\n%s\nvalues only:\n%s", project, req, strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
			req.NoKeys = true
			got = e.projected(t, req)
			if req.Hint != nil {
				got = e.hinted(got, &req)
			}
			for i := range min(len(got), len(want)) {
				_, got[i], _ = strings.Cut(got[i], " ")
				_, want[i], _ = strings.Cut(want[i], " ")
			}
			if strings.Join(want, "\n") != strings.Join(got, "\n") {
				e.t.Fatalf("project %s, %+v:\n%s\nwithout keys:\n%s", project, req, strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
		}
	}
}

// projected gives the rows of a scan as "key value|value…", - where there is none.
func (e *env) projected(t storage.Table, req storage.ScanRequest) []string {
	e.t.Helper()
	sc, err := t.Scan(e.ctx, &req)
	e.must(err)
	defer sc.Close()
	var out []string
	var b storage.RowBatch
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			return out
		}
		e.must(err)
		w := b.Columns()
		if w > 0 && (!req.ValuesOnly || w != len(req.Project) || len(b.Values()) != w*b.Len()) {
			e.t.Fatalf("a batch of %d columns, %d values, %d rows for %+v", w, len(b.Values()), b.Len(), req)
		}
		for i := range b.Len() {
			line := string(b.Key(i)) + " "
			for k, c := range req.Project {
				v, ok := b.Value(i, c.Family, c.Qualifier)
				if w > 0 {
					if b.NumCells(i) != 0 {
						e.t.Fatalf("row %q of a batch of columns has cells", b.Key(i))
					}
					if r := b.Values()[i*w+k]; r.Lo <= r.Hi {
						v, ok = b.Slice(r.Lo, r.Hi), true
					}
				}
				if ok {
					line += fmt.Sprintf("%d:%.9s|", len(v), v)
				} else {
					line += "-|"
				}
			}
			out = append(out, line)
		}
	}
}

// hinted keeps the rows that a hint's column, where it is projected, satisfies:
// of others it is not known whether a store drops them.
func (e *env) hinted(rows []string, req *storage.ScanRequest) []string {
	for k, c := range req.Project {
		if c.Family != req.Hint.Col.Family || string(c.Qualifier) != string(req.Hint.Col.Qualifier) {
			continue
		}
		var out []string
		for _, row := range rows {
			_, values, _ := strings.Cut(row, " ")
			_, v, ok := strings.Cut(strings.Split(values, "|")[k], ":")
			if ok && v >= string(req.Hint.Lo) && v <= string(req.Hint.Hi) {
				out = append(out, row)
			}
		}
		return out
	}
	return nil
}
