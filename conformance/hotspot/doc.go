// Package hotspot measures what salting does to keys that grow: it writes and
// reads rows in the order of their keys on simulated clusters, salted and not.
//
//	Run ── rowcodec (the real salt) ── sim.Store ── mem
//	 └── Table, SVG: docs/salting.md
//
// TestDay runs a server on such a cluster, by its clock: what the server advises and predicts is held
// against what the cluster then does.
//
// Its numbers are virtual and the same on every machine.
//
//go:generate go run ./plot ../../docs
package hotspot
