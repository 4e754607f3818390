package planner

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// Hints are a set of what Phoenix's comments /*+ … */ ask for.
type Hints uint8

// The hints that do something.
const (
	hintSerial        Hints = 1 << iota // SERIAL, SMALL: buckets are read one after another
	hintForwardScan                     // FORWARD_SCAN: no scan runs backwards; a sort does it
	hintRangeScan                       // RANGE_SCAN: no seeks, all rows of the spans are read
	hintSkipScan                        // SKIP_SCAN: seeks on tables of any size
	hintJoinAsWritten                   // NO_STAR_JOIN: relations are joined in the order written
	hintMergeJoin                       // USE_SORT_MERGE_JOIN: equalities are joined by merging sorted sides
)

var hintNames = map[string]Hints{
	"SERIAL": hintSerial, "SMALL": hintSerial, "FORWARD_SCAN": hintForwardScan,
	"RANGE_SCAN": hintRangeScan, "SKIP_SCAN": hintSkipScan,
	"NO_STAR_JOIN": hintJoinAsWritten, "USE_SORT_MERGE_JOIN": hintMergeJoin,
	// There are no indexes to leave out.
	"NO_INDEX": 0, "USE_DATA_OVER_INDEX_TABLE": 0,
}

func (h Hints) has(x Hints) bool { return h&x != 0 }

// HintsOf reads a list of names, as the setting saltsql.hints holds it. bad is the
// first that is none.
func HintsOf(list string) (h Hints, bad string) {
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		hint, ok := hintNames[strings.ToUpper(name)]
		if !ok {
			return h, name
		}
		h |= hint
	}
	return h, ""
}

// readHints adds a statement's hints to ctx's; one that is not known is told, and ignored.
func readHints(ctx *Context, stmt *tree.Statement) *Context {
	if len(stmt.Side.Hints) == 0 {
		return ctx
	}
	c := *ctx
	for _, h := range stmt.Side.Hints {
		hint, ok := hintNames[h.Name]
		if !ok && ctx.Notice != nil {
			ctx.Notice(sqlerr.Notice(sqlerr.Warning, "hint %s is not known and is ignored", h.Name).At(h.Pos).
				WithHint("The hints are SERIAL, FORWARD_SCAN, RANGE_SCAN, SKIP_SCAN, NO_INDEX, NO_STAR_JOIN and USE_SORT_MERGE_JOIN."))
		}
		c.Hints |= hint
	}
	return &c
}

// readsBackward says that a scan of n runs backwards.
func readsBackward(n plan.Node) bool {
	if s, ok := scanUnder(n); ok {
		return s.Order == plan.Reverse
	}
	for _, in := range n.Inputs() {
		if readsBackward(in) {
			return true
		}
	}
	return false
}
