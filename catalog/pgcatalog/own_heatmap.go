package pgcatalog

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/types"
)

// Reads and writes by minutes: saltsql.heatmap, and what its drawings begin with.

func init() {
	Source(OwnSchema+".heatmap", ownHeatmap, "table_oid", "table_name")
}

// askedBuckets is of how many buckets servers are asked at once: 180 minutes of as many are 8 MB of an
// answer's 16 at most.
const askedBuckets = 1024

// serverSum is what a server has counted of a relation: nil where it has no room to count it, or perhaps
// had none.
type serverSum struct {
	server string
	*heat.Sum
}

// eachMinutes shows what servers have counted of relations by minutes.
func eachMinutes(ctx context.Context, w World, list []heated, show func(h *heated, sums []serverSum) error) error {
	for len(list) > 0 {
		want, n, buckets := HeatWanted{Minutes: true}, 0, 0
		for n < len(list) && (n == 0 || buckets+list[n].cells() <= askedBuckets) {
			want.Relations = append(want.Relations, list[n].id)
			buckets += list[n].cells()
			n++
		}
		of := make([][]serverSum, n)
		err := w.EachServersHeat(ctx, want, func(server string, from *ServerHeat) error {
			sums := map[skewKey]*heat.Sum{}
			for i := range from.Sums {
				sums[skewKey{from.Sums[i].ID, len(from.Sums[i].Buckets)}] = &from.Sums[i]
			}
			for i := range list[:n] {
				s := sums[skewKey{list[i].id, list[i].cells()}]
				if s != nil || from.Full { // else nothing has been read or written
					of[i] = append(of[i], serverSum{server, s})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range of {
			if err := show(&list[i], of[i]); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	return nil
}

// cells is how many buckets are counted.
func (h *heated) cells() int { return max(h.buckets, 1) }

func ownHeatmap(q *Query) error {
	list, _, err := q.heatedTables()
	if err != nil {
		return err
	}
	return eachMinutes(q.Context(), q.World, list, func(h *heated, sums []serverSum) error {
		ranges, err := h.ranges(sums, h.quantiles(), time.Time{})
		if err != nil {
			return err
		}
		r := heatmapRows{q: q, h: h, ranges: &ranges}
		if h.readable(q.Snap, q.Role()) {
			r.keys = h.bounds(&ranges)
		}
		for _, s := range sums {
			if err := r.server(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// heatmapRows makes the rows of one relation.
type heatmapRows struct {
	q      *Query
	h      *heated
	ranges *heat.Ranges
	keys   []types.Datum // bounds, of roles that may read them
}

// server gives what a server has counted.
func (r *heatmapRows) server(s serverSum) error {
	row := map[string]types.Datum{
		"table_oid": oid(r.h.table.ID), "schema_name": text(r.h.table.Schema), "table_name": text(r.h.table.Name), "index_name": r.h.indexName(), "server": text(s.server),
	}
	if s.Sum == nil {
		return r.q.Named(row)
	}
	before := s.Buckets
	for i := range s.Minutes {
		m := &s.Minutes[i]
		got, err := m.Counts(len(s.Buckets))
		if err != nil {
			return err
		}
		pieces, err := m.Pieces()
		if err != nil {
			return err
		}
		row["at"], row["minutes"] = when(m.At), num(m.Length)
		for b := range got {
			before[b] = before[b].Less(&got[b])
			if err := r.bucket(row, b, &got[b], pieces); err != nil {
				return err
			}
		}
	}
	delete(row, "at")
	delete(row, "minutes")
	for b := range before {
		if err := r.bucket(row, b, &before[b], nil); err != nil {
			return err
		}
	}
	return nil
}

// bucket gives a row for each range of keys in which something was counted of the bucket.
func (r *heatmapRows) bucket(row map[string]types.Datum, bucket int, c *heat.Counts, pieces []heat.Piece) error {
	if *c == (heat.Counts{}) {
		return nil
	}
	row["bucket"] = r.h.bucket(bucket)
	for i, g := range r.ranges.Spread(c, bucket, pieces) {
		if g.Counts == (heat.Counts{}) {
			continue
		}
		row["quantile"], row["key_from"], row["key_to"], row["samples"] = null, null, null, num(g.Samples)
		if i < len(r.ranges.Bounds) {
			row["quantile"] = num(i)
			if r.keys != nil {
				row["key_from"] = r.keys[i]
				if i+1 < len(r.keys) {
					row["key_to"] = r.keys[i+1]
				}
			}
		}
		row["reads"], row["writes"] = num(g.Reads()), num(g.Writes())
		row["rows_read"], row["rows_returned"] = num(g.RowsRead), num(g.RowsReturned)
		row["bytes_read"], row["bytes_written"] = num(g.BytesRead), num(g.BytesWritten)
		if err := r.q.Named(row); err != nil {
			return err
		}
	}
	return nil
}
