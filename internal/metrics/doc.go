// Package metrics shows a server's counters to Prometheus, and says whether it is well.
//
//	/metrics   every number that the server counts anyway, read when it is asked for
//	/healthz   200 while the process answers
//	/readyz    200 while statements would be answered, else 503 and why
//
// cmd/saltsql serves it. It counts nothing itself, and a scrape costs the same however many tables there are: beside the 50 busiest none is named,
// and nothing else that users write becomes a label.
package metrics
