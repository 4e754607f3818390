package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// A view is kept as its query's text with marks where names stand that may change:
// between two NULs, which no text has, is what to look up.
//
//	SELECT ␀e0␀.␀c16385.1␀␀t16385.1=a␀ FROM ␀r16385␀␀a0␀ WHERE …
//
//	y16390        the name of a type of users, and Y16390 that of the arrays of it
//	l16390.4294967296  the value of an enum with that code, as a string constant
//	r16385        the relation's name, with its schema where that is needed
//	e0            what item 0 of all FROM clauses goes by
//	a0            a blank and that, where it is not the relation's own name
//	c16385.1      the name of column 1 of a relation
//	t16385.1=a    AS a, where the column has another name
//	T16385.1=0    AS the name of the view's column 0, where the column has another name
//	N0            AS the name of the view's column 0
//	F0=a          the same, where that is not a
//
// Everything else means the same under all settings: literals have their types,
// functions and operators are the system's.
type ViewQuery struct {
	Text string // every operator in parentheses
	// Pretty is the same without needless parentheses, which is for people alone.
	Pretty string
	Items  []ViewItem
	// Around gives for each query level of the text the level around it, -1 for none;
	// levels come after those around them.
	Around []int
}

// ViewItem is an item of a FROM clause.
type ViewItem struct {
	Name     string `json:"name,omitempty"`     // the alias; empty for the relation's own name
	Relation uint32 `json:"relation,omitempty"` // 0 for a query or a function
	Level    int    `json:"level,omitempty"`
}

// ViewColumnUse is a column that a view reads.
type ViewColumnUse struct {
	Relation uint32 `json:"relation"`
	Column   int    `json:"column"` // its number
	// Fixed says that the text is right only as long as the column has its name: USING.
	Fixed bool `json:"fixed,omitempty"`
}

// viewMark begins and ends a mark.
const viewMark = "\x00"

// MarkRelation and the others make marks.
func MarkRelation(id uint32) string { return fmt.Sprintf("\x00r%d\x00", id) }

// MarkType is the name of a type of users, or of the arrays of it.
func MarkType(t types.T) string {
	if d := t.Domain(); d != nil {
		return fmt.Sprintf("\x00y%d\x00", d.ID)
	}
	if t.Kind == types.Array {
		return fmt.Sprintf("\x00Y%d\x00", t.User().ID)
	}
	return fmt.Sprintf("\x00y%d\x00", t.User().ID)
}

// MarkLabel is a value of an enum.
func MarkLabel(t types.T, code int64) string { return fmt.Sprintf("\x00l%d.%d\x00", t.User().ID, code) }

// MarkItem is what item i goes by.
func MarkItem(i int) string { return fmt.Sprintf("\x00e%d\x00", i) }

// MarkAlias is the alias of item i where it needs one.
func MarkAlias(i int) string { return fmt.Sprintf("\x00a%d\x00", i) }

// MarkQueryAlias is the alias of item i, a WITH query, where it goes by another name.
func MarkQueryAlias(i int, name string) string { return fmt.Sprintf("\x00A%d=%s\x00", i, name) }

// MarkColumn is the name of a column.
func MarkColumn(id uint32, column int) string { return fmt.Sprintf("\x00c%d.%d\x00", id, column) }

// MarkTarget is AS name where a column goes by another.
func MarkTarget(id uint32, column int, name string) string {
	return fmt.Sprintf("\x00t%d.%d=%s\x00", id, column, name)
}

// MarkOwnTarget is MarkTarget with the name of the view's own column i.
func MarkOwnTarget(id uint32, column, i int) string {
	return fmt.Sprintf("\x00T%d.%d=%d\x00", id, column, i)
}

// MarkOwnName is AS the name of the view's own column i, where that is not called; a
// called of "" is never a name.
func MarkOwnName(i int, called string) string {
	if called == "" {
		return fmt.Sprintf("\x00N%d\x00", i)
	}
	return fmt.Sprintf("\x00F%d=%s\x00", i, called)
}

// SQL gives the query's text with the names of now, all of them with their schemas.
func (q *ViewQuery) SQL(cols []ViewColumn, byID func(uint32) Relation) string {
	return q.print(q.Text, cols, byID, func(r Relation) string {
		return ident.Quote(r.RelSchema()) + "." + ident.Quote(r.RelName())
	})
}

// ViewText gives a view's query as pg_get_viewdef does.
func (p Printer) ViewText(v *View) string {
	text := v.Query.Text
	if p.pretty {
		text = v.Query.Pretty
	}
	return v.Query.print(text, v.Columns, p.s.Member, p.name) + ";"
}

