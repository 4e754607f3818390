package live

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// How far rows may be ahead of this server's clock for an epoch that begins now: in the units of dates and of
// times. Local times of other zones are up to 14 hours ahead.
const (
	daysAhead   = 2
	microsAhead = int64(24 * time.Hour / time.Microsecond)
	aSecond     = int64(time.Second / time.Microsecond)
	aDay        = int64(24 * time.Hour / time.Microsecond)
)

// beginning finds where the epoch of a table that nobody writes begins, if that is not given, and refuses what
// rows stand behind: 55000.
func (c *Catalog) beginning(ctx context.Context, p *epochPlan) error {
	t := p.table
	least := p.from
	if !p.given {
		least = c.soonest(p.column.Type)
		if t.Epochs != nil { // of an epoch that is to come there is nothing to look at yet
			if after, ok := p.afterLast(t); ok && after.Int > least.Int {
				return p.newer()
			}
		}
	}
	most, any, err := c.greatest(ctx, t, p.column, least, p.given)
	if err != nil {
		return err
	}
	whole := !isTime(p.column.Type)
	switch {
	case p.given && any:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `table "%s" has rows whose %s is %s or more`, t.Name, p.column.Name, p.shown()).
			WithHint("Let the epoch begin later, or leave FORWARD out: all rows are then copied while the table is read and written.").At(p.pos)
	case p.given:
	case whole && !any:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `table "%s" has no rows in its newest layout that new ones could be told from`, t.Name).
			WithHint("Say where the epoch begins: FORWARD FROM (value).").At(p.pos)
	case any && !p.follows(least, most):
		p.from = types.NewInt(most)
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `table "%s" has rows whose %s is as late as %s`, t.Name, p.column.Name, p.shown()).
			WithHint("Say where the epoch begins: FORWARD FROM (value).").At(p.pos)
	default:
		p.from = least
		if any {
			p.from = types.NewInt(next(p.column.Type, most))
		}
	}
	return p.check(t)
}

// afterLast is where the table's newest epoch begins.
func (p *epochPlan) afterLast(t *catalog.Table) (types.Datum, bool) {
	last := t.Epochs.List[len(t.Epochs.List)-1].From
	out := vec.New(p.column.Type)
	out.Resize(1)
	schema := rowcodec.KeySchema{Table: t.Name, Columns: []rowcodec.KeyColumn{{Column: p.column.Store, Name: p.column.Name}}}
	if err := rowcodec.NewKeyDecoder(&schema, []int{0}).Decode(last, 0, []*vec.Vec{out}); err != nil {
		return types.Datum{}, false
	}
	return out.Datum(0), isTime(p.column.Type)
}

// newer refuses an epoch that would begin now where the newest one is yet to begin.
func (p *epochPlan) newer() error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `the newest salt epoch of table "%s" is yet to begin`, p.table.Name).
		WithHint("Say where the next one begins: FORWARD FROM (value).").At(p.pos)
}

// errOneIsEnough ends a scan that has found a row.
var errOneIsEnough = errors.New("a row is there")

func isTime(t types.T) bool {
	switch t.Plain().Kind {
	case types.Date, types.Timestamp, types.Timestamptz:
		return true
	}
	return false
}

// finite says that a value is no infinity.
func finite(t types.T, d types.Datum) bool {
	return !isTime(t) || d.Int != math.MaxInt64 && d.Int != math.MinInt64
}

// soonest is the first value that rows of from now on may have and older ones need not: the next second, or
// day; of a number the least there is.
func (c *Catalog) soonest(t types.T) types.Datum {
	now := c.Options.Now().UnixMicro()
	switch t.Plain().Kind {
	case types.Date:
		return types.NewInt(now/aDay + 1)
	case types.Timestamp, types.Timestamptz:
		return types.NewInt((now/aSecond + 1) * aSecond)
	}
	return types.NewInt(math.MinInt64)
}

// follows says that an epoch may begin behind most, the greatest value from least on.
func (p *epochPlan) follows(least types.Datum, most int64) bool {
	switch p.column.Type.Plain().Kind {
	case types.Date:
		return most < least.Int+daysAhead
	case types.Timestamp, types.Timestamptz:
		return most < least.Int+microsAhead
	case types.Int2:
		return most < math.MaxInt16
	case types.Int4:
		return most < math.MaxInt32
	}
	return most < math.MaxInt64
}

// next is the first beginning behind a value.
func next(t types.T, v int64) int64 {
	switch t.Plain().Kind {
	case types.Timestamp, types.Timestamptz:
		return (v/aSecond + 1) * aSecond
	}
	return v + 1
}

// greatest finds the greatest value of a key column among the rows from least on; one of them will do where
// some says so. It reads the keys that such rows may have: a few ranges where the column leads the key, else
// the keys of the newest epoch.
func (c *Catalog) greatest(ctx context.Context, t *catalog.Table, col *catalog.Column, least types.Datum, some bool) (most int64, any bool, err error) {
	key := &t.Codec().Key
	conj := rowcodec.Conj{Columns: make([][]rowcodec.Range, col.KeyPos+1)}
	conj.Columns[col.KeyPos] = []rowcodec.Range{{Lo: &least, LoIncl: true}}
	set, err := key.Spans([]rowcodec.Conj{conj}, rowcodec.SpanOptions{})
	if err != nil {
		return 0, false, err
	}
	for _, k := range set.Points {
		set.Buckets = append(set.Buckets, rowcodec.BucketSpans{Spans: []storage.Span{{Start: k, End: append(append([]byte{}, k...), 0)}}})
	}
	marker, _ := t.Codec().Marker()
	dec := rowcodec.NewKeyDecoder(key, []int{col.KeyPos})
	out := []*vec.Vec{vec.New(col.Type)}
	for _, b := range set.Buckets {
		req := &storage.ScanRequest{
			Spans: b.Spans, EveryRow: t.Codec().Unmarked, Project: []storage.Col{marker}, KeysOnly: true,
			MinTS: t.OldestVisible(c.Options.Now().UnixMicro()),
		}
		if col.KeyPos == 0 { // the row of the greatest value is at an end of the bucket
			req.Limit, req.Reverse = 1, !col.Desc
		}
		err := c.EachBatch(ctx, t, req, func(rows *storage.RowBatch) error {
			out[0].Resize(rows.Len())
			dec.Reset()
			for i := range rows.Len() {
				if err := dec.Decode(rows.Key(i), i, out); err != nil {
					return err
				}
				if v := out[0].Datum(i).Int; v >= least.Int && (!any || v > most) {
					most, any = v, true
				}
			}
			if any && some {
				return errOneIsEnough
			}
			return nil
		})
		if any && some {
			return most, any, nil
		}
		if err != nil {
			return 0, false, err
		}
	}
	return most, any, nil
}
