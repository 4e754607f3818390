package saltmodel

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"
)

// balance ends a window: busy and large tablets are split, then tablets move
// from the busiest node to the idlest as long as that brings the two nearer.
func (c *Cluster) balance() {
	for c.window <= c.now {
		c.window += c.opts.Window
	}
	busy := time.Duration(float64(c.opts.Window) * c.opts.SplitLoad)
	var all []*tablet
	for _, name := range slices.Sorted(maps.Keys(c.tables)) {
		var list []*tablet
		for _, t := range c.tables[name] {
			list = append(list, t)
			if t.load <= busy && t.bytes <= c.opts.SplitBytes {
				continue
			}
			if right := t.split(); right != nil {
				list = append(list, right)
				c.splits++
			}
		}
		c.tables[name] = list
		all = append(all, list...)
	}
	c.move(all)
	for _, t := range all {
		t.load, t.seen = 0, 0
	}
	for i := range c.nodes {
		c.nodes[i].load = 0
	}
}

// split cuts a tablet in two halves of equal load and gives the right one; nil
// where one row has it all.
func (t *tablet) split() *tablet {
	keys := slices.Clone(t.keys[:min(t.seen, sampled)])
	slices.SortFunc(keys, bytes.Compare)
	if len(keys) < 2 {
		return nil
	}
	mid := keys[len(keys)/2]
	if bytes.Equal(mid, t.start) || bytes.Equal(mid, keys[0]) {
		return nil
	}
	t.load /= 2
	t.bytes /= 2
	return &tablet{start: bytes.Clone(mid), node: t.node, load: t.load, bytes: t.bytes}
}

// worthMoving is the least difference between two nodes, as a part of the busier
// one's load, for which a tablet is moved: the next window is never like the last.
const worthMoving = 0.15

func (c *Cluster) move(all []*tablet) {
	if len(c.nodes) == 1 {
		return
	}
	byLoad := func(a, b int) int { return cmp.Compare(c.nodes[a].load, c.nodes[b].load) }
	order := make([]int, len(c.nodes))
	for i := range order {
		order[i] = i
	}
	for range len(all) {
		from, to := slices.MaxFunc(order, byLoad), slices.MinFunc(order, byLoad)
		gap := c.nodes[from].load - c.nodes[to].load
		if float64(gap) < worthMoving*float64(c.nodes[from].load) {
			return
		}
		var best *tablet
		for _, t := range all {
			// Moving more than half of the gap would only turn it round.
			if t.node == from && t.load > gap/50 && t.load <= gap/2 && (best == nil || t.load > best.load) {
				best = t
			}
		}
		if best == nil {
			return
		}
		c.nodes[from].load -= best.load
		c.nodes[to].load += best.load
		best.node, best.away = to, c.now+c.opts.MoveTime
		c.moves++
	}
}
