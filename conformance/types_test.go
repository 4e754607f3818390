package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
)

// typeCase is one SQL type with values as Postgres prints them, extremes
// included, in ascending order.
type typeCase struct {
	decl   string
	values []string
	noKey  bool // not storable in a key
}

// manyTypes covers the table of storable types.
var manyTypes = []typeCase{
	{decl: "BOOLEAN", values: []string{"f", "t"}},
	{decl: "SMALLINT", values: []string{"-32768", "-1", "0", "1", "32767"}},
	{decl: "TINYINT", values: []string{"-128", "-1", "0", "127"}},
	{decl: "INTEGER", values: []string{"-2147483648", "-1", "0", "1", "2147483647"}},
	{decl: "BIGINT", values: []string{"-9223372036854775808", "-1", "0", "1", "9223372036854775807"}},
	{decl: "UNSIGNED_TINYINT", values: []string{"0", "1", "127"}},
	{decl: "UNSIGNED_SMALLINT", values: []string{"0", "1", "32767"}},
	{decl: "UNSIGNED_INT", values: []string{"0", "1", "2147483647"}},
	{decl: "UNSIGNED_LONG", values: []string{"0", "1", "9223372036854775807"}},
	{decl: "REAL", values: []string{"-Infinity", "-3.4028235e+38", "-1.5", "0", "1e-45", "1.5", "3.4028235e+38", "Infinity", "NaN"}},
	{decl: "DOUBLE PRECISION", values: []string{"-Infinity", "-1.7976931348623157e+308", "-1.5", "0", "5e-324", "0.1", "1.7976931348623157e+308", "Infinity", "NaN"}},
	{decl: "NUMERIC", values: []string{"-99999999999999999999999999999999999999", "-1.5", "0", "0.00000000000000000001", "1.25", "99999999999999999999999999999999999999"}},
	{decl: "NUMERIC(10,2)", values: []string{"-99999999.99", "-1.50", "0.00", "0.01", "100.00", "99999999.99"}},
	{decl: "VARCHAR", values: []string{"", "\x01", " ", "A", "a", "a b", "ab", `b\c"d'`, "héllo", "日本", "😀"}},
	{decl: "VARCHAR(3)", values: []string{"", "abc", "日本語"}},
	{decl: "TEXT", values: []string{"", "line\nbreak", "tab\there", strings.Repeat("x", 1000)}},
	{decl: "CHAR(4)", values: []string{"    ", "a   ", "ab  ", "abcd"}},
	{decl: "BYTEA", values: []string{`\x`, `\x00`, `\x0000`, `\x0001`, `\x00ff`, `\x01`, `\xff`, `\xff00`, `\xffff`}},
	{decl: "VARBINARY", values: []string{`\x00`, `\xff`}},
	{decl: "BINARY(3)", values: []string{`\x000000`, `\x010203`, `\xffffff`}},
	{decl: "UUID", values: []string{"00000000-0000-0000-0000-000000000000", "12345678-9abc-def0-1234-56789abcdef0", "ffffffff-ffff-ffff-ffff-ffffffffffff"}},
	{decl: "DATE", values: []string{"-infinity", "4713-01-01 BC", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31", "5874897-12-31", "infinity"}},
	{decl: "TIME", values: []string{"00:00:00", "00:00:00.000001", "12:34:56.789012", "23:59:59.999999", "24:00:00"}},
	{decl: "TIME(3)", values: []string{"00:00:00", "12:34:56.789", "23:59:59.999"}},
	{decl: "INTERVAL", values: []string{"-178956970 years -8 mons", "-1 mons +30 days", "00:00:00", "30 days", "1 mon", "1 mon -00:00:00.000001", "178956970 years 7 mons 2147483647 days 2562047788:00:54.775807"}, noKey: true},
	{decl: "NUMERIC", values: []string{"-Infinity", "-123456789012345678901234567890123456789012345.678", "-1234567890123456789012345678901234567890", "0", "0.000000000000000000000000000000000000000000123", "123456789012345678901234567890123456789012345.678", "1" + strings.Repeat("0", 200), "Infinity", "NaN"}},
	{decl: "TIMESTAMP", values: []string{"-infinity", "4713-01-01 00:00:00 BC", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2024-02-29 12:00:00.000001", "9999-12-31 23:59:59.999999", "294246-12-31 23:59:59.999999", "infinity"}},
	{decl: "TIMESTAMPTZ", values: []string{"-infinity", "1969-12-31 23:59:59.999999+00", "1970-01-01 00:00:00+00", "2024-02-29 12:00:00.000001+00", "infinity"}},
	{decl: "JSON", values: []string{`{"a": 1,  "b": [true, null]}`, `"x"`, `1.50`}, noKey: true},
	{decl: "JSONB", values: []string{`{"a": 1, "b": [true, null]}`, `"x"`, `1.50`}, noKey: true},
	{decl: "JSONPATH", values: []string{`$`, `$."a"[*]?(@ > 1)`, `strict ($."b" == "x")`}, noKey: true},
	{decl: "INTEGER[]", values: []string{"{}", "{1,2,3}", "{-2147483648,2147483647}"}, noKey: true},
	{decl: "VARCHAR[]", values: []string{"{}", "{a,NULL,b}", `{"a b","",NULL}`, `{"x\"y\\z"}`}, noKey: true},
	{decl: "SMALLINT[]", values: []string{"{{1,2},{3,NULL}}", "{NULL}", "{{{1}}}"}, noKey: true},
	{decl: "BOOLEAN[]", values: []string{"{t,NULL}", "{{t},{f}}"}, noKey: true},
	{decl: "TEXT[]", values: []string{"{{a,NULL},{b,\"\"}}"}, noKey: true},
	{decl: "INTERVAL[]", values: []string{`{"1 mon",NULL,"30 days"}`}, noKey: true},
	{decl: "TIMESTAMP[]", values: []string{`{"2024-01-01 00:00:00"}`}, noKey: true},
}

// TestTypes puts every type, as key ASC, key DESC and column, through psql, pgx
// in text and in binary, and COPY in its three formats.
func TestTypes(t *testing.T) {
	t.Parallel()
	db := variant{store: "pebble", salt: 4}.open(t)
	host, port := harness.Serve(t, db)
	conn := harness.Connect(t, host, port)
	for i, c := range manyTypes {
		t.Run(c.decl, func(t *testing.T) {
			table := fmt.Sprintf("ty%d", i)
			roundTrip(t, db, conn, host, port, table, c)
		})
	}
}

func roundTrip(t *testing.T, db *saltsql.DB, conn *pgx.Conn, host string, port int, table string, c typeCase) {
	ctx := context.Background()
	must := func(sql string) {
		t.Helper()
		if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			t.Fatalf("%s\n%v", sql, err)
		}
	}
	// n keeps rows apart where the type cannot be a key.
	ddl := func(name string) string {
		if c.noKey {
			return fmt.Sprintf("CREATE TABLE %s (n INT, v %s, PRIMARY KEY (n)) SALT_BUCKETS = 4", name, c.decl)
		}
		return fmt.Sprintf("CREATE TABLE %s (n INT, a %s, d %s, v %s, PRIMARY KEY (a, d DESC)) SALT_BUCKETS = 4", name, c.decl, c.decl, c.decl)
	}
	cols := 3
	if c.noKey {
		cols = 1
	}
	must(ddl(table))
	for n, v := range c.values {
		lits := strings.Repeat(", "+quote(v), cols)
		must(fmt.Sprintf("INSERT INTO %s VALUES (%d%s)", table, n, lits))
	}
	if !c.noKey {
		// NULL in the column, under a key that is not there yet.
		must(fmt.Sprintf("INSERT INTO %s (n, a, d) VALUES (1000, %s, %s) ON CONFLICT DO NOTHING", table, quote(c.values[0]), quote(c.values[len(c.values)-1])))
	} else {
		must(fmt.Sprintf("INSERT INTO %s (n) VALUES (1000)", table))
	}
	all := fmt.Sprintf("SELECT * FROM %s ORDER BY n", table)
	want := textRows(t, conn, all)
	checkValues(t, c, want, cols)

	if !c.noKey {
		for _, order := range []string{"a, d DESC", "a DESC, d"} {
			asc := textRows(t, conn, fmt.Sprintf("SELECT n FROM %s WHERE n < 1000 ORDER BY %s", table, order))
			for i := range asc {
				n := i
				if order != "a, d DESC" {
					n = len(asc) - 1 - i
				}
				if asc[i] != fmt.Sprint(n) {
					t.Errorf("ORDER BY %s: row %d is n=%s, want %d", order, i, asc[i], n)
				}
			}
		}
		for n, v := range c.values {
			got := textRows(t, conn, fmt.Sprintf("SELECT n FROM %s WHERE a = %s AND d = %s", table, quote(v), quote(v)))
			if len(got) != 1 || got[0] != fmt.Sprint(n) {
				t.Errorf("point read of %q gives %q, want %d", v, got, n)
			}
		}
	}
	pgxBinary(t, conn, table, c, all, want, ddl)
	copies(t, conn, table, all, want, ddl)
	psql(t, host, port, all, want)
	must("DROP TABLE " + table)
}

func quote(v string) string { return "'" + strings.ReplaceAll(v, "'", "''") + "'" }

// textRows gives rows as the simple protocol prints them, columns joined by |.
func textRows(t *testing.T, conn *pgx.Conn, sql string) []string {
	t.Helper()
	res, err := conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
	var out []string
	for _, row := range res[len(res)-1].Rows {
		out = append(out, joinRow(row))
	}
	return out
}

func joinRow(row [][]byte) string {
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = string(v)
		if v == nil {
			cells[i] = "<NULL>"
		}
	}
	return strings.Join(cells, "|")
}

func checkValues(t *testing.T, c typeCase, rows []string, cols int) {
	for n, v := range c.values {
		want := fmt.Sprint(n) + strings.Repeat("|"+v, cols)
		if rows[n] != want {
			t.Errorf("row %d is %q, want %q", n, rows[n], want)
		}
	}
	if last := rows[len(rows)-1]; !strings.HasSuffix(last, "<NULL>") {
		t.Errorf("the row with a NULL is %q", last)
	}
}

// pgxBinary reads all rows in binary, writes them as binary parameters into a
// second table, and expects the same texts there.
func pgxBinary(t *testing.T, conn *pgx.Conn, table string, c typeCase, all string, want []string, ddl func(string) string) {
	ctx := context.Background()
	second := table + "_bin"
	harness.MustExec(t, conn, ddl(second))
	defer harness.MustExec(t, conn, "DROP TABLE "+second)
	pc := conn.PgConn()
	rr := pc.ExecParams(ctx, all, nil, nil, nil, []int16{1})
	res := rr.Read()
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	for _, row := range res.Rows {
		marks, formats := make([]string, len(row)), make([]int16, len(row))
		for i := range row {
			marks[i], formats[i] = fmt.Sprintf("$%d", i+1), 1
		}
		sql := fmt.Sprintf("INSERT INTO %s VALUES (%s)", second, strings.Join(marks, ", "))
		if r := pc.ExecParams(ctx, sql, row, nil, formats, nil).Read(); r.Err != nil {
			t.Fatalf("%s of %x: %v", sql, row, r.Err)
		}
	}
	got := textRows(t, conn, strings.Replace(all, table, second, 1))
	compareRows(t, "binary", got, want)
	// The driver's own types, in the extended protocol.
	rows, err := conn.Query(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			t.Errorf("pgx cannot read row %d of %s: %v", n, c.decl, err)
		}
		n++
	}
	if err := rows.Err(); err != nil || n != len(want) {
		t.Errorf("pgx read %d rows, want %d: %v", n, len(want), err)
	}
}

// copies sends the rows out and in again in every format of COPY.
func copies(t *testing.T, conn *pgx.Conn, table, all string, want []string, ddl func(string) string) {
	ctx := context.Background()
	for _, format := range []string{"text", "csv", "binary"} {
		second := table + "_" + format
		harness.MustExec(t, conn, ddl(second))
		var data bytes.Buffer
		tag, err := conn.PgConn().CopyTo(ctx, &data, fmt.Sprintf("COPY %s TO STDOUT WITH (FORMAT %s)", table, format))
		if err != nil || tag.RowsAffected() != int64(len(want)) {
			t.Fatalf("COPY TO %s: %v, %v", format, tag, err)
		}
		tag, err = conn.PgConn().CopyFrom(ctx, &data, fmt.Sprintf("COPY %s FROM STDIN WITH (FORMAT %s)", second, format))
		if err != nil || tag.RowsAffected() != int64(len(want)) {
			t.Fatalf("COPY FROM %s: %v, %v", format, tag, err)
		}
		compareRows(t, "COPY "+format, textRows(t, conn, strings.Replace(all, table, second, 1)), want)
		harness.MustExec(t, conn, "DROP TABLE "+second)
	}
}

func psql(t *testing.T, host string, port int, sql string, want []string) {
	path, err := exec.LookPath("psql")
	if err != nil {
		t.Log("psql is not installed: not compared")
		return
	}
	cmd := childproc.Command(path, "-X", "-h", host, "-p", fmt.Sprint(port), "-U", "tester", "-d", "saltsql",
		"-A", "-t", "-P", "null=<NULL>", "-F", "|", "-R", "\x1e", "-c", sql)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	compareRows(t, "psql", strings.Split(strings.TrimSuffix(string(out), "\n"), "\x1e"), want)
}

func compareRows(t *testing.T, how string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", how, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: row %d is %q, want %q", how, i, got[i], want[i])
		}
	}
}
