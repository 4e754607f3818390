package pgcatalog

import (
	"math"
	"slices"

	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/types"
)

// saltsql.hot_keys: the keys, and first columns of keys, that get most of what is read and written.

func init() {
	Source(OwnSchema+".hot_keys", ownHotKeys, "table_oid", "table_name")
}

// askedHot is of how many relations servers are asked for hot keys at once: 300 kB of each at most are
// an answer's 16 MB.
const askedHot = 32

// hotPart is what part of all a key has got at least, surely, that is shown.
const hotPart = 1.0 / 1024

// kindNames are the kinds of operations in SQL.
var kindNames = [...]string{heat.Point: "point", heat.Scan: "scan start", heat.Row: "scan", heat.Write: "write"}

func ownHotKeys(q *Query) error {
	list, _, err := q.heatedTables()
	if err != nil {
		return err
	}
	for some := range slices.Chunk(list, askedHot) {
		want := HeatWanted{Hot: true}
		for i := range some {
			want.Relations = append(want.Relations, some[i].id)
		}
		lists := map[uint32][][]heat.HotKeys{}
		err := q.EachServersHeat(q.Context(), want, func(_ string, h *ServerHeat) error {
			for id, hot := range h.Hot {
				lists[id] = append(lists[id], hot)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range some {
			if err := q.hotKeys(&some[i], heat.MergeHotKeys(lists[some[i].id]...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// hotKeys gives the rows of one table or index.
func (q *Query) hotKeys(h *heated, lists []heat.HotKeys) error {
	readable, all := h.readable(q.Snap, q.Role()), len(h.codec().Columns)
	for i := range lists {
		of := &lists[i]
		columns := of.Prefix
		if columns == 0 {
			columns = all
		}
		if int(of.Kind) >= len(kindNames) || columns > all || of.Prefix >= all {
			continue // of another server, which knows another version of the table
		}
		for j := range of.Keys {
			k := &of.Keys[j]
			off := k.Over + 2*math.Sqrt(k.Var)
			if k.Count-off < of.Total*hotPart {
				continue
			}
			key, bucket := null, null
			if readable {
				if key = h.keyArray(k.Key, columns, false); len(key.Array.Elems) < columns {
					continue // the same
				}
			}
			if k.Bucket >= 0 {
				bucket = h.bucket(k.Bucket)
			}
			err := q.Named(map[string]types.Datum{
				"table_oid": oid(h.table.ID), "schema_name": text(h.table.Schema), "table_name": text(h.table.Name), "index_name": h.indexName(),
				"kind": text(kindNames[of.Kind]), "prefix": num(columns), "key": key, "bucket": bucket,
				"count": num(int64(k.Count)), "error": num(int64(math.Ceil(off))), "share": float(k.Count / of.Total), "since": when(of.Since),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
