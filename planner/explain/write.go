package explain

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// writeText is what EXPLAIN says of a write to t.
func writeText(m plan.WriteMode, t *catalog.Table) string {
	if m == plan.ReadFirst && t.Options.TTL > 0 {
		return m.String() + ", whole rows for their TTL"
	}
	return m.String()
}

// indexNames lists the indexes that a write to t keeps up.
func indexNames(t *catalog.Table) string {
	var names []string
	for i := range t.Indexes {
		if t.Indexes[i].Kept() {
			names = append(names, t.Indexes[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

func tableName(t *catalog.Table) string {
	if t.Schema == "" || t.Schema == "public" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

func setText(t *catalog.Table, set []plan.SetColumn) string {
	texts := make([]string, len(set))
	for i, s := range set {
		texts[i] = t.Columns[s.Column].Name + " = " + bare(expr.ToText(s.Value))
	}
	return strings.Join(texts, ", ")
}

func checkNames(checks []plan.CheckExpr) string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// describeInsert shows the write mode and what happens to a row whose key exists.
func describeInsert(n *plan.Insert) Description {
	conflict, arbiters := "", ""
	switch n.OnConflict {
	case plan.ConflictNothing:
		conflict = "do nothing"
	case plan.ConflictUpdate:
		conflict = "update " + setText(n.Table, n.Set)
	}
	if n.Arbitrates() {
		var names []string
		for _, ix := range n.Arbiters {
			names = append(names, ix.Name)
		}
		arbiters = strings.Join(names, ", ")
	}
	return Description{Name: "Insert", Object: tableName(n.Table), Attrs: attrs(
		"write", writeText(n.Mode, n.Table), "indexes", indexNames(n.Table), "on conflict", conflict, "arbiters", arbiters, "conflict filter", exprText(n.Where),
		"computed", setText(n.Table, n.Generated), "check", checkNames(n.Checks), "returning", exprList(n.Returning))}
}

// describeUpsert shows the write mode and what a new row is given beside the named columns.
func describeUpsert(n *plan.Upsert) Description {
	onDup := ""
	if n.OnDuplicateIgnore {
		onDup = "ignore"
	} else if len(n.Set) > 0 {
		onDup = "update " + setText(n.Table, n.Set)
	}
	required := make([]string, len(n.Required))
	for i, c := range n.Required {
		required[i] = n.Table.Columns[c].Name
	}
	return Description{Name: "Upsert", Object: tableName(n.Table), Attrs: attrs(
		"write", writeText(n.Mode, n.Table), "indexes", indexNames(n.Table), "columns", tableColumns(n.Table, n.Named), "on duplicate", onDup,
		"new rows", setText(n.Table, n.Defaults), "new rows need", strings.Join(required, ", "),
		"computed", setText(n.Table, n.Generated), "check", checkNames(n.Checks), "returning", exprList(n.Returning))}
}

// describeUpdate shows the write mode and the assignments.
func describeUpdate(n *plan.Update) Description {
	d := Description{Name: "Update", Object: tableName(n.Table), Attrs: attrs(
		"write", writeText(n.Mode, n.Table), "indexes", indexNames(n.Table), "set", setText(n.Table, n.Set),
		"computed", setText(n.Table, n.Generated), "check", checkNames(n.Checks), "returning", exprList(n.Returning))}
	if n.MovesKey {
		d.Attrs = append(d.Attrs, attrs("row key", "moves")...)
	}
	return d
}

// describeDelete shows the write mode.
func describeDelete(n *plan.Delete) Description {
	return Description{Name: "Delete", Object: tableName(n.Table), Attrs: attrs(
		"write", n.Mode.String(), "indexes", indexNames(n.Table), "returning", exprList(n.Returning))}
}

// describeLock shows the tables and what is done about rows that are locked.
func describeLock(n *plan.Lock) Description {
	var names []string
	for i := range n.Tables {
		t := &n.Tables[i]
		name := tableName(t.Table)
		switch {
		case t.NoWait:
			name += " nowait"
		case t.SkipLocked:
			name += " skip locked"
		}
		names = append(names, name)
	}
	return Description{Name: "Lock Rows", Object: strings.Join(names, ", ")}
}
