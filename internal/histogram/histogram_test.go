package histogram

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// world is a table of skewed rows: host (text, a few with most rows), day, seq.
type world struct {
	schema *rowcodec.KeySchema
	rows   []worldRow // in the order of the keys
}

type worldRow struct {
	key  []byte
	host string
	day  int64
}

func newWorld(t *testing.T, r *rand.Rand, n, hosts, buckets int, saltColumns []int) *world {
	t.Helper()
	w := &world{schema: &rowcodec.KeySchema{Table: "t", Buckets: buckets, SaltColumns: saltColumns, Columns: []rowcodec.KeyColumn{
		{Name: "host", Column: rowcodec.Column{Type: rowcodec.Varchar, SQL: types.Of(types.Text)}},
		{Name: "day", Column: rowcodec.Column{Type: rowcodec.Integer, SQL: types.Of(types.Int4)}},
		{Name: "seq", Column: rowcodec.Column{Type: rowcodec.BigInt, SQL: types.Of(types.Int8)}},
	}}}
	for i := range n {
		row := worldRow{host: fmt.Sprintf("host-%04d", int(float64(hosts)*r.Float64()*r.Float64()*r.Float64())), day: int64(r.IntN(100))}
		key, err := w.schema.AppendKey(nil, []types.Datum{types.NewBytes([]byte(row.host)), types.NewInt(row.day), types.NewInt(int64(i))})
		if err != nil {
			t.Fatal(err)
		}
		row.key = key
		w.rows = append(w.rows, row)
	}
	slices.SortFunc(w.rows, func(a, b worldRow) int { return slices.Compare(a.key, b.key) })
	return w
}

func (w *world) counted() *Histogram {
	c := NewCounter(w.schema, 512)
	for i := range w.rows {
		c.Row(w.rows[i].key)
	}
	return c.Histogram()
}

// sampled sees 1 key in so many, chosen at random, and reads 32 stretches.
func (w *world) sampled(r *rand.Rand, every int) *Histogram {
	starts := []int{0}
	for i := range w.rows {
		if i > 0 && r.IntN(every) == 0 {
			starts = append(starts, i)
		}
	}
	var pieces []storage.SamplePiece
	for j, i := range starts {
		end := len(w.rows)
		if j+1 < len(starts) {
			end = starts[j+1]
		}
		pieces = append(pieces, storage.SamplePiece{Span: storage.Span{Start: w.rows[i].key}, Rows: -1, Bytes: int64(end-i) * 100})
	}
	b := NewBuilder(w.schema, pieces)
	for _, j := range b.Places(32) {
		b.Begin(j)
		i, n := starts[j], 0
		for ; i < len(w.rows) && n < 256 && (j+1 == len(starts) || i < starts[j+1]); i++ {
			b.Row(w.rows[i].key)
			n++
		}
		b.End(int64(n)*60, n < 256)
	}
	b.Last(w.rows[len(w.rows)-1].key)
	return b.Histogram()
}

func value(d types.Datum) []rowcodec.Range {
	return []rowcodec.Range{{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true}}
}

func from(d types.Datum) []rowcodec.Range { return []rowcodec.Range{{Lo: &d, LoIncl: true}} }

func TestSpread(t *testing.T) {
	const seed = 7
	for _, tt := range []struct {
		rows, hosts, buckets int
		salt                 []int
	}{
		{5000, 20, 0, nil}, {50_000, 200, 0, nil}, {50_000, 200, 16, nil}, {50_000, 200, 16, []int{0}}, {50_000, 3000, 4, nil}, {20_000, 100_000, 8, nil},
	} {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t, r, tt.rows, tt.hosts, tt.buckets, tt.salt)
		for name, h := range map[string]*Histogram{"counted": w.counted(), "sampled": w.sampled(r, 100)} {
			t.Run(fmt.Sprintf("%d rows %d hosts %d buckets %v %s", tt.rows, tt.hosts, tt.buckets, tt.salt, name), func(t *testing.T) {
				w.compare(t, h)
			})
		}
	}
}

