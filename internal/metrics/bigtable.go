package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"

	"github.com/saltsql/saltsql/storage/bigtable"
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
			if code != codes.OK {
				storageCalls.give(out, float64(times), r.Method, code.String())
			}
		}
		storeCalls(out, r.Method, r.Codes[codes.OK], n, r.Time, bigtable.RequestBounds[:], r.Within[:])
		sent, received = sent+r.Sent, received+r.Received
	}
	storageBytes.give(out, float64(sent), "sent")
	storageBytes.give(out, float64(received), "received")
}
