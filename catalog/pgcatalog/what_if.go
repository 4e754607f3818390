package pgcatalog

import (
	"math"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// saltsql.what_if: what nodes would do with a table's load under another salt or key.

// WhatIf is what saltsql.what_if is asked.
type WhatIf struct {
	Table *catalog.Table
	Given bool // a layout is: else those that are worth trying
	Salt  catalog.Salt
	Key   []string // columns, with DESC behind those that descend
	Nodes int      // 0 is saltsql.advice_nodes
	Since time.Time
}

// WhatIfRow is what is told of one layout.
type WhatIfRow struct {
	Variant               string
	OfNodes, Margin, Peak float64
	CallsPerScan          float64 // 0 is not known
	Keys                  int
}

func init() {
	const name = OwnSchema + ".what_if"
	cols := []expr.SetColumn{{Name: "variant", T: tText}, {Name: "of_nodes", T: types.Of(types.Float8)}, {Name: "margin", T: types.Of(types.Float8)},
		{Name: "peak", T: types.Of(types.Float8)}, {Name: "calls_per_scan", T: types.Of(types.Float8)}, {Name: "keys", T: tInt4}}
	all := ts(tRegclass, tInt4, tTexts, tTexts, tInt4, types.Of(types.Interval))
	for n := 1; n <= len(all); n++ {
		setOf(name, all[:n], cols, whatIf)
	}
	none := &expr.Const{Value: array(types.Text, text, nil), T: tTexts}
	expr.RegisterArgNames(name, expr.ArgName{Name: "table"}, expr.ArgName{Name: "salt_buckets", Default: &expr.Const{Value: num(triesSalts), T: tInt4}},
		expr.ArgName{Name: "salt_columns", Default: none}, expr.ArgName{Name: "key", Default: none}, expr.ArgName{Name: "nodes", Default: &expr.Const{Value: num(0), T: tInt4}}, expr.ArgName{Name: "last"})
}

// shown is a value that is told from a sample, by as many digits as mean something.
func shown(v float64) types.Datum { return float(math.Round(v*1000) / 1000) }

// triesSalts is SALT_BUCKETS where none is given.
const triesSalts = -1

// whatIf gives a row for the present layout, and one for each that is asked for: 42501 for who may not
// see how the store is used, 55000 where too few keys are sampled.
func whatIf(c *Call) ([][]types.Datum, error) {
	if !c.snap.HasPrivsOf(c.Role(), catalog.RoleMonitor) {
		return nil, catalog.Denied("view", "what_if")
	}
	h, name, err := heatedByOID(c)
	if err != nil {
		return nil, err
	}
	if h.index != nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", name).WithHint("What if is told of tables: an index has the salt that it was made with.")
	}
	q := WhatIf{Table: h.table, Since: c.env.StmtTime.Add(-heat.KeepSamples)}
	n := len(c.Args)
	if n > 1 && c.Args[1].Int != triesSalts {
		q.Given, q.Salt.Buckets = true, int(c.Args[1].Int)
	}
	for i, to := range []*[]string{&q.Salt.Columns, &q.Key} {
		if n <= 2+i {
			break
		}
		for _, e := range c.Args[2+i].Array.Elems {
			if e.Null {
				return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "a column of what_if cannot be NULL")
			}
			*to = append(*to, string(e.Bytes))
		}
	}
	if !q.Given && (len(q.Salt.Columns) > 0 || len(q.Key) > 0) {
		q.Given, q.Salt.Buckets = true, q.Table.Options.SaltBuckets
	}
	if n > 4 {
		if q.Nodes = int(c.Args[4].Int); q.Nodes < 0 || q.Nodes > MostAdviceNodes {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "what_if is told of 1 to %d nodes", MostAdviceNodes)
		}
	}
	if n > 5 {
		v := c.Args[5].Interval
		last := time.Duration(v.Micros) * time.Microsecond
		if v.Months != 0 || v.Days != 0 || last < time.Minute || last > heat.KeepSamples {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "what_if is told of the last minute at least, and of the last %d minutes at most", int(heat.KeepSamples/time.Minute))
		}
		q.Since = c.env.StmtTime.Add(-last)
	}
	list, err := c.WhatIf(c.Context(), &q)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Datum
	for _, r := range list {
		calls := null
		if r.CallsPerScan > 0 {
			calls = shown(r.CallsPerScan)
		}
		rows = append(rows, []types.Datum{text(r.Variant), shown(r.OfNodes), shown(r.Margin), shown(r.Peak), calls, num(r.Keys)})
	}
	return rows, nil
}

// MostAdviceNodes is of how many nodes advice is given at most: a minute's sample of keys is enough for
// about so many.
const MostAdviceNodes = heat.MinuteSamples / saltmodel.LeastKeys

// KeyColumn reads a column of WhatIf.Key.
func KeyColumn(s string) (name string, desc bool) {
	if name, ok := cutSuffixFold(s, " desc"); ok {
		return name, true
	}
	name, _ = cutSuffixFold(s, " asc")
	return name, false
}

func cutSuffixFold(s, suffix string) (string, bool) {
	if at := len(s) - len(suffix); at > 0 && strings.EqualFold(s[at:], suffix) {
		return strings.TrimSpace(s[:at]), true
	}
	return strings.TrimSpace(s), false
}
