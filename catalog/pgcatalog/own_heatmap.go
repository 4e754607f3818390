package pgcatalog

import (
	"context"

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

// eachMinutes shows what servers have counted of relations by minutes. A sum of nil is one that the
// server has no room to count, or perhaps had none.
func eachMinutes(ctx context.Context, w World, list []heated, show func(server string, h *heated, s *heat.Sum) error) error {
	for len(list) > 0 {
		want, n, buckets := HeatWanted{Minutes: true}, 0, 0
		for n < len(list) && (n == 0 || buckets+list[n].cells() <= askedBuckets) {
			want.Relations = append(want.Relations, list[n].id)
			buckets += list[n].cells()
			n++
		}
		err := w.EachServersHeat(ctx, want, func(server string, from *ServerHeat) error {
			sums := map[skewKey]*heat.Sum{}
			for i := range from.Sums {
				sums[skewKey{from.Sums[i].ID, len(from.Sums[i].Buckets)}] = &from.Sums[i]
			}
			for i := range list[:n] {
				s := sums[skewKey{list[i].id, list[i].cells()}]
				if s == nil && !from.Full {
					continue // nothing has been read or written
				}
				if err := show(server, &list[i], s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
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
	return eachMinutes(q.Context(), q.World, list, func(server string, h *heated, s *heat.Sum) error {
		row := map[string]types.Datum{
			"table_oid": oid(h.table.ID), "schema_name": text(h.table.Schema), "table_name": text(h.table.Name), "index_name": h.indexName(), "server": text(server),
		}
		if s == nil {
			return q.Named(row)
		}
		before := s.Buckets
		for i := range s.Minutes {
			m := &s.Minutes[i]
			got, err := m.Counts(len(s.Buckets))
			if err != nil {
				return err
			}
			for b := range got {
				before[b] = before[b].Less(&got[b])
			}
			row["at"], row["minutes"] = when(m.At), num(m.Length)
			if err := q.heatmapRows(row, h, got); err != nil {
				return err
			}
		}
		delete(row, "at")
		delete(row, "minutes")
		return q.heatmapRows(row, h, before)
	})
}

// heatmapRows gives a row for each bucket of which something was counted.
func (q *Query) heatmapRows(row map[string]types.Datum, h *heated, buckets []heat.Counts) error {
	for b := range buckets {
		c := &buckets[b]
		if *c == (heat.Counts{}) {
			continue
		}
		row["bucket"], row["reads"], row["writes"] = h.bucket(b), num(c.Reads()), num(c.Writes())
		row["rows_read"], row["rows_returned"] = num(c.RowsRead), num(c.RowsReturned)
		row["bytes_read"], row["bytes_written"] = num(c.BytesRead), num(c.BytesWritten)
		if err := q.Named(row); err != nil {
			return err
		}
	}
	return nil
}
