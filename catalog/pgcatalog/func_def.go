package pgcatalog

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions that print definitions. They give NULL for what there is not.

func init() {
	overloads("pg_get_expr", tText, getExpr, ts(tNodeTree, tOID), ts(tNodeTree, tOID, tBool))
	overloads("pg_get_indexdef", tText, getIndexdef, ts(tOID), ts(tOID, tInt4, tBool))
	overloads("pg_get_constraintdef", tText, getConstraintdef, ts(tOID), ts(tOID, tBool))
	overloads("pg_get_viewdef", tText, getViewdef, ts(tOID), ts(tOID, tBool))
	overloads("pg_get_viewdef", tText, func(c *Call) (types.Datum, error) { // wraps at a column, which is always done
		c.Args[1] = types.NewBool(true)
		return getViewdef(c)
	}, ts(tOID, tInt4))
	overloads("pg_get_viewdef", tText, func(c *Call) (types.Datum, error) {
		id, err := c.relation(0)
		if err != nil {
			return null, err
		}
		c.Args[0] = oid(id)
		return getViewdef(c)
	}, ts(tText), ts(tText, tBool))
	overloads("pg_get_ruledef", tText, getRuledef, ts(tOID), ts(tOID, tBool))
	// There are none of these, so every OID is one that is not there.
	for _, name := range []string{"pg_get_triggerdef", "pg_get_statisticsobjdef", "pg_get_partkeydef", "pg_get_partition_constraintdef",
		"pg_get_statisticsobjdef_columns"} {
		Function(name, ts(tOID), tText, fixed(null))
	}
	Function("pg_get_triggerdef", ts(tOID, tBool), tText, fixed(null))
	Function("pg_get_function_arguments", ts(tOID), tText, ofProc(func(p *ProcFact) string { return p.arguments(true) }))
	Function("pg_get_function_identity_arguments", ts(tOID), tText, ofProc(func(p *ProcFact) string { return p.arguments(false) }))
	Function("pg_get_function_result", ts(tOID), tText, getFunctionResult)
	Function("pg_get_function_arg_default", ts(tOID, tInt4), tText, getArgDefault)
	Function("pg_get_function_sqlbody", ts(tOID), tText, fixed(null))
	Function("pg_get_functiondef", ts(tOID), tText, getFunctiondef)
	Function("pg_get_userbyid", ts(tOID), tName, func(c *Call) (types.Datum, error) {
		if name, ok := roleName(c, c.snap, c.oid(0)); ok {
			return text(name), nil
		}
		return text(fmt.Sprintf("unknown (OID=%d)", c.oid(0))), nil
	})
	register("format_type", ts(tOID, tInt4), tText, false, formatType)
}

// getExpr reads what defaultTree and checkTree write.
func getExpr(c *Call) (types.Datum, error) {
	pretty := len(c.Args) > 2 && c.Args[2].Bool
	return optional(treeText(c.snap, c.snap.In(c.path()).Pretty(pretty), c.text(0))), nil
}

func treeText(s *catalog.Snapshot, print catalog.Printer, tree string) string {
	kind, rest, ok := strings.Cut(strings.Trim(tree, "{}"), " ")
	var table uint32
	id, what, _ := strings.Cut(rest, " ")
	_, err := fmt.Sscan(id, &table)
	if t := s.TypeByID(table); err == nil && t != nil && t.Domain != nil {
		return domainTreeText(print, t, kind, what)
	}
	t := s.TableByID(table)
	if kind == "INDEX" && err == nil {
		return indexTreeText(s, print, table, what)
	}
	if !ok || err != nil || t == nil {
		return ""
	}
	switch kind {
	case "DEFAULT":
		var num int
		if _, err := fmt.Sscan(what, &num); err == nil {
			if col := t.ColumnByID(num); col != nil {
				if col.Generated != "" {
					return print.GeneratedText(t, col)
				}
				return print.DefaultText(col)
			}
		}
	case "CHECK":
		for i := range t.Checks {
			if t.Checks[i].Name == what {
				return print.CheckText(t, &t.Checks[i])
			}
		}
	}
	return ""
}

// indexTreeText prints the predicate of an index, or its expressions.
func indexTreeText(s *catalog.Snapshot, print catalog.Printer, id uint32, what string) string {
	t, ix := s.IndexByID(id)
	if ix == nil {
		return ""
	}
	if what == "PRED" {
		return print.WhereText(t, ix)
	}
	var list []string
	for i := range ix.Parts {
		if ix.Parts[i].Column == 0 {
			list = append(list, print.ExprText(t, &ix.Parts[i]))
		}
	}
	return strings.Join(list, ", ")
}

