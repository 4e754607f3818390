package pgcatalog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/heatmap"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// saltsql.draw_heatmap, saltsql.heatmap_svg and saltsql.heatmap_bytes: a row a bucket or a range of keys,
// a column a step of time.

// heatColumns is how many columns a map has at most.
const heatColumns = 60

// How many rows of ranges of keys a map has at most: as text, and as a picture.
const (
	heatLines    = 24
	heatPictured = 64
)

// heatMetric is what a map may be of.
type heatMetric struct {
	name, unit string
	of         func(c *heat.Counts) int64
	even       bool // each is of one key, so that buckets are as full as chance has it
}

var heatMetrics = []heatMetric{
	{"writes", "", (*heat.Counts).Writes, true},
	{"reads", "", (*heat.Counts).Reads, true},
	{"rows_read", "", func(c *heat.Counts) int64 { return c.RowsRead }, false},
	{"rows_returned", "", func(c *heat.Counts) int64 { return c.RowsReturned }, false},
	{"bytes_read", "B", func(c *heat.Counts) int64 { return c.BytesRead }, false},
	{"bytes_written", "B", func(c *heat.Counts) int64 { return c.BytesWritten }, false},
}

func init() {
	rows := func(c *Call) ([][]types.Datum, error) {
		m, err := drawn(c, func(*heated) int { return heatLines })
		if err != nil {
			return nil, err
		}
		var rows [][]types.Datum
		for _, line := range m.Text() {
			rows = append(rows, []types.Datum{text(line)})
		}
		return rows, nil
	}
	svg := func(c *Call) (types.Datum, error) {
		m, err := drawn(c, func(*heated) int { return heatPictured })
		if err != nil {
			return null, err
		}
		return text(m.SVG()), nil
	}
	bytes := func(c *Call) (types.Datum, error) {
		m, err := drawn(c, (*heated).quantiles)
		if err != nil {
			return null, err
		}
		return types.NewBytes(m.Bytes()), nil
	}
	all := ts(tRegclass, tText, types.Of(types.Interval), tText)
	hour := types.Datum{Interval: types.IntervalValue{Micros: time.Hour.Microseconds()}}
	names := []expr.ArgName{{Name: "table"}, {Name: "metric", Default: &expr.Const{Value: text("writes"), T: tText}},
		{Name: "last", Default: &expr.Const{Value: hour, T: types.Of(types.Interval)}}, {Name: "by"}}
	for n := 1; n <= len(all); n++ {
		setOf(OwnSchema+".draw_heatmap", all[:n], []expr.SetColumn{{T: tText}}, rows)
		register(OwnSchema+".heatmap_svg", all[:n], tText, true, svg)
		register(OwnSchema+".heatmap_bytes", all[:n], types.Of(types.Bytea), true, bytes)
	}
	for _, f := range []string{".draw_heatmap", ".heatmap_svg", ".heatmap_bytes"} {
		expr.RegisterArgNames(OwnSchema+f, names...)
	}
}

// drawing is a map that is asked for.
type drawing struct {
	heated
	heatMetric
	name   string
	now    time.Time // of the statement, in the last column
	byKey  bool
	ranges heat.Ranges // of keys, where byKey
	sums   [][]float64 // by row and column; the last is of no known range, where byKey
	heatmap.Map
}

// drawn makes the map that the arguments ask for, with so many rows of ranges of keys at most: 42501 for
// roles that may not see how the store is used, 42809 for what is not counted, 22023 for other values.
func drawn(c *Call, most func(h *heated) int) (*heatmap.Map, error) {
	if !c.snap.HasPrivsOf(c.Role(), catalog.RoleMonitor) {
		return nil, catalog.Denied("view", "heatmap")
	}
	d := drawing{heatMetric: heatMetrics[0], now: c.env.StmtTime.In(c.env.Zone())}
	last := time.Hour
	var err error
	if d.heated, d.name, err = heatedByOID(c); err != nil {
		return nil, err
	}
	d.byKey = d.buckets == 0
	if len(c.Args) > 1 {
		at := slices.IndexFunc(heatMetrics, func(m heatMetric) bool { return m.name == c.text(1) })
		if at < 0 {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "there is no heat map of %q", c.text(1)).
				WithHint("Maps are of writes, reads, rows_read, rows_returned, bytes_read and bytes_written.")
		}
		d.heatMetric = heatMetrics[at]
	}
	if len(c.Args) > 2 {
		v := c.Args[2].Interval
		last = time.Duration(v.Micros) * time.Microsecond
		if v.Months != 0 || v.Days != 0 || last < time.Minute || last > heat.Keep {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "a heat map is of the last minute at least, and of the last %d hours at most", int(heat.Keep/time.Hour))
		}
	}
	if len(c.Args) > 3 {
		if d.byKey = c.text(3) == "key"; !d.byKey && c.text(3) != "bucket" {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "there is no heat map by %q", c.text(3)).
				WithHint("Maps are by bucket or by key.")
		}
	}
	d.axis(last)
	err = eachMinutes(c.Context(), c.World, []heated{d.heated}, func(h *heated, sums []serverSum) error {
		if d.byKey {
			if d.ranges, err = h.ranges(sums, most(h), d.From); err != nil {
				return err
			}
		}
		return d.addAll(sums)
	})
	if err != nil {
		return nil, err
	}
	d.finish(d.readable(c.snap, c.Role()))
	return &d.Map, nil
}

