package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// What a store was asked, whatever store it is.
var (
	storageCalls = define("storage_calls_total", "Calls to the store that have ended, by what was asked and how it ended. On Bigtable by gRPC's method and status, each attempt one; "+
		"on an embedded store get of keys, scan of a batch of rows, write, check of a row and write.", counter, "op", "code")
	storageSeconds = define("storage_seconds", "Time that these calls took, a stream until its end; on an embedded store of one in 32. A histogram.", 0, "op")
	storageBytes   = define("bytes_total", "Bytes, by direction: read are keys and cells that the store handed up to statements; written, on an embedded store, commits and loaded files; "+
		"sent and received are the messages to and from Bigtable.", counter, "dir")
)

// storeCalls gives what a store was asked of one kind: how many calls ended well, and of n that were
// timed, how many took at most each bound.
func storeCalls(out chan<- prometheus.Metric, op string, done int64, n uint64, sum time.Duration, bounds []time.Duration, within []uint64) {
	storageCalls.give(out, float64(done), op, "OK")
	buckets := make(map[float64]uint64, len(within))
	for i, bound := range bounds {
		buckets[bound.Seconds()] = min(within[i], n) // one that ends meanwhile
	}
	out <- prometheus.MustNewConstHistogram(storageSeconds.desc, n, sum.Seconds(), buckets, op)
}