func getIndexdef(c *Call) (types.Datum, error) {
	x := classByOID(c.snap, c.oid(0))
	if x == nil || x.Index == nil {
		return null, nil
	}
	if len(c.Args) > 1 && c.Args[1].Int > 0 {
		n := c.Args[1].Int
		if n > int64(len(x.Index.columns)) {
			return text(""), nil
		}
		return text(x.Index.columnText(c.snap.In(c.path()).Pretty(len(c.Args) > 2 && c.Args[2].Bool), int(n-1))), nil
	}
	t, pretty := classOf(x.Index.Table), len(c.Args) > 2 && c.Args[2].Bool
	name := t.qualified()
	if pretty && t.visible(c.snap, c.path()) {
		name = ident.Quote(t.Name)
	}
	return text(x.Index.definitionOn(name, c.snap.In(c.path()).Pretty(pretty), c.ShowsOptions())), nil
}

func getConstraintdef(c *Call) (types.Datum, error) {
	k := constraintByOID(c.snap, c.oid(0))
	if t, check := c.snap.DomainOfCheck(c.oid(0)); t != nil {
		return text(domainCheckDef(c.snap.In(c.path()).Pretty(len(c.Args) > 1 && c.Args[1].Bool), check)), nil
	}
	if k == nil {
		return null, nil
	}
	return text(k.definition(c.snap, c.path(), len(c.Args) > 1 && c.Args[1].Bool)), nil
}

func (k *Constraint) definition(s *catalog.Snapshot, path []string, pretty bool) string {
	if k.index != nil {
		parts := make([]string, k.index.keys)
		for i, name := range k.index.ColumnNames() {
			parts[i] = ident.Quote(name)
		}
		word := "PRIMARY KEY"
		if k.Kind == 'u' {
			word = "UNIQUE"
			if k.index.def.NullsNotDistinct {
				word += " NULLS NOT DISTINCT"
			}
		}
		return word + " (" + strings.Join(parts, ", ") + ")" + k.index.includeText()
	}
	if k.Key != nil {
		return k.foreign(s, path)
	}
	def := "CHECK (" + s.In(path).Pretty(pretty).CheckText(k.table, k.Check) + ")"
	if k.Check.NotValid {
		def += " NOT VALID"
	}
	return def
}

// foreign is FOREIGN KEY as pg_get_constraintdef prints one that is not valid.
func (k *Constraint) foreign(s *catalog.Snapshot, path []string) string {
	ref := s.TableByID(k.Key.Table)
	if ref == nil {
		return ""
	}
	def := "FOREIGN KEY (" + columnList(k.table, k.Key.Columns) + ") REFERENCES " + classOf(ref).shown(s, path) + "(" + columnList(ref, k.Key.References) + ")"
	if k.Key.Full {
		def += " MATCH FULL"
	}
	actions := map[byte]string{'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}
	if a := actions[k.Key.OnUpdate]; a != "" {
		def += " ON UPDATE " + a
	}
	if a := actions[k.Key.OnDelete]; a != "" {
		def += " ON DELETE " + a
		if len(k.Key.SetColumns) > 0 {
			def += " (" + columnList(k.table, k.Key.SetColumns) + ")"
		}
	}
	if k.Key.Deferrable {
		def += " DEFERRABLE"
	}
	if k.Key.Deferred {
		def += " INITIALLY DEFERRED"
	}
	return def + " NOT VALID"
}

func columnList(t *catalog.Table, ids []int) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = ident.Quote(catalog.ColumnName(t, id))
	}
	return strings.Join(names, ", ")
}

func getViewdef(c *Call) (types.Datum, error) {
	var v *catalog.View
	switch r := c.snap.ByID(c.oid(0)).(type) {
	case *catalog.View:
		v = r
	case *catalog.Table:
		v = r.AsView()
	}
	if v == nil {
		return null, nil
	}
	pretty := len(c.Args) > 1 && c.Args[1].Bool
	return text(c.snap.In(c.path()).Pretty(pretty).ViewText(v)), nil
}

func getRuledef(c *Call) (types.Datum, error) {
	for _, v := range c.snap.Queries() {
		if partOID(v.ID, partRule) == c.oid(0) {
			return text("CREATE RULE \"_RETURN\" AS\n    ON SELECT TO " + classOf(v).qualified() + " DO INSTEAD " + c.snap.In(c.path()).ViewText(v)), nil
		}
	}
	return null, nil
}

func ofProc(f func(p *ProcFact) string) func(*Call) (types.Datum, error) {
	return func(c *Call) (types.Datum, error) {
		p := builtins().procByOID[c.oid(0)]
		if p == nil {
			return null, nil
		}
		return text(f(p)), nil
	}
}