func (q *ViewQuery) print(text string, cols []ViewColumn, byID func(uint32) Relation, relation func(Relation) string) string {
	parts := strings.Split(text, viewMark)
	names := q.itemNames(byID)
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		kind, arg := part[0], part[1:]
		switch kind {
		case 'r':
			if r := byID(number(arg)); r != nil {
				b.WriteString(relation(r))
			}
		case 'y', 'Y':
			if t := byID(number(arg)); t != nil {
				b.WriteString(relation(t))
			}
			if kind == 'Y' {
				b.WriteString("[]")
			}
		case 'l':
			b.WriteString(quoteLiteral(labelText(byID, arg)))
		case 'e':
			b.WriteString(ident.Quote(names[number(arg)]))
		case 'a':
			n := number(arg)
			r := byID(q.Items[n].Relation)
			if r == nil || q.Items[n].Name != "" || r.RelName() != names[n] {
				b.WriteString(" " + ident.Quote(names[n]))
			}
		case 'A':
			if n, name, _ := strings.Cut(arg, "="); names[number(n)] != name {
				b.WriteString(" " + ident.Quote(names[number(n)]))
			}
		case 'c':
			b.WriteString(ident.Quote(columnName(byID, arg)))
		case 't':
			col, as, _ := strings.Cut(arg, "=")
			if columnName(byID, col) != as {
				b.WriteString(" AS " + ident.Quote(as))
			}
		case 'T':
			col, i, _ := strings.Cut(arg, "=")
			if as := cols[number(i)].Name; columnName(byID, col) != as {
				b.WriteString(" AS " + ident.Quote(as))
			}
		case 'N', 'F':
			i, called, has := strings.Cut(arg, "=")
			if as := cols[number(i)].Name; !has || as != called {
				b.WriteString(" AS " + ident.Quote(as))
			}
		}
	}
	return b.String()
}

func number(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32)
	return uint32(n)
}

// labelText finds the value of a mark; "" if it is not there.
func labelText(byID func(uint32) Relation, arg string) string {
	id, code, _ := strings.Cut(arg, ".")
	n, _ := strconv.ParseInt(code, 10, 64)
	if t, ok := byID(number(id)).(*Type); ok {
		if l := t.def(nil).ByCode(n); l != nil {
			return l.Text
		}
	}
	return ""
}

// columnName finds the column of a mark; "" if it is not there.
func columnName(byID func(uint32) Relation, arg string) string {
	rel, col, _ := strings.Cut(arg, ".")
	n, _ := strconv.Atoi(col)
	return ColumnName(byID(number(rel)), n)
}

// ColumnName gives the name of a table's or a view's column by its number; "" if there
// is none.
func ColumnName(r Relation, column int) string {
	switch r := r.(type) {
	case *Table:
		if c := r.ColumnByID(column); c != nil {
			return c.Name
		}
	case *View:
		if column >= 1 && column <= len(r.Columns) {
			return r.Columns[column-1].Name
		}
	}
	return ""
}

// itemNames gives each item a name that no other of its level or of those around it
// has, as PostgreSQL does: t, t_1, t_2, …
func (q *ViewQuery) itemNames(byID func(uint32) Relation) []string {
	names := make([]string, len(q.Items))
	used := make([]map[string]int, len(q.Around)) // how often a name was numbered, by level
	for level, around := range q.Around {
		used[level] = map[string]int{}
		if around >= 0 {
			for name, n := range used[around] {
				used[level][name] = n
			}
		}
		for i := range q.Items {
			if q.Items[i].Level != level {
				continue
			}
			name := q.Items[i].Name
			if name == "" {
				if r := byID(q.Items[i].Relation); r != nil {
					name = r.RelName()
				}
			}
			n, taken := used[level][name]
			if !taken {
				used[level][name] = 0
				names[i] = name
				continue
			}
			for {
				n++
				numbered := fmt.Sprintf("%s_%d", name, n)
				if _, taken := used[level][numbered]; !taken {
					used[level][name], used[level][numbered] = n, 0
					names[i] = numbered
					break
				}
			}
		}
	}
	return names
}

// UsesColumn says whether the view reads a column; fixed, that its name must stay.
func (v *View) UsesColumn(relation uint32, column int) (uses, fixed bool) {
	i := slices.IndexFunc(v.Uses, func(u ViewColumnUse) bool { return u.Relation == relation && u.Column == column })
	return i >= 0, i >= 0 && v.Uses[i].Fixed
}
