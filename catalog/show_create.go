package catalog

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// ShowCreateTable writes the CREATE TABLE that makes a table like t: the same columns, primary
// key, constraints and options. Statements beside it make its indexes, UNIQUE constraints and
// CHECKs that are NOT VALID. It is Postgres's, with Phoenix's options after the parenthesis:
//
//	CREATE TABLE metrics (
//	    host character varying NOT NULL,
//	    ts timestamp without time zone NOT NULL,
//	    cpu double precision,
//	    CONSTRAINT metrics_pkey PRIMARY KEY (host, ts DESC)
//	) SALT_BUCKETS = 8
//
// A table that has lost columns numbers its qualifiers differently when made
// anew. An attached table is ATTACH TABLE … FROM 'storage table', with the place of each
// cell.
func (s *Snapshot) ShowCreateTable(t *Table) string {
	return tableText{s: s, name: QualifiedName(t.Schema, t.Name)}.of(t)
}

// CreateTableText is ShowCreateTable without foreign keys, which come after all tables and rows, and
// with the names of sequences. plain leaves out what PostgreSQL
// does not know.
func (s *Snapshot) CreateTableText(t *Table, plain bool) string {
	return tableText{s: s, name: ident.Quote(t.Schema) + "." + ident.Quote(t.Name), alone: true, plain: plain}.of(t)
}

// tableText writes the statement that makes a table.
type tableText struct {
	s            *Snapshot
	name         string
	alone, plain bool // see CreateTableText
}

func (w tableText) of(t *Table) string {
	s := w.s
	var b strings.Builder
	verb := "CREATE"
	if t.Adopted && !w.plain {
		verb = "ATTACH"
	}
	fmt.Fprintf(&b, "%s TABLE %s (\n", verb, w.name)
	sep := "    "
	for i := range t.Visible() {
		b.WriteString(sep)
		w.column(&b, t, &t.Columns[i])
		sep = ",\n    "
	}
	if !w.plain {
		b.WriteString(t.mapsText(sep))
	}
	switch {
	case t.HiddenKey() != nil:
	case w.plain:
		fmt.Fprintf(&b, "%sCONSTRAINT %s PRIMARY KEY (%s)", sep, ident.Quote(t.PrimaryKeyName), t.keyText(false))
	default:
		fmt.Fprintf(&b, "%sCONSTRAINT %s PRIMARY KEY (%s)", sep, ident.Quote(t.PrimaryKeyName), t.KeyText())
	}
	for i := range t.Checks {
		if t.Adopted && !w.plain || t.Checks[i].NotValid {
			continue // added afterwards
		}
		fmt.Fprintf(&b, sep+"CONSTRAINT %s CHECK (%s)", ident.Quote(t.Checks[i].Name), s.CheckText(t, &t.Checks[i]))
	}
	for i := range t.ForeignKeys {
		if !w.alone {
			b.WriteString(sep + s.foreignKeyText(t, &t.ForeignKeys[i]))
		}
	}
	b.WriteString("\n)")
	if w.plain {
		return b.String()
	}
	if o := t.optionText(w.alone); o != "" {
		b.WriteByte(' ')
		b.WriteString(o)
	}
	if t.KeyFormat != nil {
		b.WriteString(" " + t.keyFormatText())
	}
	if t.Adopted {
		b.WriteString(" FROM " + quoteLiteral(t.Physical))
	}
	if sp := t.splitText(); sp != "" {
		b.WriteString(" SPLIT ON (" + sp + ")")
	}
	return b.String()
}