// arguments prints a function's arguments as CREATE FUNCTION takes them.
func (p *ProcFact) arguments(defaults bool) string {
	args, modes, names := p.Args, strings.Fields(p.Modes), p.ArgNames()
	if len(p.AllArgs) > 0 {
		args = p.AllArgs
	}
	// Defaults are those of the last input arguments.
	var texts []string
	if p.defaultText != "" {
		texts = strings.Split(p.defaultText, ", ")
	}
	firstDefault := len(p.Args) - int(p.defaults)
	var parts []string
	input := 0
	for i, a := range args {
		mode := "i"
		if i < len(modes) {
			mode = modes[i]
		}
		part := ""
		switch mode {
		case "t":
			continue
		case "o":
			part = "OUT "
		case "b":
			part = "INOUT "
		case "v":
			part = "VARIADIC "
		}
		if mode == "i" && p.variadic != 0 && len(modes) == 0 && i == len(args)-1 {
			part = "VARIADIC "
		}
		if i < len(names) && names[i] != "" {
			part += ident.Quote(names[i]) + " "
		}
		part += TypeText(a, -1)
		isInput := mode == "i" || mode == "b" || mode == "v"
		if n := input - firstDefault; defaults && isInput && n >= 0 && n < len(texts) {
			part += " DEFAULT " + texts[n]
		}
		if isInput {
			input++
		}
		parts = append(parts, part)
	}
	if p.Kind == 'a' {
		if a := aggregateByOID()[p.OID]; a != nil && a.kind != 'n' {
			direct, sorted := parts[:a.direct], parts[a.direct:]
			if len(sorted) == 0 && len(direct) > 0 {
				sorted = direct[len(direct)-1:]
			}
			return strings.TrimSpace(strings.Join(direct, ", ") + " ORDER BY " + strings.Join(sorted, ", "))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *ProcFact) resultText() string {
	var table []string
	names := p.ArgNames()
	for i, m := range strings.Fields(p.Modes) {
		if m == "t" {
			table = append(table, ident.Quote(names[i])+" "+TypeText(p.AllArgs[i], -1))
		}
	}
	switch {
	case len(table) > 0:
		return "TABLE(" + strings.Join(table, ", ") + ")"
	case p.set:
		return "SETOF " + TypeText(p.Result, -1)
	}
	return TypeText(p.Result, -1)
}

func getFunctionResult(c *Call) (types.Datum, error) {
	return ofProc((*ProcFact).resultText)(c)
}

func getArgDefault(c *Call) (types.Datum, error) {
	p := builtins().procByOID[c.oid(0)]
	if p == nil || p.defaultText == "" {
		return null, nil
	}
	texts := strings.Split(p.defaultText, ", ")
	n := int(c.Args[1].Int) - 1 - (len(p.Args) - int(p.defaults))
	if n < 0 || n >= len(texts) {
		return null, nil
	}
	return text(texts[n]), nil
}

func getFunctiondef(c *Call) (types.Datum, error) {
	p := builtins().procByOID[c.oid(0)]
	switch {
	case p == nil:
		return null, nil
	case p.Kind == 'a':
		return null, sqlerr.New(sqlerr.WrongObjectType, `"%s" is an aggregate function`, p.Bare)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE OR REPLACE FUNCTION %s.%s(%s)\n RETURNS %s\n LANGUAGE internal\n", p.Schema, ident.Quote(p.Bare), p.arguments(true), p.resultText())
	var attrs []string
	add := func(ok bool, word string) {
		if ok {
			attrs = append(attrs, word)
		}
	}
	add(p.Volatile == 'i', "IMMUTABLE")
	add(p.Volatile == 's', "STABLE")
	add(p.parallel == 's', "PARALLEL SAFE")
	add(p.parallel == 'r', "PARALLEL RESTRICTED")
	add(p.Strict, "STRICT")
	add(p.leakproof, "LEAKPROOF")
	if len(attrs) > 0 {
		b.WriteString(" " + strings.Join(attrs, " ") + "\n")
	}
	fmt.Fprintf(&b, "AS $function$%s$function$\n", p.Src)
	return text(b.String()), nil
}

// TypeText is format_type.
func TypeText(id uint32, mod int32) string {
	if t, ok := types.FromOID(id, mod); ok {
		return t.String()
	}
	if t := typeByOID()[id]; t != nil {
		name := strings.TrimPrefix(t.name, "_")
		if name == "any" || name == "char" {
			name = `"` + name + `"`
		}
		if name != t.name && t.elem != 0 {
			return name + "[]"
		}
		return name
	}
	for i := range DomainFacts() {
		if d := &DomainFacts()[i]; d.OID == id {
			return "information_schema." + d.Name
		}
	}
	return "???"
}

func formatType(c *Call) (types.Datum, error) {
	switch {
	case c.Args[0].Null:
		return null, nil
	case c.oid(0) == 0:
		return text("-"), nil
	}
	mod := int32(-1)
	if !c.Args[1].Null {
		mod = int32(c.Args[1].Int)
	}
	if t, ok := types.FromOID(c.oid(0), mod); ok && t.Kind == types.Bpchar && mod < 0 && !c.Args[1].Null {
		return text("bpchar"), nil
	}
	return text(shownType(c.snap, c.path(), c.oid(0), mod)), nil
}
