package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindUpsert binds Phoenix's UPSERT: it overwrites the columns named, and leaves
// the others where the row exists.
func (b writer) bindUpsert(t *catalog.Table, v *tree.Insert) *logical.Statement {
	src := &rowSource{writer: b, table: t, overriding: v.Overriding, listed: v.Columns != nil}
	src.cols = b.targetColumns(t, v.Columns, false)
	if !src.listed {
		// VALUES of fewer columns than the table has names the first ones.
		src.cols = b.leadingColumns(v, src.cols)
	}
	if v.DefaultValues {
		src.cols = nil
	}
	n := &plan.Upsert{Table: t, Named: slices.Clip(src.cols)}
	b.unnamedColumns(n)
	input := src.bind(v, n.Named)
	rights := acl.Insert | acl.Update
	if v.Conflict != nil && v.Conflict.DoNothing {
		rights = acl.Insert
	}
	b.WritesColumns(t, rights, src.cols[:src.given])
	n.Refused = src.refused
	n.RowRules = b.bindRules(t, nil)
	if v.Conflict != nil {
		b.bindDuplicateKey(n, v)
	}
	ret := b.returningOf(v, t)
	n.Returning, n.Cols = ret.exprs, ret.cols
	n.Mode = upsertMode(n)
	return ret.writing(b, "INSERT 0", n, input)
}

// leadingColumns limits the columns of a statement without a list to those it gives values for.
func (b writer) leadingColumns(v *tree.Insert, all []int) []int {
	if len(v.Rows) > 0 && len(v.Rows[0]) < len(all) {
		return all[:len(v.Rows[0])]
	}
	if v.Query == nil {
		return all
	}
	// How many columns a query gives is known only when it is bound; binding it
	// here would bind it twice.
	if n, ok := countColumns(v.Query); ok && n < len(all) {
		return all[:n]
	}
	return all
}

// countColumns counts a query's columns where no star hides them.
func countColumns(q tree.Query) (int, bool) {
	switch q := q.(type) {
	case *tree.Select:
		for i := range q.Items {
			if q.Items[i].Star {
				return 0, false
			}
		}
		return len(q.Items), true
	case *tree.Values:
		return len(q.Rows[0]), true
	case *tree.SetOp:
		return countColumns(q.Left)
	}
	return 0, false
}

// unnamedColumns says what becomes of the columns that are not named where the
// row is new. Key columns with a default are added to the named ones: a key is always whole.
func (b writer) unnamedColumns(n *plan.Upsert) {
	for i := range n.Table.Columns {
		if slices.Contains(n.Named, i) {
			continue
		}
		c := &n.Table.Columns[i]
		e, has := b.defaultOf(n.Table, i)
		switch {
		case c.KeyPos >= 0 && (has || !c.NotNull):
			n.Named = append(n.Named, i)
		case c.KeyPos >= 0:
			panic(missingKey(n.Table, c))
		case c.Generated != "":
		case has:
			n.Defaults = append(n.Defaults, plan.SetColumn{Column: i, Value: e})
		case c.NotNull:
			n.Required = append(n.Required, i)
		case c.Missing != nil: // no cell is not NULL
			n.Defaults = append(n.Defaults, plan.SetColumn{Column: i, Value: &expr.Const{T: c.Type, Value: types.NullDatum}})
		}
	}
}

// missingKey is 23502 for a key column that is neither named nor defaulted.
func missingKey(t *catalog.Table, c *catalog.Column) *sqlerr.Error {
	return sqlerr.New(sqlerr.NotNullViolation, `null value in column "%s" of relation "%s" violates not-null constraint`, c.Name, t.Name).
		WithDetail(`Column "%s" is part of the primary key and not among the columns of the statement.`, c.Name).WithColumn(t.Name, c.Name).InSchema(t.Schema)
}

// bindDuplicateKey binds ON DUPLICATE KEY: what is done where the row exists.
func (b writer) bindDuplicateKey(n *plan.Upsert, v *tree.Insert) {
	c := v.Conflict
	pos := b.Pos(c)
	switch {
	case !c.DuplicateKey:
		panic(sqlerr.Unsupported("ON CONFLICT belongs to INSERT", "Write UPSERT … ON DUPLICATE KEY, or INSERT … ON CONFLICT.").At(pos))
	case c.UpdateOnly:
		panic(sqlerr.Unsupported("ON DUPLICATE KEY UPDATE_ONLY is not supported", "Write UPDATE … WHERE the key columns have their values.").At(pos))
	case c.DoNothing:
		n.OnDuplicateIgnore = true
		return
	}
	rel := b.TableRelation(n.Table, v.Table.Alias.Name)
	p := rowPlace("UPDATE", rel)
	p.NoQueries = query.NoQuery
	set := b.bindSet(n.Table, rel, c.Set, p)
	for i, s := range set {
		set[i].Value = scope.Positions(s.Value, rel)
		if col := &n.Table.Columns[s.Column]; col.KeyPos >= 0 {
			panic(sqlerr.Unsupported(`ON DUPLICATE KEY UPDATE cannot change key column "`+col.Name+`"`,
				"Delete the row and write it under its new key.").At(pos))
		}
	}
	b.WritesColumns(n.Table, acl.Update, query.SetPlaces(set))
	n.Set = set
}

// upsertMode says what must be known of the row before.
func upsertMode(n *plan.Upsert) plan.WriteMode {
	switch {
	case n.OnDuplicateIgnore:
		return plan.CheckAbsent
	case len(n.Set) > 0 || n.Table.KeepsIndexes() || len(n.Generated) > 0:
		return plan.ReadFirst
	}
	outside := false
	for _, c := range n.Checks {
		outside = outside || readsOutside(c.Cond, n.Named)
	}
	for _, e := range n.Returning {
		outside = outside || readsOutside(e, n.Named)
	}
	codec := n.Table.Codec()
	packed := n.Table.Options.Layout == rowcodec.SingleCellArrayWithOffsets || codec != nil && codec.Layout == rowcodec.SingleCellArrayWithOffsets
	// Where rows have a TTL, what is not named is written anew with the rest.
	whole := packed || n.Table.Options.TTL > 0
	switch {
	case outside, whole && len(n.Named) < len(n.Table.Columns):
		return plan.ReadFirst
	case len(n.Defaults) > 0 || len(n.Required) > 0:
		return plan.Conditional
	}
	return plan.Blind
}
