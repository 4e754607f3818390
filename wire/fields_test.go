package wire

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/pgtest"
)

// fieldScripts are statements, one message each; "prepare:" and "run:" are Parse and
// Bind with Execute of one statement name. Each begins with the table of fieldSetup.
var fieldScripts = []string{
	"selec 1", "select 1 +", "select 'a", "select \"a", "select nope from t", "select t.nope from t", "select * from nope", "select nope.a from t",
	"select * from no.nope", "select nope(1)", "select 1 + true", "select 'x'::int", "select 'x' + 1", "select 1/0", "select 2147483647 + 1",
	"select a from t group by b", "select sum(sum(a)) from t", "select a, a from t order by 3", "select * from t where sum(a) = 1",
	"select a as x from t where x = 1", "select * from t, t", "select '2024-13-01'::date", "select 'x'::date", "select '1'::bool and 3",
	"select null::int = array[1]", "select (select 1, 2)", "select 1 union select 1, 2", "select 'a' limit 'x'", "select 1 limit -1",
	"insert into t values (1, 'x')", "insert into t (a) values (null)", "insert into t (nope) values (1)", "insert into t values (7, 'x', 3, 4, 5)",
	"insert into t (a, b) values (7)", "insert into t values (8, 'toolongtext')", "insert into t values (9, 'x', -1)", "insert into t (a, a) values (1, 2)",
	"insert into t values ('x')", "insert into t values (9, 'x', 1, '2024-02-30')", "update t set a = null", "update t set nope = 1", "update t set c = -1",
	"update t set b = 'toolongtext'", "update nope set a = 1", "delete from nope", "delete from t where nope", "delete from t where b",
	"insert into t values (1, 'y') on conflict (b) do nothing", "create table t (a int primary key)", "create table u (a int primary key, a int)",
	"create table u (a nope primary key)", "drop table nope", "drop table if exists nope", "alter table nope add column x int", "alter table t add column a int",
	"alter table t drop column nope", "alter table t alter column b set not null", "truncate nope", "drop sequence nope", "drop schema nope",
	"begin; select nope; select 1", "rollback", "commit", "savepoint x", "rollback to x", "begin; begin", "set nope = 1", "set work_mem = 'x'",
	"set timezone = 'nope'", "show nope", "set transaction isolation level serializable", "fetch all from nope", "close nope", "execute nope", "deallocate nope",
	"prepare p as select $1::int; prepare p as select 1", "prepare q as select $1::int; execute q", "select $1", "copy nope from stdin", "copy t (nope) to stdout",
	"declare c cursor for select 1", "begin; declare c cursor for select 1; declare c cursor for select 1", "select pg_sleep('x')",
	"begin read only; insert into t values (50)", "select 'a' collate nope", "select cast(1 as nope)", "select interval 'x'", "select '{1'::int[]", "select '{'::jsonb",
	"select 'zz'::uuid", "select decode('zz', 'hex')", "select substr('a', 1, -1)", "select lpad('a', 2000000000)", "select to_timestamp('x', 'YYYY')",
	"select 'a' ~ '('", "select 'a' like 'a\\'", "select chr(0)", "select 10::int2 * 10000::int2", "select sqrt(-1)", "select ln(0)", "select 1e400::float8",
	"select 12345::numeric(3)", "select 'toolong'::varchar(3)", "select extract(nope from now())", "select date_trunc('nope', now())", "select nextval('nope')", "select 'nope'::regclass",
	"select unnest(1)", "select generate_series(1, 2, 0)", "select case when 1 then 2 end", "select coalesce(1, 'x')", "select greatest(1, true)", "select array[1, 'x']",
	"select 1 in ('x')", "select not 1", "select -'x'", "values (1), (2, 3)", "select * from t limit 1 limit 2", "select distinct on (b) a from t order by a",
	"prepare: select * from t|sql: alter table t add column z int|run:", "prepare: select $1|run:", "prepare: select $1::int + nope", "run: nope",
	"prepare: select 1|prepare: select 2",
}

const fieldSetup = `drop table if exists t; create table t (a int primary key, b varchar(5), c int check (c >= 0), d date); insert into t values (1, 'x', 1)`

