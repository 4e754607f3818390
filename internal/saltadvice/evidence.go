package saltadvice

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// Evidence is a load that advice is given from, with what was counted of it.
type Evidence struct {
	Load
	Until   time.Time // now
	Planner *planner.Context

	now     *Told
	told    map[string]*Told
	minutes [][]int // samples by minute, oldest first
	busy    float64 // of one node
	calls   [4]float64
}

// What there must be before anything is advised.
const (
	leastMinutes = 12   // of heat.KeepSamples with samples, the first of them that long ago
	leastBusy    = 0.2  // of a node
	leastGain    = 1.2  // what another layout must bring
	leastScans   = 0.1  // part of the calls that scans are, where calls are to be spared
	spread       = 0.8  // part of the nodes that is well used
	kept         = 0.8  // part of what is used now that must be left
	growingPart  = 0.9  // writes above the greatest key of the minute before
	hotKeyPart   = 0.1  // of a node, by one key
	manyBound    = 0.8  // reads that bind a column
	reversePart  = 0.6  // scans against the order of the key
	wideRow      = 10e6 // bytes
	tooWideRow   = 100e6
)

// prepare looks at the samples once; false where there is too little evidence.
func (e *Evidence) prepare() bool {
	if len(e.Samples) == 0 || e.Nodes < 1 {
		return false
	}
	e.told = map[string]*Told{}
	o := saltmodel.NewCluster(saltmodel.Options{}).Options()
	row := e.RowBytes
	if row == 0 {
		row = unknownRow
	}
	cost := [4]float64{heat.Point: o.ReadCost().Seconds(), heat.Scan: o.ReadCost().Seconds(), heat.Row: o.ScanCost(int(row)).Seconds(), heat.Write: o.WriteCost().Seconds()}
	by := map[int64][]int{}
	first := e.Samples[0].At
	for i := range e.Samples {
		s := &e.Samples[i]
		e.calls[s.Kind] += s.Weight
		e.busy += s.Weight * cost[s.Kind]
		by[s.At.Unix()/60] = append(by[s.At.Unix()/60], i)
		if s.At.Before(first) {
			first = s.At
		}
	}
	window := e.Until.Sub(first)
	if window < heat.KeepSamples-time.Minute || len(by) < leastMinutes {
		return false
	}
	e.busy /= window.Seconds()
	var order []int64
	for m := range by {
		order = append(order, m)
	}
	slices.Sort(order)
	for _, m := range order {
		e.minutes = append(e.minutes, by[m])
	}
	return true
}

// under is Under, once for each layout; nil where that cannot be.
func (e *Evidence) under(l Layout) *Told {
	if t, ok := e.told[l.String()]; ok {
		return t
	}
	var t *Told
	if as, err := l.Of(e.Table); err == nil {
		if told, err := e.Under(as); err == nil {
			told.Layout = l
			t = &told
		}
	}
	e.told[l.String()] = t
	return t
}

// scanCalls is how many buckets a scan reads under what is told; 0 where that is not known.
func (t *Told) scanCalls(now *catalog.Table, isNow bool) float64 {
	switch {
	case t.CallsPerScan > 0:
		return t.CallsPerScan
	case isNow && now.Buckets() > 0 && len(now.Options.SaltColumns) > 0:
		return 0
	case isNow:
		return float64(max(now.Buckets(), 1))
	case len(t.Layout.Columns) > 0:
		return 0
	}
	return float64(max(t.Layout.Buckets, 1))
}

// callGain is how many times fewer buckets a scan reads under then; 0 where that is not known.
func (e *Evidence) callGain(then *Told) float64 {
	a, b := e.now.scanCalls(e.Table, true), then.scanCalls(e.Table, false)
	if a == 0 || b == 0 {
		return 0
	}
	return a / b
}

// nodeGain is how many times more of the nodes is used under then.
func (e *Evidence) nodeGain(then *Told) float64 {
	if e.now.OfNodes == 0 {
		return 0
	}
	return then.OfNodes / e.now.OfNodes
}

// leaves says that under then hardly less of the nodes is used than now, as far as can be told.
func (e *Evidence) leaves(then *Told) bool { return then.OfNodes+then.Margin >= kept*e.now.OfNodes }

// scanPart is the part of the calls that begin scans.
func (e *Evidence) scanPart() float64 {
	all := e.calls[heat.Point] + e.calls[heat.Scan] + e.calls[heat.Write]
	if all == 0 {
		return 0
	}
	return e.calls[heat.Scan] / all
}

// growth is the part of the writes above the greatest value of the minute before, and below the least
// of it. compare compares two samples.
func (e *Evidence) growth(compare func(a, b int) int) (above, below float64) {
	all := 0.0
	var least, most = -1, -1
	for _, m := range e.minutes {
		low, high := -1, -1
		for _, i := range m {
			s := &e.Samples[i]
			if s.Kind != heat.Write || s.Cut {
				continue
			}
			if most >= 0 {
				all += s.Weight
				if compare(i, most) > 0 {
					above += s.Weight
				}
				if compare(i, least) < 0 {
					below += s.Weight
				}
			}
			if low < 0 || compare(i, low) < 0 {
				low = i
			}
			if high < 0 || compare(i, high) > 0 {
				high = i
			}
		}
		if low >= 0 {
			least, most = low, high
		}
	}
	if all == 0 {
		return 0, 0
	}
	return above / all, below / all
}

// atOneEnd is the part of the writes beyond the last key of the minute before, at either end of the table.
func (e *Evidence) atOneEnd() float64 {
	above, below := e.growth(func(a, b int) int { return bytes.Compare(e.Samples[a].Key, e.Samples[b].Key) })
	return max(above, below)
}

// grows finds the key column whose values grow with time, by which new rows can be told; "" is none.
func (e *Evidence) grows() string {
	for pos, c := range e.Table.PrimaryKey {
		col := &e.Table.Columns[c]
		if !col.Grows() {
			continue
		}
		part, _ := e.growth(func(a, b int) int {
			x, err := e.values(a)
			y, err2 := e.values(b)
			if err != nil || err2 != nil {
				return 0
			}
			return cmp.Compare(x[pos].Int, y[pos].Int)
		})
		if part >= growingPart {
			return col.Name
		}
	}
	return ""
}

// top gives the greatest part that one value of of has, of the weight of the samples that use says yes
// to, and how many values there are.
func (e *Evidence) top(use func(s *heat.Sample) bool, of func(i int) (string, bool)) (part float64, values int) {
	sum, all := map[string]float64{}, 0.0
	for i := range e.Samples {
		s := &e.Samples[i]
		if s.Cut || !use(s) {
			continue
		}
		v, ok := of(i)
		if !ok {
			continue
		}
		sum[v] += s.Weight
		all += s.Weight
	}
	for _, w := range sum {
		part = max(part, w/all)
	}
	return part, len(sum)
}

func isWrite(s *heat.Sample) bool { return s.Kind == heat.Write }

// columns gives the text of some key columns of samples.
func (e *Evidence) columns(positions []int) func(i int) (string, bool) {
	return func(i int) (string, bool) {
		v, err := e.values(i)
		if err != nil {
			return "", false
		}
		var b []byte
		for _, pos := range positions {
			if v[pos].Null {
				b = append(b, 0)
				continue
			}
			b = append(types.AppendText(append(b, 1), e.Table.Columns[e.Table.PrimaryKey[pos]].Type, v[pos], nil), 0)
		}
		return string(b), true
	}
}
