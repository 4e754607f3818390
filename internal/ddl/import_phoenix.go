package ddl

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// IMPORT PHOENIX SCHEMA reads a lifted SYSTEM.CATALOG, which is itself a table of
// Phoenix, and attaches what it describes: each table by the ATTACH TABLE that says the
// same.

// ImportColumns are the columns of IMPORT PHOENIX SCHEMA's report.
var ImportColumns = []string{"kind", "name", "result", "note"}

// systemCatalog is what is read of SYSTEM.CATALOG: rows with TABLE_TYPE are of objects,
// those with DATA_TYPE of their columns, those with LINK_TYPE of what belongs together.
const systemCatalog = `ATTACH TABLE system_catalog (
	tenant_id VARCHAR, table_schem VARCHAR, table_name VARCHAR, column_name VARCHAR, column_family VARCHAR,
	table_type CHAR(1), salt_buckets INTEGER, pk_name VARCHAR, immutable_rows BOOLEAN, multi_tenant BOOLEAN, default_column_family VARCHAR,
	encoding_scheme TINYINT, immutable_storage_scheme TINYINT, row_key_order_optimizable BOOLEAN, transactional BOOLEAN, transaction_provider TINYINT,
	view_type UNSIGNED_TINYINT, view_statement VARCHAR, index_type UNSIGNED_TINYINT, index_where VARCHAR, data_table_name VARCHAR, physical_table_name VARCHAR, link_type UNSIGNED_TINYINT,
	data_type INTEGER, column_size INTEGER, decimal_digits INTEGER, nullable INTEGER, ordinal_position INTEGER, sort_order INTEGER,
	key_seq SMALLINT, array_size INTEGER, column_def VARCHAR, column_qualifier VARBINARY, is_row_timestamp BOOLEAN
	CONSTRAINT pk PRIMARY KEY (tenant_id, table_schem, table_name, column_name, column_family)
) COLUMN_ENCODED_BYTES = 0 FROM `

const systemSequence = `ATTACH TABLE system_sequence (
	tenant_id VARCHAR, sequence_schema VARCHAR, sequence_name VARCHAR,
	start_with BIGINT, current_value BIGINT, increment_by BIGINT, cache_size BIGINT, min_value BIGINT, max_value BIGINT, cycle_flag BOOLEAN, limit_reached_flag BOOLEAN
	CONSTRAINT pk PRIMARY KEY (tenant_id, sequence_schema, sequence_name)
) COLUMN_ENCODED_BYTES = 0 FROM `

// phoenixRow is a row of a system table by the columns' names; NULLs are not in it.
type phoenixRow map[string]types.Datum

func (r phoenixRow) text(col string) string { return string(r[col].Bytes) }
func (r phoenixRow) int(col string) int64   { return r[col].Int }
func (r phoenixRow) is(col string) bool     { return r[col].Bool }

func (r phoenixRow) has(col string) bool {
	_, ok := r[col]
	return ok
}

// phoenixObject is a table, view or index.
type phoenixObject struct {
	phoenixRow
	columns []phoenixRow
	indexes []string // link rows
	over    string   // of a view, the storage table's name
}

// readSystem reads a system table of Phoenix.
func (r *Runner) readSystem(ctx context.Context, attach, from string, pos int, visit func(phoenixRow) error) error {
	list, err := dialect.Parse(attach + "'" + strings.ReplaceAll(from, "'", "''") + "'")
	if err != nil {
		return err
	}
	def, err := r.attachDef(list[0].Utility.(*tree.AttachTable))
	if err != nil {
		return err
	}
	def.Pos = pos
	return r.Catalog.ReadAttached(ctx, def, func(vals []types.Datum) error {
		row := make(phoenixRow, len(vals))
		for i, v := range vals {
			if !v.Null {
				row[def.Columns[i].Name] = v.Clone(def.Columns[i].Type)
			}
		}
		return visit(row)
	})
}