// foreignKeyText writes a FOREIGN KEY so that it is taken without a NOTICE.
func (s *Snapshot) foreignKeyText(t *Table, k *ForeignKey) string {
	ref := s.TableByID(k.Table)
	if ref == nil {
		ref = t
	}
	list := func(t *Table, ids []int) string {
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = ident.Quote(ColumnName(t, id))
		}
		return strings.Join(names, ", ")
	}
	text := fmt.Sprintf("CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s)", ident.Quote(k.Name), list(t, k.Columns),
		QualifiedName(ref.Schema, ref.Name), list(ref, k.References))
	if k.Full {
		text += " MATCH FULL"
	}
	actions := map[byte]string{'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}
	if a := actions[k.OnUpdate]; a != "" {
		text += " ON UPDATE " + a
	}
	if a := actions[k.OnDelete]; a != "" {
		text += " ON DELETE " + a
		if len(k.SetColumns) > 0 {
			text += " (" + list(t, k.SetColumns) + ")"
		}
	}
	if k.Deferrable {
		text += " DEFERRABLE"
	}
	if k.Deferred {
		text += " INITIALLY DEFERRED"
	}
	return text + " NOT ENFORCED"
}

// KeyText gives the key's columns as PRIMARY KEY lists them: `host, ts DESC`.
func (t *Table) KeyText() string { return t.keyText(true) }

func (t *Table) keyText(order bool) string {
	parts := make([]string, len(t.PrimaryKey))
	for pos, i := range t.PrimaryKey {
		c := &t.Columns[i]
		parts[pos] = ident.Quote(c.Name)
		if c.Desc && order {
			parts[pos] += " DESC"
		}
	}
	return strings.Join(parts, ", ")
}

func (w tableText) column(b *strings.Builder, t *Table, c *Column) {
	s, attached := w.s, t.Adopted && !w.plain
	if !w.plain && c.KeyPos < 0 && c.Family != t.Options.DefaultFamily {
		family := ident.Quote(c.Family)
		if t.Adopted && t.KeyFormat == nil {
			family = `"` + c.Family + `"` // others are taken in capitals
		}
		b.WriteString(family + ".")
	}
	b.WriteString(ident.Quote(c.Name) + " ")
	q, _ := s.Descriptor(c.Sequence).(*Sequence)
	if q != nil && !w.alone && c.Identity == 0 && c.NotNull && q.OwnedBy(t, c) && q.Type == c.Type.Kind && sequenceText(q) == "" {
		b.WriteString(serialName(c.Type.Kind))
		return
	}
	if w.plain {
		b.WriteString(c.Type.String())
	} else {
		b.WriteString(c.typeText(t.Adopted && t.KeyFormat == nil))
	}
	if c.NotNull {
		b.WriteString(" NOT NULL")
	}
	switch {
	case c.Identity == 'a':
		b.WriteString(" GENERATED ALWAYS AS IDENTITY" + w.sequence(q))
	case c.Identity == 'd':
		b.WriteString(" GENERATED BY DEFAULT AS IDENTITY" + w.sequence(q))
	case c.Generated != "":
		b.WriteString(" GENERATED ALWAYS AS (" + s.GeneratedText(t, c) + ") STORED")
	case c.HasDefault():
		b.WriteString(" DEFAULT " + s.DefaultText(c))
	}
	if attached && c.KeyPos < 0 {
		if c.Number > 0 {
			fmt.Fprintf(b, " ENCODED_QUALIFIER %d", c.Number)
		} else {
			fmt.Fprintf(b, " QUALIFIER HEX '%X'", c.Qualifier)
		}
		if t.KeyFormat != nil {
			b.WriteString(c.cellFormatText())
		}
	}
}

// typeText is TypeText in the terms of CREATE TABLE, or of ATTACH TABLE.
func (c *Column) typeText(attached bool) string {
	if !attached {
		return c.TypeText()
	}
	st, suffix := c.Store.Type, ""
	if st == rowcodec.Array {
		st, suffix = c.Store.Elem, "[]"
	}
	switch st {
	case rowcodec.Date, rowcodec.Time:
		return lowerWord(st.String()) + suffix
	}
	return c.TypeText()
}

func serialName(k types.Kind) string {
	switch k {
	case types.Int2:
		return "smallserial"
	case types.Int4:
		return "serial"
	}
	return "bigserial"
}

