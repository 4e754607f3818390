package session_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/storage/mem"
)

// TestHotKeys has some keys, and some first columns, get more than others: of points, of scans, of writes,
// in the table and in an index whose parts may be NULL.
func TestHotKeys(t *testing.T) {
	for _, salt := range []string{"", " SALT_BUCKETS = 4", " SALT_BUCKETS = 4, SALT_COLUMNS = (tenant)"} {
		r := newHeatRig(t, mem.New(), 0)
		r.run("CREATE TABLE h (tenant text, n int, label text, PRIMARY KEY (tenant, n DESC))" + salt)
		r.run("CREATE INDEX hl ON h (lower(label))")
		r.run("INSERT INTO h SELECT CASE WHEN g % 2 = 0 THEN 'ac,me' ELSE 't' || g END, g, CASE WHEN g % 3 = 0 THEN 'A\"B' END FROM generate_series(1, 1000) g")
		for range 50 {
			r.run("SELECT * FROM h WHERE tenant = 'ac,me' AND n = 500")
			r.run("SELECT * FROM h WHERE tenant = 't7' AND n = 8")
		}
		r.run("SELECT count(label) FROM h WHERE tenant = 'ac,me'")
		got := r.run(`SELECT index_name, kind, prefix, key, count, error, round(share::numeric, 3), bucket IS NULL FROM saltsql.hot_keys
			WHERE table_name = 'h' AND share > 0.3 ORDER BY index_name, kind, prefix, count DESC, key`)
		across := fmt.Sprint(salt != " SALT_BUCKETS = 4, SALT_COLUMNS = (tenant)")[:1]
		one := fmt.Sprint(salt == "")[:1]
		want := []string{
			`|hl|write|1|{"a\"b"}|333|0|0.333|t`,
			`|hl|write|1|{NULL}|667|0|0.667|t`,
			`|hl|write|2|{NULL,"ac,me"}|334|0|0.334|t`,
			`||point|1|{"ac,me"}|50|0|0.500|` + one,
			`||point|1|{t7}|50|0|0.500|` + one,
			`||point|2|{"ac,me",500}|50|0|0.500|` + one,
			`||point|2|{t7,8}|50|0|0.500|` + one,
			`||scan|1|{"ac,me"}|500|0|1.000|` + across,
			`||write|1|{"ac,me"}|500|0|0.500|` + across,
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: hot keys are\n%q\nwant\n%q", salt, got, want)
		}
	}
}