// ImportPhoenix carries out IMPORT PHOENIX SCHEMA. The report has a line for each object:
// what became of it, and what to know or to do about it.
func (r *Runner) ImportPhoenix(ctx context.Context, u *tree.ImportPhoenix) ([][]string, error) {
	from := u.From
	if from == "" {
		from = "SYSTEM.CATALOG"
	}
	objects := map[string]*phoenixObject{}
	err := r.readSystem(ctx, systemCatalog, from, u.Pos, func(row phoenixRow) error {
		id := row.text("tenant_id") + "\x00" + row.text("table_schem") + "\x00" + row.text("table_name")
		o := objects[id]
		if o == nil {
			o = &phoenixObject{}
			objects[id] = o
		}
		switch {
		case row.has("data_type"):
			o.columns = append(o.columns, row)
		case row.has("link_type"):
			switch row.int("link_type") {
			case 1:
				o.indexes = append(o.indexes, row.text("column_family"))
			case 2:
				o.over = row.text("column_family")
			}
		case row.has("table_type"):
			o.phoenixRow = row
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []*phoenixObject
	for _, o := range objects {
		if o.phoenixRow != nil && o.text("table_type") != "s" && u.Wants(o.text("table_schem"), o.text("table_name")) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *phoenixObject) int {
		return cmp.Or(-strings.Compare(a.rank(), b.rank()), strings.Compare(a.fullName(), b.fullName()))
	})
	report := make([][]string, len(list))
	for again := true; again; {
		again = false
		for i, o := range list {
			if report[i] != nil && (report[i][0] != "view" || report[i][2] != leftOut) {
				continue
			}
			kind, result, note := r.importObject(ctx, objects, o)
			again = again || result == importedView // one of those left out may be over it
			report[i] = []string{kind, o.fullName(), result, note}
		}
	}
	sequences, err := r.importSequences(ctx, u, strings.Replace(from, "CATALOG", "SEQUENCE", 1))
	return append(report, sequences...), err
}

// rank has tables come first, then views, then indexes.
func (o *phoenixObject) rank() string {
	switch t := o.text("table_type"); t {
	case "u":
		return "z"
	default:
		return t
	}
}

func (o *phoenixObject) fullName() string {
	name := dotted(o.text("table_schem"), o.text("table_name"))
	if t := o.text("tenant_id"); t != "" {
		name += " of tenant " + t
	}
	return name
}

func dotted(schema, name string) string {
	if schema != "" {
		return schema + "." + name
	}
	return name
}

const (
	importedTable    = "attached"
	importedView     = "created"
	importedSequence = "created"
	leftOut          = "left out"
)

// importObject does what can be done with one object.
func (r *Runner) importObject(ctx context.Context, objects map[string]*phoenixObject, o *phoenixObject) (kind, result, note string) {
	switch o.text("table_type") {
	case "v":
		note, err := r.importView(ctx, o)
		if err != nil {
			return "view", leftOut, reason(err)
		}
		return "view", importedView, note
	case "i":
		return "index", leftOut, o.indexNote(objects)
	case "u":
	default:
		return "object", leftOut, "Only tables and sequences are imported."
	}
	text, notes, err := o.attachText()
	if v := o.longerKeys(objects); v != nil && err == nil {
		err = sqlerr.Unsupported("its view "+v.fullName()+" adds columns to the key, so that rows have keys of two kinds", "Copy the view's rows to a table of their own, and DELETE them here, before the tables are lifted.")
	}
	if err == nil {
		err = r.attachText(ctx, o, text)
	}
	if err != nil {
		return "table", leftOut, reason(err)
	}
	if len(o.indexes) > 0 {
		slices.Sort(o.indexes)
		notes = append(notes, "Its indexes ("+strings.Join(o.indexes, ", ")+") are not used.")
	}
	return "table", importedTable, strings.Join(notes, " ")
}

// reason words an error for the report.
func reason(err error) string {
	e := sqlerr.As(err)
	if e == nil {
		return err.Error()
	}
	text := strings.ToUpper(e.Message[:1]) + e.Message[1:] + "."
	if e.Hint != "" {
		text += " " + e.Hint
	}
	return text
}

// attachText runs the ATTACH TABLE of a table, in a schema that is made for it.
func (r *Runner) attachText(ctx context.Context, o *phoenixObject, text string) error {
	list, err := dialect.Parse(text)
	if err != nil {
		return err
	}
	if schema := o.text("table_schem"); schema != "" {
		if _, err := r.Catalog.CreateSchema(ctx, folded(schema), 0, true); err != nil {
			return err
		}
	}
	u := list[0].Utility.(*tree.AttachTable)
	def, err := r.attachDef(u)
	if err != nil {
		return err
	}
	_, _, err = r.Catalog.AttachTable(ctx, def, false)
	return err
}

// folded gives the name that an unquoted one of Phoenix, which is in capitals, has here.
func folded(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return name
}

func quotedText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// attachText writes the ATTACH TABLE that says what the catalog does, and what is to be
// known of the table.
func (o *phoenixObject) attachText() (text string, notes []string, err error) {
	if o.is("transactional") || o.has("transaction_provider") {
		return "", nil, sqlerr.Unsupported("the table is transactional: it may hold cells of transactions that were never committed",
			"Copy its rows into a table without TRANSACTIONAL before it is lifted.")
	}
	slices.SortFunc(o.columns, func(a, b phoenixRow) int {
		return cmp.Compare(a.int("ordinal_position"), b.int("ordinal_position"))
	})
	var key []phoenixRow
	var b strings.Builder
	names := map[string]bool{}
	schema := "public"
	if s := o.text("table_schem"); s != "" {
		schema = folded(s)
	}
	fmt.Fprintf(&b, "ATTACH TABLE %s.%s (", ident.Quote(schema), ident.Quote(folded(o.text("table_name"))))
	encoded := int(o.int("encoding_scheme"))
	for _, c := range o.columns {
		if c.has("key_seq") {
			key = append(key, c)
			if c.int("sort_order") == 1 && !o.is("row_key_order_optimizable") {
				return "", nil, sqlerr.Unsupported("a DESC key of a table from before Phoenix 4.5 is stored in another way",
					"Copy its rows into a new table of Phoenix before it is lifted.")
			}
			if c.is("is_row_timestamp") {
				notes = append(notes, folded(c.text("column_name"))+" was ROW_TIMESTAMP and is an ordinary key column.")
			}
		}
		name := folded(c.text("column_name"))
		if names[name] { // Phoenix tells them apart by family
			name = strings.ToLower(c.text("column_family")) + "_" + name
			notes = append(notes, c.text("column_family")+"."+c.text("column_name")+" is "+name+".")
		}
		names[name] = true
		if err := columnText(&b, name, c, encoded); err != nil {
			return "", nil, err
		}
		b.WriteString(", ")
	}
	slices.SortFunc(key, func(a, b phoenixRow) int { return cmp.Compare(a.int("key_seq"), b.int("key_seq")) })
	name := "pk"
	if n := o.text("pk_name"); n != "" {
		name = folded(n)
	}
	parts := make([]string, len(key))
	for i, c := range key {
		parts[i] = ident.Quote(folded(c.text("column_name")))
		if c.int("sort_order") == 1 {
			parts[i] += " DESC"
		}
	}
	fmt.Fprintf(&b, "CONSTRAINT %s PRIMARY KEY (%s)) COLUMN_ENCODED_BYTES = %d", ident.Quote(name), strings.Join(parts, ", "), encoded)
	if n := o.int("salt_buckets"); n > 0 {
		fmt.Fprintf(&b, ", SALT_BUCKETS = %d", n)
	}
	if o.is("immutable_rows") {
		scheme := "ONE_CELL_PER_COLUMN"
		if o.int("immutable_storage_scheme") == 2 {
			scheme = "SINGLE_CELL_ARRAY_WITH_OFFSETS"
		}
		b.WriteString(", IMMUTABLE_ROWS = true, IMMUTABLE_STORAGE_SCHEME = " + scheme)
	} else if o.int("immutable_storage_scheme") == 2 {
		b.WriteString(", IMMUTABLE_ROWS = true, IMMUTABLE_STORAGE_SCHEME = SINGLE_CELL_ARRAY_WITH_OFFSETS")
	}
	if f := o.text("default_column_family"); f != "" {
		b.WriteString(", DEFAULT_COLUMN_FAMILY = " + quotedText(f))
	}
	physical := o.text("physical_table_name")
	if physical == "" {
		physical = dotted(o.text("table_schem"), o.text("table_name"))
	}
	b.WriteString(" FROM " + quotedText(physical))
	if o.is("multi_tenant") && len(key) > 0 {
		notes = append(notes, "Multi-tenant: "+folded(key[0].text("column_name"))+" is an ordinary key column, to be named in WHERE.")
	}
	return b.String(), notes, nil
}

// columnText writes a column of ATTACH TABLE under a name.
func columnText(b *strings.Builder, name string, c phoenixRow, encoded int) error {
	if f := c.text("column_family"); f != "" {
		b.WriteString(`"` + f + `".`)
	}
	typ, err := phoenixTypeText(c)
	if err != nil {
		return err
	}
	b.WriteString(ident.Quote(name) + " " + typ)
	if c.int("nullable") == 0 {
		b.WriteString(" NOT NULL")
	}
	if d := c.text("column_def"); d != "" {
		b.WriteString(" DEFAULT (" + d + ")")
	}
	if c.has("key_seq") {
		return nil
	}
	q := c["column_qualifier"].Bytes
	if len(q) == 0 {
		q = c["column_name"].Bytes
	}
	if encoded == 0 {
		fmt.Fprintf(b, " QUALIFIER HEX '%X'", q)
		return nil
	}
	n, err := rowcodec.ParseQualifier(q, encoded)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, " ENCODED_QUALIFIER %d", n)
	return nil
}

// phoenixTypes are the codes of SYSTEM.CATALOG's DATA_TYPE; those of arrays are 3000 more.
var phoenixTypes = map[int64]string{
	12: "VARCHAR", 1: "CHAR", -6: "TINYINT", 5: "SMALLINT", 4: "INTEGER", -5: "BIGINT",
	11: "UNSIGNED_TINYINT", 13: "UNSIGNED_SMALLINT", 9: "UNSIGNED_INT", 10: "UNSIGNED_LONG",
	6: "FLOAT", 8: "DOUBLE", 14: "UNSIGNED_FLOAT", 15: "UNSIGNED_DOUBLE", 3: "DECIMAL", 16: "BOOLEAN",
	91: "DATE", 92: "TIME", 93: "TIMESTAMP", 19: "UNSIGNED_DATE", 18: "UNSIGNED_TIME", 20: "UNSIGNED_TIMESTAMP",
	-2: "BINARY", -3: "VARBINARY", 9000: "VARBINARY_ENCODED",
}

// phoenixArrays is what is added to the code of an array's elements.
const phoenixArrays = 3000

func phoenixTypeText(c phoenixRow) (string, error) {
	code, array := c.int("data_type"), ""
	name, ok := phoenixTypes[code]
	if !ok {
		if name, ok = phoenixTypes[code-phoenixArrays]; ok {
			array = " ARRAY"
		}
	}
	switch {
	case code == 5000 || code == 7000:
		return "", sqlerr.Unsupported(fmt.Sprintf("column %q holds BSON documents", c.text("column_name")),
			"Use ATTACH TABLE with that column as VARBINARY, or without it.")
	case !ok:
		return "", sqlerr.Unsupported(fmt.Sprintf("column %q has the type %d, which is not known", c.text("column_name"), code),
			"Use ATTACH TABLE without that column.")
	}
	size, digits := c.int("column_size"), c.int("decimal_digits")
	switch name {
	case "DECIMAL":
		if c.has("column_size") && c.has("decimal_digits") {
			name = fmt.Sprintf("DECIMAL(%d, %d)", size, digits)
		}
	case "VARCHAR", "CHAR", "BINARY":
		if c.has("column_size") {
			name = fmt.Sprintf("%s(%d)", name, size)
		}
	}
	return name + array, nil
}

// importSequences makes the sequences, with the values that come next.
func (r *Runner) importSequences(ctx context.Context, u *tree.ImportPhoenix, from string) ([][]string, error) {
	var report [][]string
	var rows []phoenixRow
	err := r.readSystem(ctx, systemSequence, from, 0, func(row phoenixRow) error {
		if u.Wants(row.text("sequence_schema"), row.text("sequence_name")) {
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return [][]string{{"sequence", "all", leftOut, reason(err)}}, nil
	}
	for _, row := range rows {
		result, note := importedSequence, ""
		switch {
		case row.text("tenant_id") != "":
			result, note = leftOut, "A sequence of one tenant: CREATE SEQUENCE under a name of its own."
		case strings.HasSuffix(row.text("sequence_name"), "_ID_") && (row.int("start_with") == math.MinInt16 || row.int("start_with") == math.MinInt64):
			result, note = leftOut, "Phoenix numbers the indexes of views by it."
		default:
			if err := r.importSequence(ctx, row); err != nil {
				result, note = leftOut, reason(err)
			} else {
				note = fmt.Sprintf("The next value is %d.", row.int("current_value"))
			}
		}
		report = append(report, []string{"sequence", dotted(row.text("sequence_schema"), row.text("sequence_name")), result, note})
	}
	return report, nil
}

// importSequence makes one. CURRENT_VALUE is what no client has taken yet.
func (r *Runner) importSequence(ctx context.Context, row phoenixRow) error {
	name := catalog.Name{Schema: "public", Name: folded(row.text("sequence_name"))}
	if s := row.text("sequence_schema"); s != "" {
		name.Schema = folded(s)
		if _, err := r.Catalog.CreateSchema(ctx, name.Schema, 0, true); err != nil {
			return err
		}
	}
	start, step, lo, hi := row.int("start_with"), row.int("increment_by"), row.int("min_value"), row.int("max_value")
	q, _, err := r.Catalog.CreateSequence(ctx, &catalog.SequenceDef{Name: name, Options: catalog.SequenceOptions{
		Start: &start, Increment: &step, Min: &lo, Max: &hi, Cycle: row.is("cycle_flag"), Cache: row.int("cache_size"),
	}}, false)
	if err != nil {
		return err
	}
	next, called := row.int("current_value"), false
	if row.is("limit_reached_flag") {
		called, next = true, hi
		if step < 0 {
			next = lo
		}
	}
	return r.Catalog.SetVal(ctx, q.ID, next, called)
}
