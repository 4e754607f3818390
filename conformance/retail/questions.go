package retail

import "slices"

// Question is one of the 99.
type Question struct {
	Asks string // in a few words
	SQL  string
}

// Questions are numbered from 1. Their orders are total, so that answers can be compared
// line by line.
var Questions = slices.Concat(askShops, askReturns, askChannels, askItems, askBuyers, askTime, askSets)
