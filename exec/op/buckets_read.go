package op

import (
	"math/bits"

	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/planner/plan"
)

// BucketSet are salt buckets.
type BucketSet [keyform.MaxBuckets / 64]uint64

// Add adds a bucket; none that is negative.
func (s *BucketSet) Add(bucket int) {
	if bucket >= 0 {
		s[bucket>>6] |= 1 << (bucket & 63)
	}
}

// bucketsRead are the buckets that the scans of one node have read so far.
type bucketsRead struct {
	node plan.Node
	set  BucketSet
}

// AddBuckets counts the buckets that a run of a node's scan has read: each once, however
// often the node runs.
func (cx *Context) AddBuckets(n plan.Node, set *BucketSet) {
	if *set == (BucketSet{}) {
		return
	}
	fresh := cx.freshBuckets(n, set)
	if fresh > 0 && cx.Actuals != nil {
		a := cx.Actual(n)
		cx.mu.Lock()
		a.Buckets += fresh
		cx.mu.Unlock()
	}
}

// freshBuckets says how many of set are new for the node, and counts them as the statement's.
func (cx *Context) freshBuckets(n plan.Node, set *BucketSet) int64 {
	cx.mu.Lock()
	defer cx.mu.Unlock()
	at := 0
	for at < len(cx.buckets) && cx.buckets[at].node != n {
		at++
	}
	if at == len(cx.buckets) {
		if at == 0 {
			cx.buckets = cx.fewBuckets[:0]
		}
		cx.buckets = append(cx.buckets, bucketsRead{node: n})
	}
	fresh := 0
	have := &cx.buckets[at].set
	for i, w := range set {
		fresh += bits.OnesCount64(w &^ have[i])
		have[i] |= w
	}
	cx.Work.Buckets += int64(fresh)
	return int64(fresh)
}
