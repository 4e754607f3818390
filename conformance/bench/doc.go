// Package bench measures speed as ratios to floors in the same run: a bare
// Pebble, an empty protocol round trip, and PostgreSQL. README.md says how to
// run it, what was measured and where the time goes.
package bench