// TypeText gives the column's type as CREATE TABLE takes it: format_type's
// name, or Phoenix's where that says more (tinyint, unsigned_int, binary(n)).
func (c *Column) TypeText() string {
	st, suffix, t := c.Store.Type, "", c.Type
	if st == rowcodec.Array {
		st, suffix, t = c.Store.Elem, "[]", c.Type.ElemType()
	}
	switch st {
	case rowcodec.TinyInt, rowcodec.UnsignedTinyInt, rowcodec.UnsignedSmallInt, rowcodec.UnsignedInt, rowcodec.UnsignedLong,
		rowcodec.UnsignedFloat, rowcodec.UnsignedDouble, rowcodec.UnsignedDate, rowcodec.UnsignedTime, rowcodec.UnsignedTimestamp:
		return lowerWord(st.String()) + suffix
	case rowcodec.Binary:
		if t.Kind == types.Bytea {
			return fmt.Sprintf("binary(%d)%s", c.Store.Width, suffix)
		}
	}
	return t.String() + suffix
}

// sequence is what an identity column says of its sequence.
func (w tableText) sequence(q *Sequence) string {
	text := sequenceText(q)
	if !w.alone || q == nil {
		return text
	}
	name := "SEQUENCE NAME " + ident.Quote(q.Schema) + "." + ident.Quote(q.Name)
	if text == "" {
		return " (" + name + ")"
	}
	return " (" + name + " " + strings.TrimPrefix(text, " (")
}

// sequenceText gives an identity column's sequence options in parentheses,
// those that are not the default.
func sequenceText(q *Sequence) string {
	if q == nil {
		return ""
	}
	def, err := NewSequence(q.Name, &SequenceOptions{Type: q.Type, Increment: &q.Increment}, 0)
	if err != nil {
		return ""
	}
	var parts []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	start := q.Min
	if q.Increment < 0 {
		start = q.Max
	}
	add(q.Increment != 1, "INCREMENT BY %d", q.Increment)
	add(q.Min != def.Min, "MINVALUE %d", q.Min)
	add(q.Max != def.Max, "MAXVALUE %d", q.Max)
	add(q.Start != start, "START WITH %d", q.Start)
	add(q.Cache != 1, "CACHE %d", q.Cache)
	add(q.Cycle, "CYCLE")
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, " ") + ")"
}

// splitText writes the split points back as values: `('m', 5), ('t', 9)`, and a
// point of one value without its parentheses.
func (t *Table) splitText() string {
	var points []string
	for _, key := range t.Options.Splits {
		vals := t.splitValues(key)
		if vals == nil {
			continue
		}
		text := make([]string, len(vals))
		for i, v := range vals {
			text[i] = quoteLiteral(types.Format(t.Columns[t.PrimaryKey[i]].Type, v, &types.IOEnv{}))
		}
		p := strings.Join(text, ", ")
		if len(vals) > 1 {
			p = "(" + p + ")"
		}
		points = append(points, p)
	}
	return strings.Join(points, ", ")
}

// splitValues finds the values of the leading key columns that encode to a
// split point: the shortest list that does.
func (t *Table) splitValues(key []byte) []types.Datum {
	for n := 1; n <= len(t.PrimaryKey); n++ {
		prefix := rowcodec.KeySchema{Table: t.Name, Columns: t.codec.Key.Columns[:n], Adopted: t.Adopted}
		vals, err := prefix.DecodeKey(key)
		if err != nil {
			continue
		}
		if again, err := t.codec.Key.AppendLogicalPrefix(nil, vals); err == nil && bytes.Equal(again, key) {
			return vals
		}
	}
	return nil
}

// RelOptions lists the options that are not at their defaults as pg_class.reloptions
// does: `salt_buckets=8`; a dump gives them to CREATE TABLE again.
func (t *Table) RelOptions() []string {
	list := t.keyOption()
	for i := range TableOptions {
		if TableOptions[i].Name == "SALT_BUCKETS" && t.SaltByDefault {
			continue
		}
		if v := TableOptions[i].Show(t); v != "" {
			if bare := TableOptions[i].bare; bare != nil {
				v = bare(t)
			}
			list = append(list, strings.ToLower(TableOptions[i].Name)+"="+v)
		}
	}
	return list
}
