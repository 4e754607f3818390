// Package heatmap draws how busy parts of a table were, as lines of text for a terminal and as SVG.
//
//	Map: a row for each part, a column for each step of time --> Text, SVG, Bytes
//
// catalog/pgcatalog fills a Map with what internal/heat has counted. It knows no tables and no
// clock: what it is given it draws, the same bytes for the same Map.
package heatmap
