package copyfmt

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/pgtest"
)

// differs names the cases where PostgreSQL says something else, and why that is
// meant.
var differs = map[string]string{
	"COPY encoding \"latin1\" is not":           "one encoding",
	"a field of COPY data is longer":            "Postgres has its own limit, 1 GB, and says out of memory",
	"EOF in COPY data\nwhere: COPY t, line 1\n": "Postgres takes half a field count for the end",
	"\"nothere\" not referenced by COPY":        "Postgres tells other columns of the table from no columns",
}

var rowNumber = regexp.MustCompile(`(?m)^\d+: `)

// TestPostgres runs the cases of testdata/read on a real PostgreSQL: rows and
// errors must be the same, but for the line numbers of rows, which COPY does not tell.
func TestPostgres(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var faults []string // datadriven stops at a failure, so they wait
	for _, file := range []string{"text", "csv", "binary", "options"} {
		columns, options := "a int4, b text", ""
		datadriven.RunTest(t, "testdata/read/"+file, func(t *testing.T, d *datadriven.TestData) string {
			var data []byte
			direction := "from stdin"
			switch d.Cmd {
			case "columns":
				columns = d.Input
				return ""
			case "options":
				options = d.Input
				if file != "options" {
					return d.Expected
				}
				if data = nil; strings.Contains(options, "binary") {
					data = []byte(signature + "\x00\x00\x00\x00\x00\x00\x00\x00")
				}
			case "to-options":
				options, direction = d.Input, "to stdout"
			default:
				data = caseData(t, d)
			}
			got := copyOn(t, conn, columns, options, direction, data)
			want := rowNumber.ReplaceAllString(d.Expected, "")
			if d.Cmd != "data" && d.Cmd != "hex" && !strings.HasPrefix(got, "error") {
				got = "ok\n"
			}
			for message := range differs {
				if strings.Contains(want, message) {
					return d.Expected
				}
			}
			if at := strings.Index(want, "error"); strings.HasPrefix(got, "error") && at > 0 {
				want = want[at:] // Postgres keeps none of the rows before a fault
			}
			if got != want {
				faults = append(faults, fmt.Sprintf("%s: PostgreSQL gives\n%swe give\n%s", d.Pos, got, want))
			}
			return d.Expected
		})
	}
	if len(faults) > 0 {
		t.Error(strings.Join(faults, "\n"))
	}
}

func copyOn(t *testing.T, conn *pgx.Conn, columns, options, direction string, data []byte) string {
	ctx := context.Background()
	// In the transaction that made the table, as FREEZE wants it.
	sql := "begin; create temp table t (" + columns + ")"
	if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	defer conn.Exec(ctx, "rollback")
	var list []string
	for _, w := range strings.Fields(options) {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case !ok, value == "*", strings.HasPrefix(value, "("):
		case len(value) > 1 && value[0] == '\'':
			value = strings.NewReplacer("TAB", "\\t", "NL", "\\n").Replace("e" + value)
		default:
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		list = append(list, name+" "+value)
	}
	sql = "copy t " + direction
	if len(list) > 0 {
		sql += " with (" + strings.Join(list, ", ") + ")"
	}
	var err error
	if direction == "to stdout" {
		_, err = conn.PgConn().CopyTo(ctx, &strings.Builder{}, sql)
	} else {
		_, err = conn.PgConn().CopyFrom(ctx, strings.NewReader(string(data)), sql)
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		s := fmt.Sprintf("error %s: %s\n", e.Code, e.Message)
		if e.Hint != "" {
			s += "hint: " + e.Hint + "\n"
		}
		if e.Where != "" {
			s += "where: " + e.Where + "\n"
		}
		return s
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(ctx, "select * from t", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		for i, v := range rows.RawValues() {
			if i > 0 {
				out.WriteByte(' ')
			}
			if v == nil {
				out.WriteString("NULL")
			} else {
				fmt.Fprintf(&out, "%q", v)
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}
