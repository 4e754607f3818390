package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/saltsql/saltsql/storage/bigtable"
)

var (
	bigtableRequests = define("bigtable_requests_total", "Requests to Bigtable that ended, by gRPC's method and status; each attempt is one.", counter, "method", "code")
	bigtableSeconds  = define("bigtable_request_seconds", "Time that requests to Bigtable took, a stream until its end; a histogram.", 0, "method")
	bigtableBytes    = define("bigtable_bytes_total", "Bytes of the messages to and from Bigtable.", counter, "dir")
)

// remoteCollector reads the counters of a store on Bigtable.
type remoteCollector struct{ store *bigtable.Store }

func (c remoteCollector) Describe(chan<- *prometheus.Desc) {} // collector has done so

func (c remoteCollector) Collect(out chan<- prometheus.Metric) {
	var sent, received int64
	for _, r := range c.store.Requests() {
		n := uint64(0)
		for code, times := range r.Codes {
			n += uint64(times)
			bigtableRequests.give(out, float64(times), r.Method, code.String())
		}
		buckets := make(map[float64]uint64, len(r.Within))
		for i, bound := range bigtable.RequestBounds {
			buckets[bound.Seconds()] = min(r.Within[i], n) // one that ends meanwhile
		}
		out <- prometheus.MustNewConstHistogram(bigtableSeconds.desc, n, r.Time.Seconds(), buckets, r.Method)
		sent, received = sent+r.Sent, received+r.Received
	}
	bigtableBytes.give(out, float64(sent), "sent")
	bigtableBytes.give(out, float64(received), "received")
}
