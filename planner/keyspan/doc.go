// Package keyspan turns a plan's condition on the key into what to read: spans of row
// keys, points, or the suffixes behind a prefix.
//
//	plan.KeyCond + parameters --> Condition --> rowcodec.Conj --> rowcodec.SpanSet
//
// Scans read by it and estimates count by it, so that both see the same spans. It calls
// rowcodec for the bytes and must never widen a condition without saying so: where the
// spans hold more rows than the condition, the set is not Exact.
package keyspan
