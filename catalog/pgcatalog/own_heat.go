package pgcatalog

import (
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/types"
)

// What is read and written of the salt buckets of tables and indexes, of all servers of the store.

// HeatWanted says of which relations heat is wanted, no OID is all, and whether by minutes too; or
// their hot keys, or of one the samples since a time.
type HeatWanted struct {
	Relations []uint32
	Minutes   bool
	Hot       bool      `json:",omitempty"`
	SamplesOf uint32    `json:",omitempty"`
	Since     time.Time `json:",omitzero"`
}

// ServerHeat is what one server has counted. Servers of different versions tell each other by these
// names.
type ServerHeat struct {
	Sums []heat.Sum
	Full bool // relations that have no sum were perhaps not counted

	Samples []heat.SampleSet          `json:",omitempty"`
	Hot     map[uint32][]heat.HotKeys `json:",omitempty"` // by OID
}

func init() {
	Source(OwnSchema+".bucket_skew", ownBucketSkew, "table_oid", "table_name")
}

// heated is a table, or an index of one, that heat is counted of.
type heated struct {
	table   *catalog.Table
	index   *catalog.Index // nil is the table itself
	id      uint32
	buckets int // 0 is no salt
}

func (h *heated) indexName() types.Datum {
	if h.index == nil {
		return null
	}
	return text(h.index.Name)
}

// bucket is NULL where there is no salt.
func (h *heated) bucket(b int) types.Datum {
	if h.buckets == 0 {
		return null
	}
	return num(b)
}

// heatedOf lists a table and its indexes; temporary ones are not counted.
func heatedOf(t *catalog.Table) []heated {
	if catalog.IsTemporary(t) {
		return nil
	}
	list := []heated{{table: t, id: t.ID, buckets: t.Buckets()}}
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Kept() && !catalog.Hypothetical(x.ID) {
			list = append(list, heated{table: t, index: x, id: x.ID, buckets: x.Codec().Key.Buckets})
		}
	}
	return list
}

// heatedTables lists those that a query over a relation of heat asks for, and whom to ask servers
// for: 42501 for who may not see how the store is used.
func (q *Query) heatedTables() (list []heated, want HeatWanted, err error) {
	if !q.Snap.HasPrivsOf(q.Role(), catalog.RoleMonitor) {
		return nil, want, catalog.Denied("view", q.rel.Name)
	}
	err = q.tables("table_oid", "table_name", func(t *catalog.Table) error {
		if q.IsText("table_name", t.Name) && q.IsText("schema_name", t.Schema) {
			list = append(list, heatedOf(t)...)
		}
		return nil
	})
	_, one := q.wanted("table_oid")
	if _, named := q.wanted("table_name"); one || named {
		for i := range list {
			want.Relations = append(want.Relations, list[i].id)
		}
	}
	return list, want, err
}

// skew is what all servers have counted of one relation.
type skew struct {
	since   time.Time
	buckets []heat.Counts
	full    int // servers that have counted it and have no room for others
}

// skewKey tells a relation from what it was with another number of buckets.
type skewKey struct {
	id      uint32
	buckets int
}

func ownBucketSkew(q *Query) error {
	list, want, err := q.heatedTables()
	if err != nil || len(list) == 0 {
		return err
	}
	sums, full := map[skewKey]*skew{}, 0
	err = q.EachServersHeat(q.Context(), want, func(_ string, h *ServerHeat) error {
		if h.Full {
			full++
		}
		for i := range h.Sums {
			from := &h.Sums[i]
			of := skewKey{from.ID, len(from.Buckets)}
			s := sums[of]
			if s == nil {
				s = &skew{since: from.Since, buckets: make([]heat.Counts, of.buckets)}
				sums[of] = s
			}
			s.add(from, h.Full)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range list {
		h := &list[i]
		n := max(h.buckets, 1)
		s := sums[skewKey{h.id, n}]
		if s == nil {
			s = &skew{buckets: make([]heat.Counts, n)}
		}
		if err := q.bucketSkew(h, s, s.full < full); err != nil {
			return err
		}
	}
	return nil
}

// add adds what a server has counted; full says that it has no room for more relations.
func (s *skew) add(from *heat.Sum, full bool) {
	if full {
		s.full++
	}
	if from.Since.Before(s.since) {
		s.since = from.Since
	}
	for b := range from.Buckets {
		s.buckets[b].Add(&from.Buckets[b])
	}
}

// bucketSkew gives the rows of one relation. What some server did not count is NULL.
func (q *Query) bucketSkew(h *heated, s *skew, uncounted bool) error {
	var all int64
	for b := range s.buckets {
		all += s.buckets[b].Reads() + s.buckets[b].Writes()
	}
	for b := range s.buckets {
		c := &s.buckets[b]
		row := map[string]types.Datum{
			"table_oid": oid(h.table.ID), "schema_name": text(h.table.Schema), "table_name": text(h.table.Name), "index_name": h.indexName(), "bucket": h.bucket(b),
		}
		if !uncounted {
			row["reads"], row["writes"] = num(c.Reads()), num(c.Writes())
			row["point_hits"], row["point_misses"], row["scans"] = num(c.Hits), num(c.Misses), num(c.Scans)
			row["rows_read"], row["rows_returned"], row["bytes_read"] = num(c.RowsRead), num(c.RowsReturned), num(c.BytesRead)
			row["rows_written"], row["bytes_written"], row["since"] = num(c.RowsWritten), num(c.BytesWritten), when(s.since)
			if h.buckets > 0 && all > 0 {
				row["peak"] = float(float64(c.Reads()+c.Writes()) * float64(h.buckets) / float64(all))
				row["expected_peak"] = float(heat.ExpectedPeak(all, h.buckets))
			}
		}
		if err := q.Named(row); err != nil {
			return err
		}
	}
	return nil
}
