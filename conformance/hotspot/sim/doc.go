// Package sim shows what a load does to the nodes of a Bigtable cluster,
// without one: it wraps a store and reckons, in virtual time, how long the
// service would have taken.
//
//	caller ── Store ── inner store      answers, at once
//	            └─── Cluster            tablets, nodes, a clock that only requests move
//
// The model is what the service documents: a node serves 17,000 row reads or
// 14,000 row writes a second and scans 220 MB/s; a table is cut into tablets,
// each served by one node; tablets that are large or busy are split, and
// tablets move to idle nodes, after a minute or so. It knows nothing of caches,
// compactions or the network: take its numbers as ratios.
//
// Tests, benches and the plots of docs/ use it. It must never sleep, and must
// give the same times for the same requests.
package sim
