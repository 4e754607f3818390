package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// client drives a session as the protocol does.
type client struct {
	t *testing.T
	s *Session
}

func newClient(t *testing.T, db *DB, opts SessionOptions) *client {
	t.Helper()
	s, err := db.NewSession(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &client{t, s}
}

// parse is the protocol's Parse, after a Close of the name.
func (c *client) parse(name, text string) string {
	c.s.CloseStmt(name)
	st, err := c.s.Prepare(context.Background(), text, nil)
	if err == nil {
		err = c.s.SaveStmt(name, st)
	}
	return outcome("", err)
}

// run is Bind with parameters as text, Execute and Sync: the tag and the rows.
func (c *client) run(name string, params ...string) string {
	st, err := c.s.NamedStmt(name)
	if err != nil {
		return outcome("", err)
	}
	return c.execute(st, params)
}

// query is a simple query of one statement.
func (c *client) query(text string) string {
	list, err := c.s.Split(context.Background(), text)
	if err != nil {
		return outcome("", err)
	}
	st, err := c.s.PrepareParsed(context.Background(), list[0], nil)
	if err != nil {
		return outcome("", err)
	}
	return c.execute(st, nil)
}

func (c *client) execute(st *Stmt, params []string) (result string) {
	ctx := context.Background()
	defer func() {
		if err := c.s.EndPipeline(ctx, true); err != nil {
			result = outcome("", err)
		}
	}()
	if st.Empty() {
		return "empty"
	}
	args := make([]types.Datum, len(params))
	for i, p := range params {
		d, err := types.ParseText(st.ParamTypes()[i], []byte(p), c.s.IOEnv())
		if err != nil {
			return outcome("", err)
		}
		args[i] = d
	}
	p, err := c.s.Bind(ctx, "", st, args)
	if err != nil {
		return outcome("", err)
	}
	r := &Rows{s: c.s, p: p, ctx: ctx}
	r.fetch()
	var out []string
	for r.Next() {
		if len(r.batch.Cols) != len(p.Columns()) {
			c.t.Errorf("%s: rows of %d columns, told %d", st.Text(), len(r.batch.Cols), len(p.Columns()))
		}
		var row []string
		for i := range r.batch.Cols {
			row = append(row, r.Text(i))
		}
		out = append(out, strings.Join(row, "|"))
	}
	r.Close()
	return outcome(strings.Join(append([]string{r.Tag()}, out...), "; "), r.Err())
}

func outcome(text string, err error) string {
	if err != nil {
		return fmt.Sprintf("%s %v", sqlerr.CodeOf(err), err)
	}
	return text
}

// TestExecutePrepared prepares by the protocol what SQL's EXECUTE and EXPLAIN then run.
// PostgreSQL 15 gives these answers, but where it overflows its stack.
func TestExecutePrepared(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps [][2]string // "Parse name text", "Run name" or a simple query, and what comes of it
	}{
		{"empty", [][2]string{
			{"Parse e ", ""},
			{"EXECUTE e", "EXECUTE"},
			{"EXECUTE e(1)", "EXECUTE"},
			{"EXPLAIN EXECUTE e", "EXPLAIN"},
			{"EXPLAIN ANALYZE EXECUTE e", "EXPLAIN"},
		}},
		{"utility", [][2]string{
			{"Parse u SHOW timezone", ""},
			{"EXECUTE u", "SHOW; UTC"},
			{"EXPLAIN EXECUTE u", "EXPLAIN; Utility statements have no plan structure"},
			{"EXPLAIN ANALYZE EXECUTE u", "EXPLAIN; Utility statements have no plan structure"},
			{"EXPLAIN ADVISE EXECUTE u", "EXPLAIN; Utility statements have no plan structure"},
		}},
		{"chain", [][2]string{
			{"Parse b SELECT 1", ""},
			{"Parse a EXECUTE b", ""},
			{"Parse aa EXECUTE a", ""},
			{"EXECUTE aa", "SELECT 1; 1"},
			{"EXECUTE aa(1)", "SELECT 1; 1"},
			{"Parse b SELECT 1, 2", ""},
			{"Run aa", "SELECT 1; 1|2"},
			{"EXPLAIN EXECUTE aa", "EXPLAIN; Project;   Compute: 1, 2"},
			{"Parse b ", ""},
			{"Run aa", "EXECUTE"},
			{"DEALLOCATE b", "DEALLOCATE"},
			{"Run aa", "26000"},
		}},
		{"arguments", [][2]string{
			{"PREPARE b AS SELECT $1::int + 1", "PREPARE"},
			{"Parse a EXECUTE b(41)", ""},
			{"EXECUTE a", "SELECT 1; 42"},
			{"EXPLAIN ANALYZE EXECUTE b", "42601"},
		}},
		{"cycle", [][2]string{
			{"Parse b SELECT 1", ""},
			{"Parse a EXECUTE b", ""},
			{"Parse b EXECUTE a", "26000"}, // b is closed
			{"Parse b SELECT 1", ""},
			{"Parse c EXECUTE a", ""},
			{"DEALLOCATE a", "DEALLOCATE"},
			{"Parse a EXECUTE b", ""},
			{"EXECUTE c", "SELECT 1; 1"},
		}},
		{"fetch", [][2]string{
			{"BEGIN", "BEGIN"},
			{"DECLARE c CURSOR FOR SELECT 1, 2", "DECLARE CURSOR"},
			{"Parse f FETCH 1 FROM c", ""},
			{"Run f", "FETCH 1; 1|2"},
			{"CLOSE c", "CLOSE CURSOR"},
			{"DECLARE c CURSOR FOR SELECT 1, 2, 3", "DECLARE CURSOR"},
			{"Run f", "FETCH 1; 1|2|3"},
			{"Run f", "FETCH 0"},
			{"CLOSE c", "CLOSE CURSOR"},
			{"Run f", "34000"},
		}},
		{"changed table", [][2]string{
			{"CREATE TABLE t (k INT PRIMARY KEY, v INT)", "CREATE TABLE"},
			{"INSERT INTO t VALUES (1, 2)", "INSERT 0 1"},
			{"Parse s SELECT * FROM t", ""},
			{"Parse e EXECUTE s", ""},
			{"Run e", "SELECT 1; 1|2"},
			{"ALTER TABLE t ADD COLUMN w INT", "ALTER TABLE"},
			{"Run s", "0A000 cached plan must not change result type"},
			{"Run e", "0A000 cached plan must not change result type"},
			{"EXPLAIN EXECUTE s", "0A000 cached plan must not change result type"},
		}},
		{"declare", [][2]string{
			{"CREATE TABLE t (k INT PRIMARY KEY, v TEXT)", "CREATE TABLE"},
			{"INSERT INTO t VALUES (1, 'a'), (2, 'b')", "INSERT 0 2"},
			{"Parse d DECLARE c CURSOR FOR SELECT k, $2 FROM t WHERE k > $1 AND v < $2", ""},
			{"BEGIN", "BEGIN"},
			{"Run d 0 zz", "DECLARE CURSOR"},
			{"Parse x SELECT $1::text, $2::text", ""},
			{"Run x 'other 'yet", "SELECT 1; 'other|'yet"},
			{"FETCH ALL FROM c", "FETCH 2; 1|zz; 2|zz"},
			{"ROLLBACK", "ROLLBACK"},
			{"DECLARE c CURSOR FOR SELECT $1::int", "08P01"},
			{"Parse d DECLARE c CURSOR FOR SELECT * FROM nope", "42P01"},
		}},
		{"explain with parameters", [][2]string{
			{"CREATE TABLE t (k INT PRIMARY KEY)", "CREATE TABLE"},
			{"Parse x EXPLAIN ANALYZE SELECT * FROM t WHERE k = $1", ""},
			{"DROP TABLE t", "DROP TABLE"},
			{"CREATE TABLE t (k TEXT PRIMARY KEY)", "CREATE TABLE"},
			{"Run x 1", "42883"}, // the parameter stays an integer
		}},
		{"copy", [][2]string{
			{"Parse x COPY (SELECT $1::int) TO STDOUT", "42P02 there is no parameter $1"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, openDB(t, nil), SessionOptions{})
			for _, step := range tt.steps {
				verb, rest, _ := strings.Cut(step[0], " ")
				got := ""
				switch name, text, _ := strings.Cut(rest, " "); verb {
				case "Parse":
					got = c.parse(name, text)
				case "Run":
					got = c.run(name, strings.Fields(text)...)
				default:
					got = c.query(step[0])
				}
				if got != step[1] && (step[1] == "" || !strings.HasPrefix(got, step[1])) {
					t.Errorf("%s: %s, want %s", step[0], got, step[1])
				}
			}
		})
	}
}

