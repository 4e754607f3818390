package copyfmt

import "bytes"

// appendEscaped appends a value of the text format: what could be read as an
// end of field or line, or as an escape, gets a backslash.
func (w *Writer) appendEscaped(dst, b []byte) []byte {
	start := 0
	for i, c := range b {
		var e byte
		switch c {
		case '\b':
			e = 'b'
		case '\f':
			e = 'f'
		case '\n':
			e = 'n'
		case '\r':
			e = 'r'
		case '\t':
			e = 't'
		case '\v':
			e = 'v'
		case '\\', w.opts.Delimiter:
			e = c
		default:
			continue
		}
		dst = append(append(dst, b[start:i]...), '\\', e)
		start = i + 1
	}
	return append(dst, b[start:]...)
}

// appendCSV appends a value of the csv format, in quotes where reading it back
// needs them.
func (w *Writer) appendCSV(dst, b []byte, force bool) []byte {
	o := w.opts
	if !force && !w.needsQuotes(b) {
		return append(dst, b...)
	}
	dst = append(dst, o.Quote)
	for _, c := range b {
		if c == o.Quote || c == o.Escape {
			dst = append(dst, o.Escape)
		}
		dst = append(dst, c)
	}
	return append(dst, o.Quote)
}

func (w *Writer) needsQuotes(b []byte) bool {
	o := w.opts
	return string(b) == o.Null ||
		// Alone on its line it would end the data.
		len(w.cols) == 1 && string(b) == `\.` ||
		bytes.IndexByte(b, o.Delimiter) >= 0 || bytes.IndexByte(b, o.Quote) >= 0 ||
		bytes.IndexByte(b, '\n') >= 0 || bytes.IndexByte(b, '\r') >= 0
}
