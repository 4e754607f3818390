// Package sequence is the functions over sequences: nextval, currval, lastval, setval and those
// that catalogs are shown by.
//
//	nextval('s') ── rights ── catalog, which gives values of s by the block ──> Drawn
//	currval('s'), lastval() <────────────────────────────────────────────────────'
//
// internal/session calls it, and is asked through Host for what only a session knows. What a
// session draws it remembers by the sequence's ID: another sequence of the same name is another.
// It must not know how values are kept from being given twice: that is the catalog's.
package sequence