func (w *world) compare(t *testing.T, h *Histogram) {
	slack := 5 + float64(len(w.rows))/200 // less than the pieces tell
	near := func(what string, got float64, want int, factor float64) {
		t.Helper()
		if got > float64(want)*factor+slack || got < float64(want)/factor-slack {
			t.Errorf("%s: %.0f, there are %d", what, got, want)
		}
	}
	spread := func(equal int, cols ...[]rowcodec.Range) Spread {
		set, err := w.schema.Spans([]rowcodec.Conj{{Columns: cols}}, rowcodec.SpanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return h.Spread(set, equal)
	}
	count := func(match func(worldRow) bool) (rows, hosts, runs, days int) {
		seen, pairs := map[string]bool{}, map[string]bool{}
		last := ""
		for _, row := range w.rows {
			if !match(row) {
				continue
			}
			rows++
			seen[row.host], pairs[fmt.Sprint(row.host, row.day)] = true, true
			if run := string(row.key[:min(w.schema.Buckets, 1)]) + row.host; run != last {
				runs++
				last = run
			}
		}
		return rows, len(seen), runs, len(pairs)
	}
	rows, hosts, runs, pairs := count(func(worldRow) bool { return true })
	all := spread(0)
	near("all", all.Rows, rows, 1.2)
	near("hosts", all.Distinct[1], hosts, 2)
	near("runs of hosts", all.Runs[1], runs, 2)
	near("hosts and days", all.Distinct[2], pairs, 2)
	byHost := map[string]int{}
	for _, row := range w.rows {
		byHost[row.host]++
	}
	light, lightRows := 0.0, 0
	for host, n := range byHost {
		got := spread(1, value(types.NewBytes([]byte(host)))).Rows
		if n*50 > len(w.rows) && n > 400 {
			near(host, got, n, 2)
			for _, day := range []int64{20, 70} {
				n, _, _, _ := count(func(r worldRow) bool { return r.host == host && r.day >= day })
				near(fmt.Sprintf("%s from day %d", host, day), spread(1, value(types.NewBytes([]byte(host))), from(types.NewInt(day))).Rows, n, 2)
			}
		} else {
			light, lightRows = light+got, lightRows+n
		}
	}
	near("all light hosts, one by one", light, lightRows, 2)
	for _, host := range []string{"host-0000", "host-0005", "host-0150"} {
		n, _, _, _ := count(func(r worldRow) bool { return r.host >= host })
		near("from "+host, spread(0, from(types.NewBytes([]byte(host)))).Rows, n, 2)
	}
}

// TestDistinctBelow wants the values of the second column that a common value of the first has,
// wherever the pieces of a sample begin: some are of a single row.
func TestDistinctBelow(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(5, 1)), 50_000, 200, 16, nil)
	host := "host-0000"
	days := map[int64]bool{}
	for _, row := range w.rows {
		if row.host == host {
			days[row.day] = true
		}
	}
	set, err := w.schema.Spans([]rowcodec.Conj{{Columns: [][]rowcodec.Range{value(types.NewBytes([]byte(host)))}}}, rowcodec.SpanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(100) {
		got := w.sampled(rand.New(rand.NewPCG(seed, 2)), 100).Spread(set, 1).Distinct[2]
		if want := float64(len(days)); got > 2*want || got < want/2 {
			t.Errorf("seed %d: %.0f days, there are %.0f", seed, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	w := newWorld(t, r, 20_000, 50, 4, nil)
	h := w.sampled(r, 100)
	set, err := w.schema.Spans([]rowcodec.Conj{{}}, rowcodec.SpanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	days := map[string]int64{}
	for _, row := range w.rows {
		days[string(row.key)] = row.day
	}
	if part, ok := h.Part(set, func(key []byte) bool { return days[string(key)] < 25 }); !ok || part < 0.15 || part > 0.35 {
		t.Errorf("part %v %v, want about 0.25", part, ok)
	}
	if part, ok := h.Part(set, func([]byte) bool { return false }); !ok || part <= 0 || part > 0.01 {
		t.Errorf("part %v %v, want more than nothing", part, ok)
	}
	if _, ok := h.Part(&rowcodec.SpanSet{}, func([]byte) bool { return true }); ok {
		t.Error("a part of nothing is known")
	}
}

// TestEmpty must not divide by what is not there.
func TestEmpty(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 1)), 0, 1, 4, nil)
	set, err := w.schema.Spans([]rowcodec.Conj{{Columns: [][]rowcodec.Range{value(types.NewBytes([]byte("x")))}}, {}}, rowcodec.SpanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	none := NewBuilder(w.schema, []storage.SamplePiece{{Rows: 0}})
	for name, h := range map[string]*Histogram{"counted": w.counted(), "sampled": none.Histogram()} {
		if got := h.Spread(set, 1); got.Rows != 0 || got.Runs[1] != 0 || got.Distinct[1] != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if h := NewBuilder(w.schema, []storage.SamplePiece{{Rows: -1, Bytes: -1}}).Histogram(); h != nil {
		t.Error("a histogram of nothing known")
	}
}
