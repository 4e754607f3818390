package planner

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Hints are a set of what Phoenix's comments /*+ … */ ask for.
type Hints uint16

// The hints that do something.
const (
	hintSerial        Hints = 1 << iota // SERIAL, SMALL: buckets are read one after another
	hintForwardScan                     // FORWARD_SCAN: no scan runs backwards; a sort does it
	hintRangeScan                       // RANGE_SCAN: no seeks, all rows of the spans are read
	hintSkipScan                        // SKIP_SCAN: seeks on tables of any size
	hintJoinAsWritten                   // NO_STAR_JOIN: relations are joined in the order written
	hintMergeJoin                       // USE_SORT_MERGE_JOIN: equalities are joined by merging sorted sides
	hintNoIndex                         // NO_INDEX, USE_DATA_OVER_INDEX_TABLE: tables are read by their primary keys
	hintIndex                           // USE_INDEX_OVER_DATA_TABLE: tables are read by an index where one can serve
	hintHashGroups                      // HASH_AGGREGATE: groups are hashed where key order would serve
)

// JoinAsWritten is NO_STAR_JOIN, for the setting saltsql.join_order.
const JoinAsWritten = hintJoinAsWritten

var hintNames = map[string]Hints{
	"SERIAL": hintSerial, "SMALL": hintSerial, "FORWARD_SCAN": hintForwardScan,
	"RANGE_SCAN": hintRangeScan, "SKIP_SCAN": hintSkipScan,
	"NO_STAR_JOIN": hintJoinAsWritten, "USE_SORT_MERGE_JOIN": hintMergeJoin,
	"NO_INDEX": hintNoIndex, "USE_DATA_OVER_INDEX_TABLE": hintNoIndex,
	"USE_INDEX_OVER_DATA_TABLE": hintIndex, "HASH_AGGREGATE": hintHashGroups,
}

// foreignHints are those that Phoenix has and that ask for nothing here, with what they are about.
var foreignHints = map[string]string{
	"NO_CACHE":                          "It is about the block cache of HBase's region servers: a store here caches by itself.",
	"SEEK_TO_COLUMN":                    "It is about how HBase's filters go through a row: columns that are not asked for are not read here.",
	"NO_SEEK_TO_COLUMN":                 "It is about how HBase's filters go through a row: columns that are not asked for are not read here.",
	"NO_CHILD_PARENT_JOIN_OPTIMIZATION": "A join's side is narrowed by the other's keys only where rows are read by their keys here.",
	"USE_PERSISTENT_CACHE":              "It is about hash tables that region servers keep: joins are done in the server here, for one statement.",
	"NO_INDEX_SERVER_MERGE":             "It is about rows that HBase's region servers fetch: rows that an index leads to are read by the server here, by key.",
	"CDC_INCLUDE":                       "There is no change data capture here.",
	"NO_INTRA_REGION_PARALLELIZATION":   "Use SERIAL, by which the buckets of a table are read one after another.",
	"USE_BAND_JOIN":                     "Joins are chosen by cost here; USE_SORT_MERGE_JOIN has them merge sorted sides.",
}

// indexHint is INDEX(t i j), which has t read by one of the indexes named, or NO_INDEX(t i), by
// none of them; without names it is about all of t's. t is what the statement calls the table.
type indexHint struct {
	table string
	names []string
	not   bool
	pos   int
	used  *bool // it is about a table of the statement, and an index that it has
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
		if (h.Name == "INDEX" || h.Name == "NO_INDEX") && len(h.Args) > 0 {
			ih := indexHint{table: hintArg(h.Args[0]), not: h.Name == "NO_INDEX", pos: h.Pos, used: new(bool)}
			for _, a := range h.Args[1:] {
				ih.names = append(ih.names, hintArg(a))
			}
			c.indexHints = append(c.indexHints, ih)
			continue
		}
		hint, ok := hintNames[h.Name]
		about, foreign := foreignHints[h.Name]
		switch {
		case ok || ctx.Notice == nil:
		case foreign:
			ctx.Notice(sqlerr.Notice(sqlerr.Warning, "hint %s asks for nothing here and is ignored", h.Name).At(h.Pos).WithHint("%s", about))
		default:
			ctx.Notice(sqlerr.Notice(sqlerr.Warning, "hint %s is not known and is ignored", h.Name).At(h.Pos).
				WithHint("The hints are SERIAL, FORWARD_SCAN, RANGE_SCAN, SKIP_SCAN, INDEX(table index), NO_INDEX, USE_INDEX_OVER_DATA_TABLE, NO_STAR_JOIN, USE_SORT_MERGE_JOIN and HASH_AGGREGATE."))
		}
		c.Hints |= hint
	}
	return &c
}

// readsBackward says that a scan of n runs backwards.
func readsBackward(n plan.Node) bool {
	if s, ok := walk.ScanUnder(n); ok {
		return s.Order == plan.Reverse
	}
	for _, in := range n.Inputs() {
		if readsBackward(in) {
			return true
		}
	}
	return false
}

// hintArg reads a name of a hint as SQL does.
func hintArg(s string) string {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
	}
	return strings.ToLower(s)
}

// of says that the hint is about a scan's table.
func (h *indexHint) of(s *plan.Scan) bool {
	name := s.Alias
	if name == "" {
		name = s.Table.Name
	}
	return h.table == name
}

func (h *indexHint) about(ix *catalog.Index) bool {
	return len(h.names) == 0 || slices.Contains(h.names, ix.Name)
}

// mayRead says that no hint forbids an index.
func (ctx *Context) mayRead(s *plan.Scan, ix *catalog.Index) bool {
	if ctx.Hints.has(hintNoIndex) {
		return false
	}
	for i := range ctx.indexHints {
		h := &ctx.indexHints[i]
		if !h.of(s) {
			continue
		}
		about := h.about(ix)
		if about {
			*h.used = true
		}
		if about == h.not {
			return false
		}
	}
	return true
}

// mustRead says that a hint has a scan's table read by an index.
func (ctx *Context) mustRead(s *plan.Scan) bool {
	return ctx.Hints.has(hintIndex) || slices.ContainsFunc(ctx.indexHints, func(h indexHint) bool { return !h.not && h.of(s) })
}

// tellUnusedHints tells which hints name no index of the statement's tables.
func (ctx *Context) tellUnusedHints() {
	for _, h := range ctx.indexHints {
		if *h.used || ctx.Notice == nil {
			continue
		}
		name := "INDEX"
		if h.not {
			name = "NO_INDEX"
		}
		ctx.Notice(sqlerr.Notice(sqlerr.Warning, "hint %s(%s) names no index of a table of the statement and is ignored", name,
			strings.Join(append([]string{h.table}, h.names...), " ")).At(h.pos).
			WithHint("The table goes by its alias, where it has one; indexes that are not built yet are not read."))
	}
}
