// Package retail makes a retailer's warehouse and asks 99 questions of it.
//
// The shapes are those of decision support as TPC-DS draws them: three channels of sales
// with their returns, stock, and the dimensions around them, with keys that are NULL here
// and there; star joins over several facts, roll-ups, windows over aggregates, sets of
// channels, correlated averages, a year beside the one before. Tables, names, words, draws
// and questions are of this package alone: figures are not comparable with published ones.
// The same scale gives the same rows on every machine.
//
//	schema.go       the tables
//	dimensions.go   their rows: days, items, shops, buyers and what describes them
//	facts.go        sales, returns and stock
//	ask_*.go        the questions, by what they are about
package retail
