// Package estimate guesses how many rows a plan's nodes give, and what running it costs, from what
// is known of tables: their rows, where their keys lie, what ANALYZE has seen in columns.
//
//	Known (Estimator, Env) --+-- key, selectivity     which part of a table a scan gives
//	                         +-- estimate             the rows of every node: PlanRows
//	                         +-- seeks, spans         whether seeking is cheaper than reading on
//	                         +-- cost                 until the first row, and to the last
//
// The rules of package planner decide by it, EXPLAIN prints it, and advice compares plans by it.
// internal/stats is the Estimator of a server. It calls keycond, keyorder and walk.
//
// It must never change a plan but for ReadAsOne's bound on spans, nor wait for an answer: what is
// not known is taken from rules of thumb, or told as not known.
package estimate
