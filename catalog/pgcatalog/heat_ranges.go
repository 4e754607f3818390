package pgcatalog

import (
	"time"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/types"
)

// Ranges of keys that heat maps have rows for, by what has been read and written where.

// How many cells of buckets and ranges a relation has, and how many ranges.
const (
	heatCells        = 1024
	leastHeatRanges  = 8
	mostHeatRanges   = 256
	heatLabelLetters = 32
)

// quantiles is how many ranges of keys a relation has.
func (h *heated) quantiles() int {
	return min(max(heatCells/h.cells(), leastHeatRanges), mostHeatRanges)
}

// ranges cuts the keys that were read and written since a time into n ranges at most: as many keys of
// each minute are in each, whatever they got.
func (h *heated) ranges(sums []serverSum, n int, since time.Time) (heat.Ranges, error) {
	var bounds []heat.Bound
	for _, s := range sums {
		if s.Sum == nil {
			continue
		}
		for i := range s.Minutes {
			m := &s.Minutes[i]
			if !m.At.Add(time.Duration(m.Length) * time.Minute).After(since) {
				continue
			}
			pieces, err := m.Pieces()
			if err != nil {
				return heat.Ranges{}, err
			}
			for j := range pieces {
				if p := &pieces[j]; !p.Unknown {
					bounds = append(bounds, heat.Bound{Key: p.Key, Cut: p.Cut, Mass: 1})
				}
			}
		}
	}
	return heat.RangesOf(bounds, n), nil
}

// bounds are the keys at which ranges begin, as text[].
func (h *heated) bounds(r *heat.Ranges) []types.Datum {
	keys := make([]types.Datum, len(r.Bounds))
	for i, key := range r.Bounds {
		keys[i] = h.keyArray(key, len(h.codec().Columns), r.Cut[i])
	}
	return keys
}

// labels are bounds as a map shows them.
func (h *heated) labels(r *heat.Ranges) []string {
	keys := h.bounds(r)
	list := make([]string, len(keys))
	for i, key := range keys {
		for j, v := range key.Array.Elems {
			if j > 0 {
				list[i] += ", "
			}
			if v.Null {
				list[i] += "NULL"
			}
			list[i] += string(v.Bytes)
		}
		if utf8.RuneCountInString(list[i]) > heatLabelLetters {
			list[i] = string([]rune(list[i])[:heatLabelLetters-1]) + "…"
		}
	}
	return list
}
