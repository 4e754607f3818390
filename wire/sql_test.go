package wire

import (
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/pgtest"
)

var tableOID = regexp.MustCompile(`table=[1-9]\d*\.`)

// TestSQL runs the scripts of testdata/sql, which are like those of testdata/protocol in
// SQL, on a DB.
func TestSQL(t *testing.T) {
	datadriven.Walk(t, "testdata/sql", func(t *testing.T, path string) {
		_, addr, _ := tcpServer(t, Config{})
		runSQL(t, path, addr, "saltsql", func(_ *datadriven.TestData, got string) string { return got })
	})
}

// TestSQLPostgres runs the scripts of TestSQL on a PostgreSQL, which must give the same
// answers but for table OIDs, and but for the cases that have the argument differs.
func TestSQLPostgres(t *testing.T) {
	pc, err := pgconn.ParseConfig(pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	addr := net.JoinHostPort(pc.Host, fmt.Sprint(pc.Port))
	datadriven.Walk(t, "testdata/sql", func(t *testing.T, path string) {
		c := dialSQL(t, addr, pc.User)
		c.Send(&pgproto3.Query{String: "drop schema public cascade; create schema public"})
		c.until("ReadyForQuery")
		var faults []string // datadriven stops at a failure, so they wait
		runSQL(t, path, addr, pc.User, func(d *datadriven.TestData, got string) string {
			if !d.HasArg("differs") && got != d.Expected {
				faults = append(faults, fmt.Sprintf("%s: PostgreSQL gives\n%swe give\n%s", d.Pos, got, d.Expected))
			}
			return d.Expected
		})
		if len(faults) > 0 {
			t.Error(strings.Join(faults, "\n"))
		}
	})
}

func dialSQL(t *testing.T, addr, user string) *client {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, nc)
	c.start(map[string]string{"user": user, "database": user})
	return c
}

// runSQL runs a script; answer gives what stands for a case's answer in the file.
func runSQL(t *testing.T, path, addr, user string, answer func(d *datadriven.TestData, got string) string) {
	c := dialSQL(t, addr, user)
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		until := "ReadyForQuery"
		d.MaybeScanArgs(t, "until", &until)
		if d.Cmd == "connect" {
			c = dialSQL(t, addr, user)
			return ""
		}
		sendScript(t, d, c)
		return answer(d, tableOID.ReplaceAllString(c.until(until), "table=T."))
	})
}
