package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

// cutKeys are keys of one column or several, whose rows cutRow makes.
var cutKeys = []struct{ columns, key, value, grows string }{
	{"a BIGINT, v INT", "a", "i", "a"},
	{"a VARCHAR, b INT, v INT", "a, b DESC", "'k' || i % 9, i", ""},
	{"a INT, ts TIMESTAMP, v INT", "a DESC, ts", "i % 5, TIMESTAMP '2025-01-01' + i * INTERVAL '1 minute'", "ts"},
	{"v INT", "", "", ""}, // no key is declared
}

// TestPartsAreTheTable cuts random tables into any number of parts. Together they are the table, each row
// is read once, and the buckets that a part reads are one, or whole ones that no other part reads.
func TestPartsAreTheTable(t *testing.T) {
	t.Logf("seed %d", *harness.Seed)
	for i := range seeds.Part(t, 2*len(harness.Salts)*len(cutKeys), seeds.Whole) {
		v := variant{[]string{"mem", "pebble"}[i%2], harness.Salts[i/2%len(harness.Salts)], false}
		of := cutKeys[i/2/len(harness.Salts)]
		t.Run(fmt.Sprintf("%s/%s", v, strings.ReplaceAll(of.key, " ", "")), func(t *testing.T) {
			cutTable(t, v, i, of.columns, of.key, of.value, of.grows)
		})
	}
}

func cutTable(t *testing.T, v variant, i int, columns, key, value, grows string) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(*harness.Seed, uint64(i)))
	db := v.open(t)
	c, err := engine{v, db}.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	off, err := engine{variant{v.store, v.salt, true}, db}.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer off.Close()
	if key != "" {
		columns += ", PRIMARY KEY (" + key + ")"
		value += ", "
	}
	rows := r.IntN(3000) + 1
	must(ctx, t, c, fmt.Sprintf("CREATE TABLE cut (%s) SALT_BUCKETS = %d", columns, v.salt))
	must(ctx, t, c, fmt.Sprintf("INSERT INTO cut SELECT %s i FROM generate_series(1, %d) AS i", value, rows))
	buckets := max(v.salt, 1)
	if grows != "" && v.salt < 200 {
		from := map[string]string{"a": strconv.Itoa(rows + 1), "ts": "TIMESTAMP '2026-01-01'"}[grows]
		must(ctx, t, c, fmt.Sprintf("ALTER TABLE cut SET SALT_BUCKETS = 8 FORWARD FROM (%s) ON (%s)", from, grows))
		more := strings.ReplaceAll(value, "2025", "2026")
		must(ctx, t, c, fmt.Sprintf("INSERT INTO cut SELECT %s i FROM generate_series(%d, %d) AS i", more, rows+1, 2*rows))
		rows, buckets = 2*rows, buckets+8
	}
	var last string
	for _, n := range []int{1, 2, 3, buckets, buckets + 1, 2*buckets + r.IntN(40)} {
		last = partsCover(ctx, t, c, n, rows, buckets)
		// A row by itself is told in which part it is as the spans tell.
		if a, b := must(ctx, t, c, "SELECT v FROM cut WHERE "+last), must(ctx, t, off, "SELECT v FROM cut WHERE "+last); !slices.Equal(sortedColumn(a), sortedColumn(b)) {
			t.Fatalf("%s gives %d rows by spans, %d row by row", last, len(a), len(b))
		}
	}
	must(ctx, t, c, fmt.Sprintf("ALTER TABLE cut SET SALT_BUCKETS = %d", (v.salt+5)%200))
	if _, _, err := c.Exec(ctx, "SELECT v FROM cut WHERE "+last); state(err) != "55000" {
		t.Fatalf("a part of before the salt was changed: %v", err)
	}
	partsCover(ctx, t, c, 7, rows, (v.salt+5)%200)
}

// partsCover reads a table in n parts, and gives the predicate of one.
func partsCover(ctx context.Context, t *testing.T, c slt.Conn, n, rows, buckets int) (predicate string) {
	t.Helper()
	list := must(ctx, t, c, fmt.Sprintf("SELECT predicate, bucket FROM saltsql.parts('cut', %d) ORDER BY part", n))
	if len(list) > n || len(list) < min(n, buckets) {
		t.Fatalf("%d parts were asked for, of %d buckets: there are %d", n, buckets, len(list))
	}
	var all []string
	bucketsRead := 0
	for _, p := range list {
		predicate = *p[0]
		got := must(ctx, t, c, "SELECT v FROM cut WHERE "+predicate)
		all = append(all, sortedColumn(got)...)
		read, _, in := work(ctx, t, c, "SELECT v FROM cut WHERE "+predicate)
		if read != len(got) {
			t.Fatalf("%s reads %d rows for %d", predicate, read, len(got))
		}
		if p[1] != nil && in > 1 {
			t.Fatalf("%s is of bucket %s, and reads %d", predicate, *p[1], in)
		}
		bucketsRead += in
		if few := must(ctx, t, c, "SELECT v FROM cut WHERE v % 2 = 0 AND "+predicate); len(few) > len(got) {
			t.Fatalf("%d rows of %d", len(few), len(got))
		}
	}
	if n <= buckets && bucketsRead > max(buckets, 1) {
		t.Fatalf("%d parts of %d buckets read %d", n, buckets, bucketsRead)
	}
	slices.Sort(all)
	if len(all) != rows || len(slices.Compact(all)) != rows {
		t.Fatalf("%d parts have %d rows, the table %d", n, len(all), rows)
	}
	return predicate
}

func sortedColumn(rows [][]*string) []string {
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = *rows[i][0]
	}
	slices.Sort(out)
	return out
}
