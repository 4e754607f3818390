package saltmodel

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Request is one of a load's requests, which stands for several like it.
type Request struct {
	Key  []byte        // with its salt
	At   time.Duration // since any moment
	Cost time.Duration // of a node, for all that it stands for
}

// Prediction is what a cluster does with a load that keeps it as busy as it can be.
type Prediction struct {
	OfNodes float64 // the part of the nodes' time that is used; 1: all are busy all the time
	Margin  float64 // OfNodes is right by about so much either way
	Peak    float64 // what the busiest node does, over what nodes do on average
	Keys    int     // requests that it is told from
}

const (
	// replayMinutes is how long, virtually, the load would keep all nodes busy.
	replayMinutes = 6
	// replayRequests is about how many requests a node gets in each of these minutes.
	replayRequests = 400
	// replayClients is how many of them wait or are at work at once, for each node.
	replayClients = 16
	// interleaved is over how many requests for each node the parts of one are spread.
	interleaved = 8
	// measured is the part of the load that is told of: before, tablets split and move.
	measured = 2.0 / 3
	// leastMargin is the part of what is told that it may be wrong by, however alike the halves of a
	// sample are: TestReplay's errors, of which 9 of 10 are below 12 %.
	leastMargin = 0.1
	// LeastKeys is how many requests a node must have for each minute of a load, for less tell nothing.
	LeastKeys = 25
)

// Replay tells what a cluster does with a load, from a sample of its requests. A request is replayed
// in parts, with those around it: a few requests that stand for many must not look like bursts. The
// first third of them is for tablets to split and move; the rest is what is told of.
func Replay(o Options, splits [][]byte, load []Request) Prediction {
	load = slices.Clone(load)
	slices.SortStableFunc(load, func(a, b Request) int { return cmp.Compare(a.At, b.At) })
	p := replay(o, splits, load)
	p.Keys = len(load)
	p.evenOut(float64(len(load))*measured, max(o.Nodes, 1))
	// Two halves of the sample tell how much hangs on which keys are in it.
	var halves [2][]Request
	for i := range load {
		halves[i%2] = append(halves[i%2], load[i])
	}
	a, b := replay(o, splits, halves[0]), replay(o, splits, halves[1])
	for i, h := range []*Prediction{&a, &b} {
		h.evenOut(float64(len(halves[i]))*measured, max(o.Nodes, 1))
	}
	low := min(a.OfNodes, b.OfNodes)
	p.Margin = max(max(a.OfNodes, b.OfNodes)-low, p.OfNodes-low, leastMargin*p.OfNodes)
	return p
}

// evenOut takes out of what is told what chance has put there: of a sample that falls evenly on n nodes,
// one node gets more than the mean, which the load itself does not do.
func (p *Prediction) evenOut(keys float64, n int) {
	if n == 1 || keys < LeastKeys*float64(n) {
		return // so few keys may be what the load is
	}
	// The expected maximum of n normal variables, about, in standard deviations.
	chance := math.Sqrt(2*math.Log(float64(n))) * 0.75 / math.Sqrt(keys/float64(n))
	if over := p.Peak - 1; over < 2*chance {
		p.OfNodes = min(1, p.OfNodes*(1+min(over, chance)))
		p.Peak = max(1, p.Peak/(1+chance))
	}
}

func replay(o Options, splits [][]byte, load []Request) Prediction {
	o.Clients = replayClients * max(o.Nodes, 1) // more would be minutes of work that waits
	c := NewCluster(o)
	const table = ""
	c.Create(table, splits)
	var sum time.Duration
	for i := range load {
		sum += load[i].Cost
	}
	if sum == 0 {
		return Prediction{}
	}
	nodes := c.opts.Nodes
	unit := float64(nodes) * replayMinutes * float64(time.Minute) / float64(sum)
	part := time.Minute / replayRequests
	warm := time.Duration(float64(sum) * (1 - measured))
	var did time.Duration
	block := interleaved * nodes
	for len(load) > 0 {
		n := min(block, len(load))
		for j, left := 0, true; left; j++ {
			left = false
			for i := range load[:n] {
				cost := time.Duration(float64(load[i].Cost) * unit)
				parts := int(max((cost+part/2)/part, 1))
				if j >= parts {
					continue
				}
				c.Request(table, load[i].Key, cost/time.Duration(parts), 0)
				left = left || j+1 < parts
			}
		}
		for i := range load[:n] {
			did += load[i].Cost
		}
		if warm > 0 && did >= warm {
			warm = 0
			c.Reset()
		}
		load = load[n:]
	}
	s := c.Stats()
	p := Prediction{}
	most := 0.0
	for _, b := range s.Busy {
		p.OfNodes += b / float64(nodes)
		most = max(most, b)
	}
	p.Peak = 1
	if p.OfNodes > 0 {
		p.Peak = most / p.OfNodes
	}
	return p
}
