package rowcodec

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// keyPart is the stored bytes of one key column without its separator: inverted
// where the column is DESC, escaped where its type is. nil is NULL.
type keyPart []byte

// trimmable says that a column at the end of the key leaves no trace: NULL, or
// the empty value of an ASC column. An empty DESC value keeps its separator.
func trimmable(c *KeyColumn, p keyPart) bool {
	if c.Form != nil {
		return false
	}
	return p == nil || (len(p) == 0 && !c.Desc)
}

// appendSeparator ends a variable-width column that another follows.
func appendSeparator(dst []byte, c *KeyColumn, null bool) []byte {
	switch {
	case c.Form != nil:
		return append(dst, c.Form.Sep...)
	case c.Type == VarbinaryEncoded && c.Desc && !null:
		return append(dst, 0xFF, 0xFE)
	case c.Type == VarbinaryEncoded:
		return append(dst, 0x00, 0x01)
	case c.Desc && !null:
		return append(dst, 0xFF)
	}
	return append(dst, 0x00)
}

// appendEnd ends the last column of the key: only a DESC one needs it.
func appendEnd(dst []byte, c *KeyColumn) []byte {
	if c.Form != nil || c.Desc && c.FixedWidth() == 0 {
		return appendSeparator(dst, c, false)
	}
	return dst
}

// separated says that something is behind the values of a column that another follows.
func (c *KeyColumn) separated() bool { return c.Form != nil || c.FixedWidth() == 0 }

// joinParts appends the logical key made of n columns.
func (s *KeySchema) joinParts(dst []byte, n int, at func(i int) (*KeyColumn, keyPart)) []byte {
	for n > 0 {
		if c, p := at(n - 1); !trimmable(c, p) {
			break
		}
		n--
	}
	for i := range n {
		c, p := at(i)
		dst = append(dst, p...)
		switch {
		case i == n-1:
			dst = appendEnd(dst, c)
		case c.separated():
			dst = appendSeparator(dst, c, p == nil)
		}
	}
	return dst
}

// appendPart appends d as column c stores it in a key, without separator.
// d is not NULL.
func appendPart(dst []byte, c *KeyColumn, d types.Datum) ([]byte, error) {
	base := len(dst)
	if c.Form != nil {
		var buf [64]byte
		asc, err := AppendValue(buf[:0], &c.Column, d)
		if err != nil {
			return dst, err
		}
		dst, ok := c.Form.Append(dst, asc)
		if !ok {
			return dst[:base], c.Form.Refuse()
		}
		return dst, nil
	}
	if c.Stored != nil {
		var buf [64]byte
		asc, err := AppendValue(buf[:0], c.Stored, d)
		if err != nil {
			return dst, err
		}
		if c.Type != VarbinaryEncoded {
			dst = appendIndexPart(dst, c.Stored, asc)
		} else {
			var part [72]byte
			dst = appendEscaped(dst, appendIndexPart(part[:0], c.Stored, asc))
		}
		if c.Desc {
			invert(dst[base:])
		}
		return dst, nil
	}
	switch c.Type {
	case VarbinaryEncoded:
		dst = appendEscaped(dst, d.Bytes)
	case Array:
		return dst, sqlerr.Unsupported("an array cannot be part of the row key", "Use one key column per element, or text.")
	default:
		var err error
		if dst, err = AppendValue(dst, &c.Column, d); err != nil {
			return dst[:base], err
		}
	}
	if c.Type == Char {
		if err := checkKeyChar(dst[base:]); err != nil {
			return dst[:base], err
		}
	}
	if c.Desc {
		invert(dst[base:])
	}
	return dst, nil
}

// appendEscaped writes 00 as 00 FF, so that 00 01 can separate columns.
func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(append(dst, b[:i+1]...), 0xFF)
		b = b[i+1:]
	}
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// emptyAtEnd says that d as column c would be trimmed.
func emptyAtEnd(c *KeyColumn, d *types.Datum) bool {
	return d.Null || (c.Form == nil && !c.Desc && c.Stored == nil && len(d.Bytes) == 0 && c.FixedWidth() == 0 && c.Type != Decimal)
}

// AppendKey appends the physical row key of vals, one per key column: the salt byte,
// if the table is salted, then the logical key. Errors name the column: 23502
// (NULL), 22003, 22008, 22001, 22021; of the whole key: 54000 (over
// MaxKeyBytes), 23514 (empty). dst is returned as it was then.
func (s *KeySchema) AppendKey(dst []byte, vals []types.Datum) ([]byte, error) {
	if s.Format != nil {
		return s.appendFormatted(dst, vals)
	}
	base := len(dst)
	if s.Buckets > 0 {
		dst = append(dst, 0)
	}
	logical := len(dst)
	dst, err := s.AppendLogicalKey(dst, vals)
	if err != nil {
		return dst[:base], err
	}
	for i := range vals {
		c := &s.Columns[i]
		if c.Nullable && c.Stored == nil && !vals[i].Null && len(vals[i].Bytes) == 0 && c.FixedWidth() == 0 && c.Type != Decimal {
			return dst[:base], nameColumn(emptyIsNull(c.Type), s.Table, c.Name)
		}
	}
	if s.Epochs != nil {
		b, err := s.BucketOf(dst[logical:])
		if err != nil {
			return dst[:base], err
		}
		dst[base] = byte(b)
	} else if s.Buckets > 0 {
		hashed := dst[logical:]
		if s.SaltColumns != nil {
			var buf [64]byte
			if hashed, err = s.appendHashedValues(buf[:0], vals); err != nil {
				return dst[:base], err
			}
		}
		dst[base] = byte(s.hashBucket(hashed))
	}
	if s.Index && s.Buckets == 0 {
		if dst = s.escapeEmpty(dst, base); len(dst) == base {
			dst = appendSeparator(dst, &s.Columns[0], true)
		}
	}
	if err := s.checkKeySize(dst[base:]); err != nil {
		return dst[:base], err
	}
	return dst, nil
}

