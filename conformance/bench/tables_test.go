package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// manyTables is how many tables the catalog of BenchmarkManyTables has.
const manyTables = 5000

// BenchmarkManyTables opens a store of many tables, and has psql describe one and list all; the
// start of psql and its connection, which "nothing" measures, is part of each.
func BenchmarkManyTables(b *testing.B) {
	psql := filepath.Join(pgtest.BinDir(), "psql")
	if _, err := os.Stat(psql); err != nil {
		b.Skip("no psql: ", err)
	}
	ctx := context.Background()
	dir := b.TempDir()
	db, st := openBoth(b, dir, &saltsql.Options{Logger: quiet, NoEstimates: true})
	s := session(b, db)
	for i := range manyTables {
		if _, err := s.Exec(ctx, fmt.Sprintf("CREATE TABLE t%[1]d (k INT PRIMARY KEY, v VARCHAR(50) NOT NULL DEFAULT 'x', n NUMERIC(10, 2), CHECK (n > 0)) SALT_BUCKETS = 4; CREATE INDEX t%[1]d_v ON t%[1]d (v)", i)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s.Close()
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			var err error
			if db, err = saltsql.Open(ctx, st, &saltsql.Options{Logger: quiet, NoEstimates: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
	c := dial(b, db).Config()
	for _, is := range []struct{ name, command string }{{"nothing", `\echo`}, {"describe", `\d t2500`}, {"list", `\dt`}, {"indexes", `\di`}, {"describe-all", `\d+ t25*`}} {
		b.Run(is.name, func(b *testing.B) {
			for b.Loop() {
				cmd := childproc.Command(psql, "-X", "-h", c.Host, "-p", fmt.Sprint(c.Port), "-U", c.User, "-d", c.Database, "-c", is.command)
				cmd.Env = append(os.Environ(), "PGSSLMODE=disable")
				out, err := cmd.CombinedOutput()
				if err != nil || strings.Contains(string(out), "ERROR") {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}
