package copyfmt

import (
	"encoding/binary"
	"strings"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Writer prints rows of a COPY TO. It appends to the caller's buffer and keeps
// no data of its own.
type Writer struct {
	opts    *Options
	cols    []Column
	env     *types.IOEnv
	force   []bool // csv: quote wherever not NULL
	plain   bool
	scratch []byte
}

// NewWriter prints rows of cols. env may be nil.
func NewWriter(opts *Options, cols []Column, env *types.IOEnv) *Writer {
	w := &Writer{opts: opts, cols: cols, env: env, force: flags(cols, opts.ForceQuote), plain: plainOptions(opts)}
	for i := range w.force {
		w.force[i] = w.force[i] || opts.ForceQuoteAll
	}
	return w
}

// AppendHeader appends what comes before the first row: the binary header or
// the line of column names. It may be nothing.
func (w *Writer) AppendHeader(dst []byte) []byte {
	switch {
	case w.opts.Format == Binary:
		dst = append(dst, signature...)
		return append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	case w.opts.Header == HeaderNone:
		return dst
	}
	for i := range w.cols {
		if i > 0 {
			dst = append(dst, w.opts.Delimiter)
		}
		name := []byte(w.cols[i].Name)
		if w.opts.Format == CSV {
			dst = w.appendCSV(dst, name, false)
		} else {
			dst = w.appendEscaped(dst, name)
		}
	}
	return append(dst, '\n')
}

// AppendRow appends the row in slot row of b, with its line end.
func (w *Writer) AppendRow(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	if w.opts.Format == Binary {
		return w.appendBinaryRow(dst, b, row)
	}
	for c, v := range b.Cols {
		if c > 0 {
			dst = append(dst, w.opts.Delimiter)
		}
		switch {
		case v.Nulls.Get(row):
			dst = append(dst, w.opts.Null...)
		case w.plain && plainKinds[v.Type.Kind] && !w.force[c]:
			dst = types.AppendText(dst, v.Type, v.Datum(row), w.env)
		case w.opts.Format == CSV:
			dst = w.appendCSV(dst, w.text(v, row), w.force[c])
		default:
			dst = w.appendEscaped(dst, w.text(v, row))
		}
	}
	return append(dst, '\n'), nil
}

// text gives a value's text, valid until the next call.
func (w *Writer) text(v *vec.Vec, row int) []byte {
	switch v.Type.Kind {
	case types.Text, types.Varchar:
		return v.Bytes[row]
	}
	w.scratch = types.AppendText(w.scratch[:0], v.Type, v.Datum(row), w.env)
	return w.scratch
}

// plainKinds are types whose text never holds one of plainDelimiters, a quote,
// a backslash or a control character, and is never empty.
var plainKinds = [types.NumKinds]bool{
	types.Bool: true, types.Int2: true, types.Int4: true, types.Int8: true,
	types.Float4: true, types.Float8: true, types.Numeric: true, types.UUID: true,
	types.Date: true, types.Time: true, types.Timestamp: true, types.Timestamptz: true,
}

const plainDelimiters = "\t|;,"

// plainOptions says that values of plainKinds are written as they are.
func plainOptions(o *Options) bool {
	return strings.IndexByte(plainDelimiters, o.Delimiter) >= 0 &&
		(o.Format == Text || o.Format == CSV && o.Null == "" && o.Quote == '"')
}

// AppendTrailer appends what comes after the last row.
func (w *Writer) AppendTrailer(dst []byte) []byte {
	if w.opts.Format == Binary {
		return append(dst, 0xff, 0xff)
	}
	return dst
}

func (w *Writer) appendBinaryRow(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(b.Cols)))
	for _, v := range b.Cols {
		if v.Nulls.Get(row) {
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		var err error
		if dst, err = types.AppendBinary(dst, v.Type, v.Datum(row), w.env); err != nil {
			return nil, err
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}
