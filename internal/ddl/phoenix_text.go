package ddl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// folded gives the name that an unquoted one of Phoenix, which is in capitals, has here.
func folded(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return name
}

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
		b.WriteString(", DEFAULT_COLUMN_FAMILY = " + ident.Literal(f))
	}
	physical := o.text("physical_table_name")
	if physical == "" {
		physical = dotted(o.text("table_schem"), o.text("table_name"))
	}
	b.WriteString(" FROM " + ident.Literal(physical))
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