// TestExecuteCycle: a name that was closed lets an EXECUTE come back to itself.
func TestExecuteCycle(t *testing.T) {
	c := newClient(t, openDB(t, nil), SessionOptions{})
	for _, p := range [][2]string{{"b", "SELECT 1"}, {"a", "EXECUTE b"}} {
		if got := c.parse(p[0], p[1]); got != "" {
			t.Fatal(got)
		}
	}
	st, err := c.s.Prepare(context.Background(), "EXECUTE a", nil)
	if err != nil {
		t.Fatal(err)
	}
	c.s.CloseStmt("b")
	if err := c.s.SaveStmt("b", st); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"EXECUTE a", "EXECUTE b", "EXPLAIN EXECUTE a", "EXPLAIN ANALYZE EXECUTE b", "EXECUTE a(1)"} {
		if got := c.query(text); !strings.HasPrefix(got, "54001") && !strings.HasPrefix(got, "42601") {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := c.run("a"); !strings.HasPrefix(got, "54001") {
		t.Errorf("run: %s", got)
	}
}

// TestFetchDepth: portals of FETCH that take their rows from portals of FETCH.
func TestFetchDepth(t *testing.T) {
	ctx := context.Background()
	c := newClient(t, openDB(t, nil), SessionOptions{})
	for _, text := range []string{"BEGIN", "DECLARE p0 CURSOR FOR SELECT generate_series(1, 3)"} {
		if got := c.query(text); strings.Contains(got, " text") {
			t.Fatal(got)
		}
	}
	for i := range 2 * maxFetchDepth {
		st, err := c.s.Prepare(ctx, fmt.Sprintf("FETCH ALL FROM p%d", i), nil)
		if err == nil {
			_, err = c.s.Bind(ctx, fmt.Sprintf("p%d", i+1), st, nil)
		}
		if i < maxFetchDepth && err != nil || i == maxFetchDepth && sqlerr.CodeOf(err) != sqlerr.StatementTooComplex {
			t.Fatal(i, err)
		}
		if err != nil {
			break
		}
	}
}
