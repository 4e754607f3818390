package saltadvice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/planner/advise"
)

// Rules of keys: where writes go.

// growing finds an unsalted table that is written at one end. A column of the key that most reads bind,
// and that has many values, leads a key that spreads writes and costs no read a bucket more; else salt
// does.
func growing(e *Evidence) *Advice {
	if e.Table.Buckets() > 0 {
		return nil
	}
	part := e.atOneEnd()
	if part < growingPart {
		return nil
	}
	why := fmt.Sprintf("%.0f %% of the writes are beyond the last key of the minute before, and go to one tablet: %.2f of %d nodes are used", 100*part, e.now.OfNodes, e.Nodes)
	if a := e.leading(why); a != nil {
		return a
	}
	s := catalog.Salt{Buckets: e.forNodes()}
	then := e.under(Layout{Salt: s})
	if then == nil || e.nodeGain(then) < leastGain {
		return nil
	}
	return e.resalt(s, e.nodeGain(then), why+fmt.Sprintf(", %.2f with salt", then.OfNodes))
}

// leading is the advice to lead the key with a column that reads bind.
func (e *Evidence) leading(why string) *Advice {
	for pos := 1; pos < len(e.Table.PrimaryKey); pos++ {
		_, values := e.top(isWrite, e.columns([]int{pos}))
		if values < 4*e.Nodes || e.bound(pos) < manyBound {
			continue
		}
		order := append([]int{pos}, slices.DeleteFunc(positions(len(e.Table.PrimaryKey)), func(p int) bool { return p == pos })...)
		var l Layout
		var cols []int
		var desc []bool
		for _, p := range order {
			c := e.Table.PrimaryKey[p]
			cols, desc = append(cols, c), append(desc, e.Table.Columns[c].Desc)
			l.Key = append(l.Key, KeyPart{e.Table.Columns[c].Name, e.Table.Columns[c].Desc})
		}
		then := e.under(l)
		if then == nil || then.OfNodes < spread || e.nodeGain(then) < leastGain {
			continue
		}
		return &Advice{
			Evidence: why + fmt.Sprintf(", %.2f where the key leads with %s, which %.0f %% of the reads bind", then.OfNodes, e.Table.Columns[cols[0]].Name, 100*e.bound(pos)),
			DDL:      advise.KeyDDL(e.Planner, e.Table, cols, desc), Gain: e.nodeGain(then), Copies: true,
		}
	}
	return nil
}

func positions(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// bound is the part of the reads that bind a key column to values: those by full keys do.
func (e *Evidence) bound(pos int) float64 {
	s := e.scansOf(e.Table)
	statements := s.n // scans are counted in each bucket that they read
	if statements == 0 {
		statements = e.calls[heat.Scan] // of which nothing is known
	}
	binding := 0.0
	if pos < len(s.binds) {
		binding = s.binds[pos]
	}
	scans := e.calls[heat.Scan] / max(s.perScan(), 1)
	all := e.calls[heat.Point] + scans
	if all == 0 || statements == 0 && scans > 0 {
		return 0
	}
	if statements == 0 {
		return 1
	}
	return (e.calls[heat.Point] + scans*binding/statements) / all
}

// fewValues finds one value of what is hashed, or of an unsalted key's first column, that takes more
// writes than a node can.
func fewValues(e *Evidence) *Advice {
	by := []int{0}
	if e.Table.Buckets() > 0 {
		if by = e.Table.Codec().Key.HashedColumns(); len(by) == len(e.Table.PrimaryKey) {
			return nil
		}
	}
	part, _ := e.top(isWrite, e.columns(by))
	if part <= 1.5/float64(e.Nodes) || part*e.calls[heat.Write] < float64(saltmodel.LeastKeys) {
		return nil
	}
	s := catalog.Salt{Buckets: max(e.Table.Options.SaltBuckets, e.forNodes())}
	then := e.under(Layout{Salt: s})
	if then == nil || e.nodeGain(then) < leastGain {
		return nil
	}
	names := make([]string, len(by))
	for i, pos := range by {
		names[i] = e.Table.Columns[e.Table.PrimaryKey[pos]].Name
	}
	return e.resalt(s, e.nodeGain(then), fmt.Sprintf("one value of (%s) has %.0f %% of the writes: %.2f of %d nodes are used, %.2f where the whole key is hashed", strings.Join(names, ", "), 100*part, e.now.OfNodes, e.Nodes, then.OfNodes))
}

// oneHotKey finds a row that keeps much of a node busy, which no layout changes.
func oneHotKey(e *Evidence) *Advice {
	o := saltmodel.NewCluster(saltmodel.Options{}).Options()
	window := e.Until.Sub(e.Samples[e.minutes[0][0]].At).Seconds()
	most := 0.0
	for _, k := range []struct {
		kind heat.Kind
		cost float64
	}{{heat.Write, o.WriteCost().Seconds()}, {heat.Point, o.ReadCost().Seconds()}} {
		part, _ := e.top(func(s *heat.Sample) bool { return s.Kind == k.kind }, func(i int) (string, bool) { return string(e.Samples[i].Key), true })
		most = max(most, part*e.calls[k.kind]*k.cost/window)
	}
	if most < hotKeyPart {
		return nil
	}
	return &Advice{Evidence: fmt.Sprintf("one key keeps %.0f %% of a node busy, and no salt can spread one row: count in several rows whose key has the writer, or keep what is read in a cache; saltsql.hot_keys names it", 100*most)}
}
