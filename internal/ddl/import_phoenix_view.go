package ddl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

// Views are made anew of the queries that Phoenix keeps of them, with its functions on the
// search path; indexes are left out, with the statement that makes them.

// phoenixHost has Phoenix's functions before PostgreSQL's.
type phoenixHost struct{ Host }

func (h phoenixHost) Planner() *planner.Context {
	c := *h.Host.Planner()
	c.SearchPath = []string{"phoenix", "public"}
	return &c
}

// ofPhoenix binds expressions as Phoenix means them.
func (r *Runner) ofPhoenix() *Runner {
	in := *r
	in.Host = phoenixHost{r.Host}
	return &in
}

// importView makes a view. What cannot be one is 0A000, with what to do instead.
func (r *Runner) importView(ctx context.Context, o *phoenixObject) (note string, err error) {
	statement := o.text("view_statement")
	if statement == "" {
		schema, name := "", o.over
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			schema, name = name[:i], name[i+1:]
		}
		statement = "SELECT * FROM " + ident.Quote(name)
		if schema != "" {
			statement = fmt.Sprintf("SELECT * FROM %s.%s", ident.Quote(schema), ident.Quote(name))
		}
	}
	switch {
	case o.text("tenant_id") != "":
		return "", sqlerr.Unsupported("it is a view of one tenant", "Make it with the tenant's column in WHERE, under a name of its own: "+statement)
	case o.int("view_type") == 1:
		return "", sqlerr.Unsupported("it is a view of an HBase table", "ATTACH TABLE takes that table with the columns that the view names.")
	case len(o.columns) > 0:
		return "", o.ownColumns(statement)
	}
	list, err := dialect.Parse(statement)
	if err != nil {
		return "", err
	}
	if s, ok := list[0].DML.(*tree.Select); ok && len(s.From) == 1 {
		if t, ok := s.From[0].(*tree.TableRef); ok {
			t.Name = folded(t.Name)
			if t.Schema = folded(t.Schema); t.Schema == "" {
				t.Schema = "public"
			}
		}
	}
	schema := "public"
	if s := o.text("table_schem"); s != "" {
		schema = folded(s)
		if _, err := r.Catalog.CreateSchema(ctx, schema, 0, true); err != nil {
			return "", err
		}
	}
	u := &tree.CreateView{Name: tree.Name{Schema: schema, Name: folded(o.text("table_name"))}, Query: list[0]}
	if _, err := r.ofPhoenix().createView(ctx, u); err != nil {
		return "", err
	}
	if len(o.indexes) > 0 {
		slices.Sort(o.indexes)
		note = "Its indexes (" + strings.Join(o.indexes, ", ") + ") are not used."
	}
	return note, nil
}

// ownColumns refuses a view with columns that its table has not, and says how the table
// gets them.
func (o *phoenixObject) ownColumns(statement string) error {
	var b strings.Builder
	slices.SortFunc(o.columns, func(a, b phoenixRow) int {
		return cmp.Compare(a.int("ordinal_position"), b.int("ordinal_position"))
	})
	for i, c := range o.columns {
		if c.has("key_seq") {
			return sqlerr.Unsupported("it adds to the key, so that its rows are not those of the table", "ATTACH TABLE cannot tell them apart: copy the rows to a table of their own before they are lifted.")
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if err := columnText(&b, folded(c.text("column_name")), c, int(o.int("encoding_scheme"))); err != nil {
			return err
		}
	}
	return sqlerr.Unsupported("it has columns of its own", "DETACH the table and ATTACH it with them, then make the view of "+statement+". They are: "+b.String())
}

// longerKeys gives a view of the table whose rows have more in their keys than the table's.
func (o *phoenixObject) longerKeys(objects map[string]*phoenixObject) *phoenixObject {
	for _, v := range objects {
		if v.phoenixRow != nil && v.text("table_type") == "v" && v.over == dotted(o.text("table_schem"), o.text("table_name")) &&
			slices.ContainsFunc(v.columns, func(c phoenixRow) bool { return c.has("key_seq") }) {
			return v
		}
	}
	return nil
}

// indexNote says why an index is not used, and how it is made anew.
func (o *phoenixObject) indexNote(objects map[string]*phoenixObject) string {
	schema, table := o.text("table_schem"), o.text("data_table_name")
	of := objects[o.text("tenant_id")+"\x00"+schema+"\x00"+table]
	switch {
	case of != nil && of.text("table_type") == "v":
		return "An index of a view, whose rows stand beside those of other views: CREATE INDEX on the table, with the view's condition as WHERE, makes it anew."
	case o.int("index_type") == localIndex:
		return "A local index lies in the table, in a family whose name Bigtable does not take (L#…): DROP INDEX before the snapshot is taken. " +
			o.createIndex(of) + " makes it anew."
	}
	return fmt.Sprintf("Phoenix's copy may hold entries that were never verified, and is not kept up to date from here. %s SALT_BUCKETS = %d makes it anew.", o.createIndex(of), o.int("salt_buckets"))
}

// localIndex is INDEX_TYPE of CREATE LOCAL INDEX; global ones have 1, or nothing.
const localIndex = 2

// createIndex writes the CREATE INDEX of an index over the table.
func (o *phoenixObject) createIndex(of *phoenixObject) string {
	schema, table := o.text("table_schem"), o.text("data_table_name")
	slices.SortFunc(o.columns, func(a, b phoenixRow) int { return cmp.Compare(a.int("key_seq"), b.int("key_seq")) })
	var parts, include []string
	last := 0 // parts up to the last that is no key column of the table
	for _, c := range o.columns {
		family, name, ok := strings.Cut(c.text("column_name"), ":")
		if !ok { // the number of a local index
			continue
		}
		text := ident.Quote(folded(name))
		if !c.has("key_seq") {
			include = append(include, text)
			continue
		}
		if of == nil || !slices.ContainsFunc(of.columns, func(c phoenixRow) bool { return c.text("column_name") == name }) {
			text = "(" + strings.TrimSpace(c.text("column_def")) + ")"
		}
		if c.int("sort_order") == 1 {
			text += " DESC"
		}
		if parts = append(parts, text); family != "" || strings.HasPrefix(text, "(") {
			last = len(parts)
		}
	}
	if last == 0 {
		last = len(parts)
	}
	on := ident.Quote(folded(table))
	if schema != "" {
		on = ident.Quote(folded(schema)) + "." + on
	}
	text := fmt.Sprintf("CREATE INDEX %s ON %s (%s)", ident.Quote(folded(o.text("table_name"))), on, strings.Join(parts[:last], ", "))
	if len(include) > 0 {
		text += " INCLUDE (" + strings.Join(include, ", ") + ")"
	}
	if w := o.text("index_where"); w != "" {
		text += " WHERE " + w
	}
	return text
}
