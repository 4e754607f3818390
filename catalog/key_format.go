package catalog

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Tables with KEY FORMAT: attached, and written by others in a format of their own.

// useKeyFormat has the options say what the format's salt is.
func (t *Table) useKeyFormat() {
	if t.KeyFormat == nil {
		return
	}
	key := &t.codec.Key
	t.Options.SaltBuckets, t.Options.SaltColumns = key.Buckets, nil
	for _, pos := range key.SaltColumns {
		t.Options.SaltColumns = append(t.Options.SaltColumns, key.Columns[pos].Name)
	}
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

func (t *Table) partText(pos int, f *keyform.Form) string {
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