// fieldsDiffer names, by script, what differs from PostgreSQL and why.
var fieldsDiffer = map[string]string{
	"insert into t (a, b) values (7)":            "P is that of the row, not of the column without a value",
	"select $1":                                  "has no P",
	"select lpad('a', 2000000000)":               "lpad is no SQL function here",
	"select * from t limit 1 limit 2":            "has words of its own",
	"select distinct on (b) a from t order by a": "P is that of ON, not of its expression",
}

// toldMore says that got has the fields of want, and perhaps a position, a hint, a table or
// a column where PostgreSQL tells none.
func toldMore(got, want string) bool {
	more, less := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(more) != len(less) {
		return false
	}
	for i := range more {
		extra := strings.Split(more[i], fieldGap)
		for _, f := range strings.Split(less[i], fieldGap) {
			at := slices.Index(extra, f)
			if at < 0 {
				return false
			}
			extra = slices.Delete(extra, at, at+1)
		}
		for _, f := range extra {
			if !strings.Contains("PHtc", f[:1]) || strings.Contains(less[i], fieldGap+f[:2]) {
				return false
			}
		}
	}
	return true
}

const fieldGap = " | "

// runFields runs a script and prints the fields of each error and notice that clients read.
func runFields(t *testing.T, addr, user, script string) string {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := newClient(t, nc)
	c.start(map[string]string{"user": user, "database": user})
	var out strings.Builder
	ready := func(say bool) {
		t.Helper()
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		for {
			m, err := c.Receive()
			if err != nil {
				t.Fatalf("%s: %v", script, err)
			}
			var e *pgproto3.ErrorResponse
			switch m := m.(type) {
			case *pgproto3.ErrorResponse:
				e = m
			case *pgproto3.NoticeResponse:
				e = (*pgproto3.ErrorResponse)(m)
			case *pgproto3.CopyInResponse:
				c.Send(&pgproto3.CopyDone{})
				c.Flush()
			case *pgproto3.ReadyForQuery:
				return
			}
			if e == nil || !say {
				continue
			}
			fmt.Fprintf(&out, strings.ReplaceAll("S=%s V=%s C=%s M=%s", " ", fieldGap), e.Severity, e.SeverityUnlocalized, e.Code, e.Message)
			for _, f := range []struct {
				name string
				v    string
			}{
				{"D", e.Detail}, {"H", e.Hint}, {"P", fmt.Sprint(e.Position)}, {"W", e.Where}, {"s", e.SchemaName}, {"t", e.TableName},
				{"c", e.ColumnName}, {"d", e.DataTypeName}, {"n", e.ConstraintName},
			} {
				if f.v != "" && f.v != "0" {
					fmt.Fprintf(&out, fieldGap+"%s=%s", f.name, f.v)
				}
			}
			if e.Routine == "RevalidateCachedQuery" { // the only one that clients go by
				out.WriteString(fieldGap + "R=" + e.Routine)
			}
			out.WriteByte('\n')
		}
	}
	c.Send(&pgproto3.Query{String: fieldSetup})
	ready(false)
	for _, step := range strings.Split(script, "|") {
		switch word, rest, _ := strings.Cut(step, ":"); word {
		case "prepare":
			c.Send(&pgproto3.Parse{Name: "s", Query: strings.TrimSpace(rest)})
			c.Send(&pgproto3.Sync{})
		case "run":
			name := "s"
			if rest != "" {
				name = strings.TrimSpace(rest)
			}
			c.Send(&pgproto3.Bind{PreparedStatement: name})
			c.Send(&pgproto3.Execute{})
			c.Send(&pgproto3.Sync{})
		case "sql":
			c.Send(&pgproto3.Query{String: strings.TrimSpace(rest)})
		default:
			c.Send(&pgproto3.Query{String: step})
		}
		ready(true)
	}
	return out.String()
}

// TestErrorFields compares the fields of errors and notices with PostgreSQL's.
func TestErrorFields(t *testing.T) {
	pc, err := pgconn.ParseConfig(pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	pg := fmt.Sprintf("%s:%d", pc.Host, pc.Port)
	_, addr, _ := tcpServer(t, Config{})
	for _, script := range fieldScripts {
		want, got := runFields(t, pg, "postgres", script), runFields(t, addr, "postgres", script)
		if why := fieldsDiffer[script]; why != "" {
			if toldMore(got, want) {
				t.Errorf("%s: does not differ any more", script)
			}
			continue
		}
		if !toldMore(got, want) {
			t.Errorf("%s: PostgreSQL has\n%swe have\n%s", script, want, got)
		}
	}
}
