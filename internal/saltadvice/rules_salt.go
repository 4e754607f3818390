package saltadvice

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/heat"
)

// Rules of salt: what it costs scans, and where its hash fails.

// tooMany finds scans that read few rows in each of more buckets than there are nodes for.
func tooMany(e *Evidence) *Advice {
	n := e.Table.Options.SaltBuckets
	if e.Table.Epochs != nil || n <= 2*e.Nodes || e.scanPart() < 0.5 || e.calls[heat.Row] >= 10*e.calls[heat.Scan] {
		return nil
	}
	s := catalog.Salt{Buckets: e.forNodes(), Columns: e.Table.Options.SaltColumns}
	then := e.under(Layout{Salt: s})
	if then == nil || !e.leaves(then) || e.callGain(then) < leastGain {
		return nil
	}
	return e.resalt(s, e.callGain(then), fmt.Sprintf("%d buckets on %d nodes: scans are %.0f %% of the calls, and read %.1f rows in each bucket", n, e.Nodes, 100*e.scanPart(), e.calls[heat.Row]/e.calls[heat.Scan]))
}

// prunable finds a prefix of the key that most scans bind: hashed alone, it leaves them one bucket.
func prunable(e *Evidence) *Advice {
	n := e.Table.Options.SaltBuckets
	if e.Table.Epochs != nil || n < 2 || e.scanPart() < leastScans {
		return nil
	}
	for k := min(len(e.Table.PrimaryKey), len(e.Table.Codec().Key.HashedColumns())) - 1; k > 0; k-- {
		s := catalog.Salt{Buckets: n}
		for _, c := range e.Table.PrimaryKey[:k] {
			s.Columns = append(s.Columns, e.Table.Columns[c].Name)
		}
		l := Layout{Salt: s}
		as, err := l.Of(e.Table)
		if err != nil {
			continue
		}
		if sc := e.scansOf(as); sc.n == 0 || sc.one/sc.n < manyBound {
			continue
		}
		then := e.under(l)
		if then == nil || then.OfNodes+then.Margin < spread || e.callGain(then) < leastGain {
			continue
		}
		return e.resalt(s, e.callGain(then), fmt.Sprintf("%.0f %% or more of the scans bind (%s): they would read one bucket, not %.1f, and %.2f of %d nodes are used", 100*manyBound, strings.Join(s.Columns, ", "), e.now.scanCalls(e.Table, true), then.OfNodes, e.Nodes))
	}
	return nil
}

// needless finds salt on a key that spreads writes without it.
func needless(e *Evidence) *Advice {
	if e.Table.Epochs != nil || e.Table.Options.SaltBuckets == 0 || e.scanPart() < leastScans {
		return nil
	}
	if e.atOneEnd() >= growingPart {
		return nil
	}
	then := e.under(Layout{})
	if then == nil || then.OfNodes+then.Margin < spread || !e.leaves(then) || e.callGain(then) < leastGain {
		return nil
	}
	return e.resalt(catalog.Salt{}, e.callGain(then), fmt.Sprintf("the key spreads the load without salt: %.2f of %d nodes are used, and a scan reads one range, not %.1f", then.OfNodes, e.Nodes, e.now.scanCalls(e.Table, true)))
}

// badHash finds buckets that are filled less evenly than chance does, though no key is to blame.
func badHash(e *Evidence) *Advice {
	n := e.Table.Options.SaltBuckets
	if e.Table.Epochs != nil || n < 2 || len(e.Table.Codec().Key.HashedColumns()) < len(e.Table.PrimaryKey) {
		return nil
	}
	var all, most int64
	for b := range e.Buckets {
		x := e.Buckets[b].Hits + e.Buckets[b].Misses + e.Buckets[b].RowsWritten
		all, most = all+x, max(most, x)
	}
	if all == 0 || len(e.Buckets) != n {
		return nil
	}
	peak, chance := float64(most)*float64(n)/float64(all), heat.ExpectedPeak(all, n)
	hot, _ := e.top(func(s *heat.Sample) bool { return s.Kind != heat.Scan && s.Kind != heat.Row }, func(i int) (string, bool) { return string(e.Samples[i].Key), true })
	if peak <= 1.5*chance || hot*float64(n) > (peak-chance)/2 {
		return nil
	}
	for _, d := range []int{1, -1, 2, -2, 3, -3} {
		m := n + d
		if m < 2 || m > 256 {
			continue
		}
		s := catalog.Salt{Buckets: m}
		then := e.under(Layout{Salt: s})
		if then == nil || e.nodeGain(then) < leastGain {
			continue
		}
		return e.resalt(s, e.nodeGain(then), fmt.Sprintf("the busiest of %d buckets gets %.1f times the mean, where chance gives %.2f, and no key alone does: the hash spreads these keys badly over %d", n, peak, chance, n))
	}
	return nil
}

// newestFirst finds scans that go against the order of the key.
func newestFirst(e *Evidence) *Advice {
	s := e.scansOf(e.Table)
	if s.n == 0 || s.reverse/s.n < reversePart || e.scanPart() < leastScans {
		return nil
	}
	return e.turned(s)
}

// wideRows finds rows that stores read and write badly.
func wideRows(e *Evidence) *Advice {
	if e.RowMax <= wideRow {
		return nil
	}
	text := fmt.Sprintf("rows of %.0f MB: a row is read and written as one, and Bigtable refuses those above 256 MB", e.RowMax/1e6)
	if e.RowMax > tooWideRow {
		text += "; these are near it"
	}
	return &Advice{Evidence: text + ". Put what repeats into rows of its own, whose key has one more column"}
}