// heatedByOID finds the table or index that the first argument is.
func heatedByOID(c *Call) (h heated, name string, err error) {
	x := classByOID(c.snap, c.oid(0))
	if x == nil {
		return h, "", sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", c.oid(0))
	}
	t := c.snap.TableByID(c.oid(0))
	if t == nil {
		t, _ = c.snap.IndexByID(c.oid(0))
	}
	if t != nil {
		for _, h := range heatedOf(t) {
			if h.id == c.oid(0) {
				return h, x.Name, nil
			}
		}
	}
	return h, "", sqlerr.New(sqlerr.WrongObjectType, "reads and writes of \"%s\" are not counted", x.Name).
		WithHint("They are of tables, materialized views and indexes that are not temporary; those of a primary key are the table's.")
}

// axis lays out the columns: whole minutes, of which the last one is not over.
func (d *drawing) axis(last time.Duration) {
	minutes := int((last + time.Minute - 1) / time.Minute)
	each := (minutes + heatColumns - 1) / heatColumns
	d.Columns, d.Step, d.Unit = (minutes+each-1)/each, time.Duration(each)*time.Minute, d.unit
	d.From = d.now.Truncate(time.Minute).Add(time.Minute - time.Duration(d.Columns)*d.Step)
	d.Title = fmt.Sprintf("%s of %s a second, from %s, %d min a column", d.heatMetric.name, d.name, d.From.Format("2006-01-02 15:04 -07"), each)
}

// addAll adds what servers have counted.
func (d *drawing) addAll(sums []serverSum) error {
	rows := d.cells()
	if d.byKey {
		rows = len(d.ranges.Bounds) + 1
	}
	d.sums = make([][]float64, rows)
	for i := range d.sums {
		d.sums[i] = make([]float64, d.Columns)
	}
	for _, s := range sums {
		if err := d.add(s); err != nil {
			return err
		}
	}
	return nil
}

// add adds what a server has counted.
func (d *drawing) add(s serverSum) error {
	switch {
	case s.Sum == nil:
		d.Notes = append(d.Notes, fmt.Sprintf("Server %s has no room to count it: see --heat-memory.", s.server))
		return nil
	case s.Shed:
		d.Notes = append(d.Notes, fmt.Sprintf("Server %s has no room for its minutes: see --heat-memory.", s.server))
	}
	for i := range s.Minutes {
		m := &s.Minutes[i]
		got, err := m.Counts(d.cells())
		if err != nil {
			return err
		}
		of, err := d.rows(m, got)
		if err != nil {
			return err
		}
		for k := range m.Length {
			column := int(m.At.Add(time.Duration(k)*time.Minute).Sub(d.From) / d.Step)
			if m.At.Add(time.Duration(k) * time.Minute).Before(d.From) {
				continue
			}
			column = min(column, d.Columns-1) // of a server whose clock is ahead
			for i, n := range of {
				d.sums[i][column] += float64(n) / float64(m.Length)
			}
		}
	}
	return nil
}

// rows gives what a minute has of each row of the map.
func (d *drawing) rows(m *heat.Minute, got []heat.Counts) ([]int64, error) {
	of := make([]int64, len(d.sums))
	if !d.byKey {
		for b := range got {
			of[b] = d.of(&got[b])
		}
		return of, nil
	}
	pieces, err := m.Pieces()
	if err != nil {
		return nil, err
	}
	for b := range got {
		for i, c := range d.ranges.Spread(&got[b], b, pieces) {
			of[i] += d.of(&c.Counts)
		}
	}
	return of, nil
}

// finish makes rates of the sums, labels, which are of keys where those may be shown, and remarks on buckets that get a tenth more than the mean, and more
// than chance gives: twice as far above the mean as the fullest bucket is as a rule, and four standard
// deviations.
func (d *drawing) finish(readable bool) {
	until := d.From.Add(time.Duration(d.Columns) * d.Step)
	seconds := make([]float64, d.Columns)
	span := 0.0
	for c := range seconds {
		seconds[c] = d.Step.Seconds()
		if c == d.Columns-1 {
			seconds[c] = max(1, seconds[c]-until.Sub(d.now).Seconds())
		}
		span += seconds[c]
	}
	of, total := make([]float64, len(d.sums)), 0.0
	for b, row := range d.sums {
		for c := range row {
			of[b] += row[c]
			row[c] /= seconds[c]
		}
		total += of[b]
	}
	chance := heat.ExpectedPeak(int64(total), len(d.sums))
	var labels []string
	if d.byKey && readable {
		labels = d.labels(&d.ranges)
	}
	for b, row := range d.sums {
		r := heatmap.Row{Cells: row, Mean: of[b] / span}
		switch {
		case d.byKey && b == len(d.ranges.Bounds):
			if r.Label = "all"; b > 0 {
				r.Label = "unknown keys"
				if of[b] == 0 {
					continue
				}
			}
		case d.byKey && readable:
			r.Label = labels[b]
		case d.byKey:
			r.Label = strconv.Itoa(b)
		case d.buckets == 0:
			r.Label = "all"
		default:
			r.Label = strconv.Itoa(b)
			mean := total / float64(len(d.sums))
			if peak := of[b] / mean; d.even && peak > 1.1 && peak > 1+2*(chance-1) && of[b] > mean+4*math.Sqrt(mean) {
				r.Remark = fmt.Sprintf("%.1f times the mean; by chance %.2f", peak, chance)
			}
		}
		d.Rows = append(d.Rows, r)
	}
}
