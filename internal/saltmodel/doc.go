// Package saltmodel shows what a load does to the nodes of a Bigtable cluster, in virtual time.
//
//	Request: key, cost --> tablet --> node: waits behind what it was given before
//	                         |
//	  each minute: busy and large tablets split, tablets move to idle nodes
//
// The model is what the service documents: a node serves 17,000 row reads or 14,000 row writes a
// second and scans 220 MB/s; a table is cut into tablets, each served by one node; tablets that are
// large or busy are split, and tablets move to idle nodes, after a minute or so. It knows nothing
// of caches, compactions or the network: take its numbers as ratios.
//
// conformance/hotspot measures salt by it, and saltsql.what_if and saltsql.advice predict by it.
// It has no clock, reads no store and gives the same times for the same requests.
package saltmodel
