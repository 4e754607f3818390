package wire

import (
	"flag"
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"
)

var postgresAddr = flag.String("postgres", "", "host:port of a PostgreSQL that trusts user postgres, to compare with")

var tableOID = regexp.MustCompile(`table=[1-9]\d*\.`)

// TestSQL runs the scripts of testdata/sql, which are like those of
// testdata/protocol in SQL, on a DB. With -postgres they run on a PostgreSQL, which
// must give the same answers, but for table OIDs.
func TestSQL(t *testing.T) {
	datadriven.Walk(t, "testdata/sql", func(t *testing.T, path string) {
		addr, user := *postgresAddr, "postgres"
		if addr == "" {
			_, addr, _ = tcpServer(t, Config{})
			user = "saltsql"
		}
		var faults []string
		var c *client
		dial := func() {
			nc, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			c = newClient(t, nc)
			c.start(map[string]string{"user": user, "database": user})
		}
		dial()
		if *postgresAddr != "" {
			c.Send(&pgproto3.Query{String: "drop table if exists t"})
			c.until("ReadyForQuery")
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			until := "ReadyForQuery"
			d.MaybeScanArgs(t, "until", &until)
			if d.Cmd == "connect" {
				dial()
				return ""
			}
			sendScript(t, d, c)
			got := tableOID.ReplaceAllString(c.until(until), "table=T.")
			if *postgresAddr == "" {
				return got
			}
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
