package ddl

import (
	"cmp"
	"context"
	"slices"
	"strings"

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
	list, err := dialect.Parse(attach + ident.Literal(from))
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
