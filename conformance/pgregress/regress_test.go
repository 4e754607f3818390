package pgregress

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
)

var (
	dir   = flag.String("pgregress", "", "folder with sql/*.sql and data/* of PostgreSQL's regression tests")
	files = flag.String("pgregress.files", "", "names of files to run, with commas between; all where empty")
	full  = flag.Bool("pgregress.all", false, "print what is refused and what follows from it, too")
)

func TestRegress(t *testing.T) {
	if *dir == "" {
		t.Skip("-pgregress names no folder")
	}
	list, err := filepath.Glob(filepath.Join(*dir, "sql", "*.sql"))
	if err != nil || len(list) == 0 {
		t.Fatal("there are no files: ", err)
	}
	ctx := context.Background()
	dsn := pgtest.Start(t)
	pg, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(ctx)
	all := map[string]int{}
	for _, path := range list {
		name := strings.TrimSuffix(filepath.Base(path), ".sql")
		if name == "test_setup" || *files != "" && !slices.Contains(strings.Split(*files, ","), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, sql := range []string{"DROP DATABASE IF EXISTS regression WITH (FORCE)", "CREATE DATABASE regression"} {
				if _, err := pg.Exec(ctx, sql).ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
			host, port := harness.Serve(t, harness.Open(t, "mem"))
			r := &run{t: t, counts: map[string]int{}}
			for i, at := range []string{fmt.Sprintf("host=%s port=%d user=postgres dbname=regression sslmode=disable", host, port), dsn + " dbname=regression"} {
				c, err := pgconn.Connect(ctx, at)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close(ctx)
				r.conns[i] = c
				if _, err := c.Exec(ctx, "SET statement_timeout = '20s'").ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
			r.quiet = true
			r.file(ctx, filepath.Join(*dir, "sql", "test_setup.sql"))
			r.quiet, r.counts = false, map[string]int{}
			r.file(ctx, path)
			for k, n := range r.counts {
				all[k] += n
			}
			t.Log(name, r.counts)
		})
	}
	t.Log("all", all)
}

// run is a file on both.
type run struct {
	t      *testing.T
	conns  [2]*pgconn.PgConn // here, PostgreSQL
	counts map[string]int
	quiet  bool
	lost   bool // something was refused: what it would have made is missing
}

func (r *run) file(ctx context.Context, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	s := &script{rest: string(text), vars: map[string]string{"abs_srcdir": *dir, "libdir": "/", "dlsuffix": ".so"}}
	for {
		st, ok := s.next()
		if !ok {
			return
		}
		if name, from, ok := strings.Cut(st.text, " FROM '"+*dir); ok && strings.HasPrefix(name, "COPY") {
			data, err := os.ReadFile(*dir + strings.SplitN(from, "'", 2)[0])
			if err != nil {
				r.t.Log(err)
			}
			st = statement{name + " FROM STDIN", string(data)}
		}
		if !r.statement(ctx, st) {
			return
		}
	}
}

// follow are the codes of a statement that names what is not there.
var follow = []string{"42P01", "42883", "42704", "42703", "3F000", "42710", "42P07", "26000", "34000", "42712", "2BP01", "42809", "25P01"}

// statement runs one on both; false where a connection is lost.
func (r *run) statement(ctx context.Context, st statement) bool {
	ours := answer(ctx, r.conns[0], st)
	theirs, kind := "", "different"
	switch {
	case code(ours) == "0A000":
	case code(ours) != "" && r.conns[1].TxStatus() == 'I':
		// What PostgreSQL does is undone, so that both have the same rows afterwards.
		_, _ = r.conns[1].Exec(ctx, "BEGIN").ReadAll()
		theirs = answer(ctx, r.conns[1], st)
		_, _ = r.conns[1].Exec(ctx, "ROLLBACK").ReadAll()
	default:
		theirs = answer(ctx, r.conns[1], st)
	}
	switch {
	case code(ours) == code(theirs) && (code(ours) != "" || ours == theirs):
		kind = "same"
	case r.conns[0].IsClosed() || strings.HasPrefix(ours, "ERROR XX"):
		kind = "internal"
		r.t.Errorf("%s\n-- here:\n%s\n-- PostgreSQL:\n%s", st.text, ours, theirs)
	case code(ours) == "0A000":
		kind = "refused"
		r.lost = true
	case strings.EqualFold(strings.Fields(st.text)[0], "explain") && code(ours) == "" && code(theirs) == "":
		kind = "plan"
	case r.lost && slices.Contains(follow, code(ours)):
		kind = "follows"
	}
	r.counts[kind]++
	if !r.quiet && (kind == "different" || *full && kind != "same" && kind != "internal") {
		r.t.Logf("%s: %s\n-- here:\n%.600s\n-- PostgreSQL:\n%.600s", kind, st.text, ours, theirs)
	}
	if r.conns[0].IsClosed() || r.conns[1].IsClosed() {
		return false
	}
	if r.conns[0].TxStatus() != r.conns[1].TxStatus() {
		for _, c := range r.conns {
			_, _ = c.Exec(ctx, "ROLLBACK").ReadAll()
		}
		r.lost = true
	}
	return true
}

func code(said string) string {
	if after, ok := strings.CutPrefix(said, "ERROR "); ok {
		return after[:5]
	}
	return ""
}

// answer is what a server says to a statement: its error, or its rows in some order and its tag.
func answer(ctx context.Context, c *pgconn.PgConn, st statement) string {
	var err error
	var results []*pgconn.Result
	if st.data != "" {
		_, err = c.CopyFrom(ctx, strings.NewReader(st.data), st.text)
	} else {
		results, err = c.Exec(ctx, st.text).ReadAll()
	}
	if err != nil {
		if e, ok := err.(*pgconn.PgError); ok {
			return "ERROR " + e.Code + " " + e.Message
		}
		return "ERROR lost: " + err.Error()
	}
	var b strings.Builder
	for _, res := range results {
		var rows []string
		for _, row := range res.Rows {
			var line strings.Builder
			for _, v := range row {
				if v == nil {
					line.WriteString("|NULL")
				} else {
					fmt.Fprintf(&line, "|%s", v)
				}
			}
			rows = append(rows, line.String())
		}
		sort.Strings(rows)
		for _, row := range rows {
			b.WriteString(row + "\n")
		}
		b.WriteString(res.CommandTag.String())
	}
	return b.String()
}
