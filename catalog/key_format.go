package catalog

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// Tables with KEY FORMAT: attached, and written by others in a format of their own.

// UseKeyFormat makes t a table whose keys have a format of others.
func (t *Table) UseKeyFormat(f *rowcodec.KeyFormat) error {
	t.KeyFormat = f
	for _, i := range t.PrimaryKey {
		c := &t.Columns[i]
		if c.NotNull = true; c.Store.Type == rowcodec.VarbinaryEncoded {
			c.Store.Type = rowcodec.Varbinary
		}
	}
	if err := t.Finish(); err != nil {
		return err
	}
	key := &t.codec.Key
	t.Options.SaltBuckets, t.Options.SaltColumns = key.Buckets, nil
	for _, pos := range key.SaltColumns {
		t.Options.SaltColumns = append(t.Options.SaltColumns, key.Columns[pos].Name)
	}
	return t.Finish()
}

// triedRows is of how many rows of each bucket ATTACH TABLE tests that they have the format.
const triedRows = 3

// TryFormat reads a few rows of each bucket and tests that their keys have t's format, so
// that a formula which is not that of the writers is not taken: 22023 with such a key.
func (c *live.Catalog) TryFormat(ctx context.Context, t *Table, pos int) error {
	if t.KeyFormat == nil {
		return nil
	}
	check := live.NewRowCheck(t)
	refuse := func(key []byte, text string) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, `storage table "%s" has a row whose key is not of this KEY FORMAT`, t.Physical).
			WithDetail("The key %q: %s.", key, strings.TrimSuffix(text, ".")).
			WithHint("Compare the key with the format: its literals, widths and the formula of the salt.").At(pos)
	}
	found := false
	for b := range max(t.codec.Key.Buckets, 1) {
		req := &storage.ScanRequest{Spans: []storage.Span{t.codec.Key.BucketSpan(b)}, KeysOnly: true, Limit: triedRows}
		err := c.EachBatch(ctx, t, req, func(rows *storage.RowBatch) error {
			for i := range rows.Len() {
				found = true
				if text := check.RowKey(rows.Key(i)); text != "" {
					return refuse(bytes.Clone(rows.Key(i)), text)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	return c.EachBatch(ctx, t, &storage.ScanRequest{Spans: []storage.Span{{}}, KeysOnly: true, Limit: 1}, func(rows *storage.RowBatch) error {
		return refuse(bytes.Clone(rows.Key(0)), "no row begins as the format says")
	})
}

// RefuseForeign refuses to remove the rows of a table that others write.
func (t *Table) RefuseForeign(what string, pos int) error {
	if t.KeyFormat == nil {
		return nil
	}
	return sqlerr.Unsupported(what+` of table "`+t.Name+`", whose rows others write, is not supported`,
		"DETACH TABLE forgets it; DELETE removes rows.").At(pos)
}

// keyFormatText writes KEY FORMAT as ATTACH TABLE takes it.
func (t *Table) keyFormatText() string {
	f := t.codec.Key.Format
	var items []string
	literal := func(b []byte) {
		if len(b) > 0 {
			items = append(items, literalText(b))
		}
	}
	literal(f.Lead)
	if s := f.Salt; s != nil {
		var args []string
		for _, a := range s.Args {
			switch {
			case a.Column < 0:
				args = append(args, literalText(a.Literal))
			case a.Form != nil:
				args = append(args, t.partText(a.Column, a.Form))
			default:
				args = append(args, ident.Quote(t.Columns[t.PrimaryKey[a.Column]].Name))
			}
		}
		text := "SALT " + ident.Quote(s.Hash) + "(" + strings.Join(args, ", ") + ")"
		if !s.Digits {
			text += fmt.Sprintf(" %% %d", s.Buckets)
		}
		if s.Signed {
			text += " SIGNED"
		}
		text += " " + strings.ToUpper(string(s.Kind))
		if s.Width > 0 {
			text += fmt.Sprintf(" WIDTH %d", s.Width)
		}
		items = append(items, text)
		literal(s.Sep)
	}
	for pos := range f.Parts {
		items = append(items, t.partText(pos, &f.Parts[pos]))
		literal(f.Parts[pos].Sep)
	}
	return "KEY FORMAT (" + strings.Join(items, ", ") + ")"
}

func (t *Table) partText(pos int, f *rowcodec.KeyForm) string {
	c := &t.Columns[t.PrimaryKey[pos]]
	text := ident.Quote(c.Name)
	switch most := map[types.Kind]int64{types.Int2: math.MaxInt16, types.Int4: math.MaxInt32}[c.Type.Kind]; {
	case f.Max == 0:
	case f.Max == most || most == 0 && f.Max == math.MaxInt64:
		text = "MAX - " + text
	default:
		text = fmt.Sprintf("%d - %s", f.Max, text)
	}
	if f.Kind != "" {
		text += " " + strings.ToUpper(string(f.Kind))
	}
	if unit := map[int64]string{1: " MICROS", 1000: " MILLIS", 1_000_000: " SECONDS"}[f.Unit]; unit != "" {
		text += unit
	}
	if f.Width > 0 {
		text += fmt.Sprintf(" WIDTH %d", f.Width)
	}
	return text
}

// cellFormatText is the FORMAT of a cell, where more than one can be.
func (c *Column) cellFormatText() string {
	switch c.Store.Type {
	case rowcodec.AsText:
		return " FORMAT TEXT"
	case rowcodec.Boolean, rowcodec.Binary, rowcodec.Int16BE, rowcodec.Int32BE, rowcodec.Int64BE, rowcodec.Float32BE, rowcodec.Float64BE:
		return " FORMAT BINARY"
	}
	return ""
}

// literalText writes the literal of a format: as a string where it can be.
func literalText(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return "X'" + hex.EncodeToString(b) + "'"
		}
	}
	return quoteLiteral(string(b))
}
