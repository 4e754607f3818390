package planner

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
)

// toyHistograms is an Estimator that knows the tables that were loaded.
type toyHistograms struct {
	by   map[uint32]*histogram.Histogram
	cols map[[2]int]*colstats.Column // by table and column
	seek float64
}

// load counts rows of a table that exist nowhere else. A line names a key column and how many
// values it has, "skewed" for some of them being far more common, or "rows" for a value of
// its own in each row; columns are numbers from 0 or texts v0000 on. Lines after those of the key
// say of other columns, of type int4, how many values they have, all as common:
//
//	load name=t rows=20000
//	a 10
//	b 500 skewed
//	c rows
//	n 100
func (h *toyHistograms) load(t *testing.T, d *datadriven.TestData, cat *toyCatalog) {
	name, rows := "", 0
	d.ScanArgs(t, "name", &name)
	d.ScanArgs(t, "rows", &rows)
	tab, ok := cat.rels[name].(*catalog.Table)
	if !ok {
		d.Fatalf(t, "no table %q", name)
	}
	r := rand.New(rand.NewPCG(1, 2))
	lines := strings.Split(d.Input, "\n")
	if len(lines) < len(tab.PrimaryKey) {
		d.Fatalf(t, "%d lines for %d key columns", len(lines), len(tab.PrimaryKey))
	}
	for _, line := range lines[len(tab.PrimaryKey):] {
		h.loadColumn(t, d, tab, line, rows)
	}
	lines = lines[:len(tab.PrimaryKey)]
	keys := make([][]byte, rows)
	vals := make([]types.Datum, len(lines))
	for i := range keys {
		for pos, line := range lines {
			f := strings.Fields(line)
			n := i
			if f[1] != "rows" {
				most, err := strconv.Atoi(f[1])
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				x := r.Float64()
				if len(f) > 2 && f[2] == "skewed" {
					x *= x * x
				}
				n = int(x * float64(most))
			}
			vals[pos] = types.NewInt(int64(n))
			if tab.Columns[tab.PrimaryKey[pos]].Type.Kind == types.Text {
				vals[pos] = types.NewBytes(fmt.Appendf(nil, "v%04d", n))
			}
		}
		var err error
		if keys[i], err = tab.Codec().Key.AppendKey(nil, vals); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	c := histogram.NewCounter(&tab.Codec().Key, 512)
	for _, k := range slices.CompactFunc(keys, bytes.Equal) {
		c.Row(k)
	}
	h.by[tab.ID] = c.Histogram()
}

func (h *toyHistograms) loadColumn(t *testing.T, d *datadriven.TestData, tab *catalog.Table, line string, rows int) {
	var name string
	var values int
	if _, err := fmt.Sscan(line, &name, &values); err != nil {
		d.Fatalf(t, "%q: %v", line, err)
	}
	i := slices.IndexFunc(tab.Columns, func(c catalog.Column) bool { return c.Name == name })
	if i < 0 || tab.Columns[i].Type.Kind != types.Int4 {
		d.Fatalf(t, "no column %s of type int4", name)
	}
	v := vec.New(tab.Columns[i].Type)
	v.Resize(vec.MaxRows)
	for k := range v.Ints {
		v.Ints[k] = int64(k * values / vec.MaxRows)
	}
	b := colstats.NewBuilder(tab.Columns[i].Type, true)
	b.Add(v, vec.MaxRows)
	if h.cols == nil {
		h.cols = map[[2]int]*colstats.Column{}
	}
	h.cols[[2]int{int(tab.ID), tab.Columns[i].ID}] = b.Column(float64(rows), nil)
}

func (h *toyHistograms) TableRows(t *catalog.Table) (int64, bool) {
	if g := h.by[t.ID]; g != nil {
		return int64(g.Rows()), true
	}
	return 0, false
}

func (h *toyHistograms) Spread(t *catalog.Table, cond *plan.KeyCond, equal int, env *expr.Env) (histogram.Spread, bool) {
	if g := h.by[t.ID]; g != nil {
		return keyspan.Spread(g, t, cond, equal, env)
	}
	return histogram.Spread{}, false
}

func (h *toyHistograms) Part(t *catalog.Table, cond, also *plan.KeyCond, from int, env *expr.Env) (float64, bool) {
	if g := h.by[t.ID]; g != nil {
		return keyspan.Part(g, t, cond, also, from, env)
	}
	return 0, false
}

func (h *toyHistograms) Column(t *catalog.Table, id int) *colstats.Column {
	return h.cols[[2]int{int(t.ID), id}]
}

func (h *toyHistograms) SeekRows() float64 { return h.seek }
