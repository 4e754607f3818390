package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
)

func codeOf(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Code
	}
	return fmt.Sprint(err)
}

// TestBadInput sends what no client should. Each gets its SQLSTATE, nothing is
// lost, and another session never notices.
func TestBadInput(t *testing.T) {
	db := variant{store: "pebble", salt: 4}.open(t)
	host, port := harness.Serve(t, db)
	good := harness.Connect(t, host, port)
	harness.MustExec(t, good, "CREATE TABLE g (k VARCHAR PRIMARY KEY, v INT) SALT_BUCKETS = 4")
	harness.MustExec(t, good, "INSERT INTO g VALUES ('a', 1)")
	alive := func() {
		t.Helper()
		var n int
		if err := good.QueryRow(context.Background(), "SELECT v FROM g WHERE k = 'a'").Scan(&n); err != nil || n != 1 {
			t.Fatalf("the other session is hurt: %d, %v", n, err)
		}
	}
	for _, c := range []struct{ name, sql, code string }{
		{"unknown option", "CREATE TABLE x (a INT PRIMARY KEY) SALT_BUKKETS = 4", "22023"},
		{"257 buckets", "CREATE TABLE x (a INT PRIMARY KEY) SALT_BUCKETS = 257", "22023"},
		{"long key", "INSERT INTO g VALUES (repeat('k', 5000), 1)", "54000"},
		{"zero byte", `INSERT INTO g VALUES (E'a\000b', 1)`, "22021"},
		{"bad UTF-8", `INSERT INTO g VALUES (E'\xff', 1)`, "22021"},
		{"deep parentheses", "SELECT " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000), "54001"},
		{"deep array", "SELECT '" + strings.Repeat("{", 10_000) + strings.Repeat("}", 10_000) + "'::int[]", "54000"},
		{"typo", "SELEC 1", "42601"},
		{"unterminated", "SELECT 'abc", "42601"},
		{"two statements", "SELECT 1; SELEC 2", "42601"},
		{"division", "SELECT 1/0", "22012"},
		{"overflow", "SELECT 2147483647 + 1", "22003"},
		{"empty key", "INSERT INTO g VALUES ('', 1)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := harness.Connect(t, host, port).PgConn().Exec(context.Background(), c.sql).ReadAll()
			if c.code == "" && err == nil {
				return
			}
			if codeOf(err) != c.code {
				t.Errorf("got %v, want %s", err, c.code)
			}
			alive()
		})
	}
	t.Run("10 MB statement", func(t *testing.T) {
		sql := "SELECT length('" + strings.Repeat("x", 10<<20) + "')"
		res, err := harness.Connect(t, host, port).PgConn().Exec(context.Background(), sql).ReadAll()
		if err != nil || string(res[0].Rows[0][0]) != fmt.Sprint(10<<20) {
			t.Errorf("%v", err)
		}
		alive()
	})
	t.Run("binary lengths", func(t *testing.T) {
		pc := harness.Connect(t, host, port).PgConn()
		for _, bad := range [][]byte{{}, {1}, {1, 2, 3}, {0, 0, 0, 0, 1}} {
			r := pc.ExecParams(context.Background(), "SELECT $1::int", [][]byte{bad}, nil, []int16{1}, nil).Read()
			if code := codeOf(r.Err); code != "22P03" && code != "08P01" {
				t.Errorf("int4 of %d bytes: %v", len(bad), r.Err)
			}
		}
		alive()
	})
	t.Run("text parameter", func(t *testing.T) {
		pc := harness.Connect(t, host, port).PgConn()
		for _, bad := range []string{"\xff", "a\x00b"} {
			r := pc.ExecParams(context.Background(), "SELECT $1::text", [][]byte{[]byte(bad)}, nil, nil, nil).Read()
			if codeOf(r.Err) != "22021" {
				t.Errorf("%q: %v", bad, r.Err)
			}
		}
	})
	t.Run("bad line in COPY", func(t *testing.T) { badCopy(t, host, port); alive() })
	t.Run("truncated and garbage messages", func(t *testing.T) { garbage(t, host, port); alive() })
}

// badCopy wants the line of the fault, and no row.
func badCopy(t *testing.T, host string, port int) {
	c := harness.Connect(t, host, port)
	harness.MustExec(t, c, "CREATE TABLE bc (k INT PRIMARY KEY, v INT) SALT_BUCKETS = 4")
	var b bytes.Buffer
	for i := 1; i <= 80_000; i++ {
		if i == 70_000 {
			b.WriteString("70000\tseventy\n")
			continue
		}
		fmt.Fprintf(&b, "%d\t%d\n", i, i)
	}
	_, err := c.PgConn().CopyFrom(context.Background(), &b, "COPY bc FROM STDIN")
	var pe *pgconn.PgError
	if !errors.As(err, &pe) || pe.Code != "22P02" || pe.Where != `COPY bc, line 70000, column v: "seventy"` {
		t.Errorf("got %v, where %q", err, pe.Where)
	}
	if got := textRows(t, c, "SELECT count(*) FROM bc"); got[0] != "0" {
		t.Errorf("%s rows are left", got[0])
	}
}

// garbage opens raw connections and breaks the protocol in several ways.
func garbage(t *testing.T, host string, port int) {
	startup := startupMessage()
	for _, bytes := range [][]byte{
		{}, {0}, {0, 0, 0, 4}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 8, 1, 2, 3, 4},
		startup[:10], append(startup[:len(startup):len(startup)], 'Q', 0, 0, 0, 3),
		append(startup[:len(startup):len(startup)], 'Q', 0xff, 0xff, 0xff, 0xff),
		append(startup[:len(startup):len(startup)], 'B', 0, 0, 0, 6, 0, 0),
		append(startup[:len(startup):len(startup)], 'Q', 0, 0, 0, 9, 'S', 'E', 'L'),
		append(startup[:len(startup):len(startup)], 0, 0, 0, 0, 4),
		append(startup[:len(startup):len(startup)], 'P', 0, 0, 0, 8, 'a', 'b', 'c', 'd'),
	} {
		nc, err := net.Dial("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = nc.Write(bytes)
		_ = nc.(*net.TCPConn).CloseWrite()
		_ = nc.SetReadDeadline(time.Now().Add(harness.Patience))
		if _, err := io.Copy(io.Discard, nc); err != nil {
			var ne net.Error
			if errors.As(err, &ne) && ne.Timeout() {
				t.Errorf("%x: the server hangs", bytes)
			}
		}
		nc.Close()
	}
}

func startupMessage() []byte {
	body := binary.BigEndian.AppendUint32(nil, 196608)
	body = append(body, "user\x00tester\x00database\x00saltsql\x00\x00"...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
}