// appendFormatted is AppendKey for a key in a format.
func (s *KeySchema) appendFormatted(dst []byte, vals []types.Datum) ([]byte, error) {
	base := len(dst)
	bucket, err := s.BucketOfValues(vals)
	if err != nil {
		return dst, err
	}
	dst = append(dst, s.prefix(bucket)...)
	if dst, err = s.AppendLogicalKey(dst, vals); err == nil {
		err = s.checkKeySize(dst[base:])
	}
	if err != nil {
		return dst[:base], err
	}
	return dst, nil
}

func (s *KeySchema) checkKeySize(key []byte) error {
	if len(key) > MaxKeyBytes {
		e := sqlerr.New(sqlerr.ProgramLimitExceeded, "row key of %d bytes exceeds the limit of %d bytes", len(key), MaxKeyBytes)
		e.Table = s.Table
		return e.WithHint("Shorten the values of the key columns, or use a hash of them as the key.")
	}
	if len(key) == 0 {
		e := sqlerr.New(sqlerr.CheckViolation, "the row key cannot be empty")
		if len(s.Columns) > 0 {
			e.Table, e.Column = s.Table, s.Columns[0].Name
			e.WithDetail("The only key column %q is the empty string.", s.Columns[0].Name)
		}
		return e
	}
	return nil
}

// BucketOfValues gives the salt bucket of a row; -1 for an unsalted table.
func (s *KeySchema) BucketOfValues(vals []types.Datum) (int, error) {
	if s.Buckets == 0 {
		return -1, nil
	}
	if s.Epochs != nil {
		logical, err := s.AppendLogicalKey(nil, vals)
		if err != nil {
			return 0, err
		}
		return s.BucketOf(logical)
	}
	var buf [128]byte
	var b []byte
	var err error
	if s.SaltColumns != nil {
		b, err = s.appendHashedValues(buf[:0], vals)
	} else {
		b, err = s.AppendLogicalKey(buf[:0], vals)
	}
	if err != nil {
		return 0, err
	}
	return s.hashBucket(b), nil
}

func (s *KeySchema) appendHashedValues(dst []byte, vals []types.Datum) ([]byte, error) {
	if s.Format != nil {
		var few [8]keyPart
		parts := append(few[:0], make([]keyPart, len(s.Columns))...)
		for _, i := range s.SaltColumns {
			c := &s.Columns[i]
			if vals[i].Null {
				return dst, s.nullKey(c)
			}
			part, err := appendPart(nil, c, vals[i])
			if err != nil {
				return dst, nameColumn(err, s.Table, c.Name)
			}
			parts[i] = part
		}
		return s.appendHashed(dst, parts), nil
	}
	return s.appendColumns(dst, len(s.SaltColumns), vals, s.SaltColumns)
}

// AppendLogicalKey is AppendKey without the salt byte and without the limits on
// the size of the key.
func (s *KeySchema) AppendLogicalKey(dst []byte, vals []types.Datum) ([]byte, error) {
	if len(vals) != len(s.Columns) {
		return dst, sqlerr.Internal(nil, "%d values for a key of %d columns", len(vals), len(s.Columns))
	}
	return s.appendColumns(dst, len(vals), vals, nil)
}

// AppendLogicalPrefix appends the leading key columns vals as the start of the
// logical keys that have them: a point for SPLIT ON.
func (s *KeySchema) AppendLogicalPrefix(dst []byte, vals []types.Datum) ([]byte, error) {
	if len(vals) > len(s.Columns) {
		return dst, sqlerr.Internal(nil, "%d values for a key of %d columns", len(vals), len(s.Columns))
	}
	return s.appendColumns(dst, len(vals), vals, nil)
}

// appendColumns appends n columns as if they alone were the key: those order
// lists, or the first n.
func (s *KeySchema) appendColumns(dst []byte, n int, vals []types.Datum, order []int) ([]byte, error) {
	base := len(dst)
	index := func(i int) int {
		if order != nil {
			return order[i]
		}
		return i
	}
	end := n
	for end > 0 {
		i := index(end - 1)
		if c := &s.Columns[i]; !emptyAtEnd(c, &vals[i]) || (vals[i].Null && !c.Nullable) {
			break
		}
		end--
	}
	for k := range end {
		i := index(k)
		c, null := &s.Columns[i], vals[i].Null
		width := c.FixedWidth()
		if null {
			if !c.Nullable || width > 0 {
				return dst[:base], s.nullKey(c)
			}
		} else {
			var err error
			if dst, err = appendPart(dst, c, vals[i]); err != nil {
				return dst[:base], nameColumn(err, s.Table, c.Name)
			}
		}
		switch {
		case k == end-1:
			dst = appendEnd(dst, c)
		case c.separated():
			dst = appendSeparator(dst, c, null)
		}
	}
	return dst, nil
}

func (s *KeySchema) nullKey(c *KeyColumn) error {
	of := ""
	if s.Table != "" {
		of = ` of relation "` + s.Table + `"`
	}
	return sqlerr.New(sqlerr.NotNullViolation, `null value in column "%s"%s violates not-null constraint`, c.Name, of).
		WithColumn(s.Table, c.Name)
}

// nameColumn adds the column to an error of one of its values.
func nameColumn(err error, table, column string) error {
	if err == nil {
		return nil
	}
	if e := sqlerr.As(err); e != nil && e.Column == "" {
		e.WithColumn(table, column)
		if e.Detail == "" {
			e.WithDetail("The value is for column %q.", column)
		}
	}
	return err
}
