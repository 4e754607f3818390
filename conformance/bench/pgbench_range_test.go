package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/pgtest"
)

// BenchmarkPgbenchRange is BenchmarkPgbench for 10 and 100 neighbouring rows in key order,
// prepared, with 0, 16 and 64 buckets. Each has a floor of its own: a bare pgproto3 loop
// around an iterator that is moved to each bucket's part of the range.
func BenchmarkPgbenchRange(b *testing.B) {
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		b.Skip("no pgbench: ", err)
	}
	type server struct {
		name string
		conn *pgx.Conn
		used func() time.Duration // processor time
	}
	pg := postgres(b, pointRows)
	servers := []server{{"postgres", pg, backendsTime(pg)}}
	for _, salt := range []int{0, 16, 64} {
		db := openDB(b, b.TempDir())
		load(b, db, "t", salt, pointRows)
		servers = append(servers, server{fmt.Sprintf("salt-%d", salt), dial(b, db), ownTime})
	}
	floor := bare(b, b.TempDir(), pointRows)
	fields := slices.Insert(slices.Clone(pointFields), 0, pgproto3.FieldDescription{Name: []byte("k"), DataTypeOID: 20, DataTypeSize: 8, TypeModifier: -1})
	for _, n := range []int{10, 100} {
		all := servers
		for _, parts := range []int{1, 16, 64} {
			all = append(all, server{fmt.Sprintf("floor-%d", parts), serveFloor(b, fields, rangeFinder(floor, n, parts)), ownTime})
		}
		for _, f := range rangeForms(n) {
			for _, clients := range []int{1, 8} {
				for _, s := range all {
					b.Run(fmt.Sprintf("%d/%s/clients-%d/%s", n, f.name, clients, s.name), func(b *testing.B) {
						was := s.used()
						pgbench(b, bin, s.conn.Config(), rangeScript(f, n), "prepared", clients)
						perOp(b, s.used()-was, "server-µs")
					})
				}
			}
		}
	}
}

// rangeScript is a form's statement for pgbench.
func rangeScript(f rangeForm, n int) string {
	sql := pgbenchParams(f.sql, "k", "hi")
	return fmt.Sprintf("\\set k random(0, %d)\n\\set hi :k + %d\n%s;\n", pointRows-101, n, sql)
}

// pgbenchParams writes $1, $2, … as pgbench's variables.
func pgbenchParams(sql string, names ...string) string {
	for i, name := range names {
		sql = strings.ReplaceAll(sql, fmt.Sprintf("$%d", i+1), ":"+name)
	}
	return sql
}
