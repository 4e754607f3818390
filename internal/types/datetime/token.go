package datetime

type fieldKind uint8

const (
	fieldNumber  fieldKind = iota // digits, perhaps with a point
	fieldDate                     // parts joined by - / or . or letters with digits
	fieldTime                     // parts joined by :
	fieldWord                     // letters
	fieldZone                     // sign and digits
	fieldSpecial                  // sign and letters
)

type field struct {
	kind       fieldKind
	start, end int // in the text's buffer, in lower case
}

// Limits of what is read: PostgreSQL's buffers hold as many bytes, each field with an end.
const (
	maxFields        = 25
	maxDateText      = 129 // of a date or a time
	maxTimestampText = 153
	maxIntervalText  = 256
)

// fieldText is a text taken apart.
type fieldText struct {
	buf    [maxIntervalText]byte
	used   int
	most   int // of buf
	fields [maxFields]field
	n      int
}

// at gives field i. Fields are no slices, which would keep the text on the heap.
func (t *fieldText) at(i int) []byte { return t.buf[t.fields[i].start:t.fields[i].end:t.fields[i].end] }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isAlnum(c byte) bool { return isDigit(c) || isAlpha(c) }
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }

// take copies s from i as long as ok, in lower case, and says where it ended; -1 where the
// buffer is full.
func (t *fieldText) take(s string, i int, ok func(byte) bool) int {
	for i >= 0 && i < len(s) && ok(s[i]) {
		i = t.one(s, i)
	}
	return i
}

// one copies a byte.
func (t *fieldText) one(s string, i int) int {
	if t.used+1 >= t.most {
		return -1
	}
	c := s[i]
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	t.buf[t.used] = c
	t.used++
	return i + 1
}

// split takes s apart as PostgreSQL's ParseDateTime does, into at most most bytes.
func (t *fieldText) split(s string, most int) problem {
	t.used, t.n, t.most = 0, 0, most
	for i := 0; i < len(s); {
		if isSpace(s[i]) {
			i++
			continue
		}
		if t.n >= maxFields {
			return badFormat
		}
		start := t.used
		kind := fieldNumber
		switch c := s[i]; {
		case isDigit(c):
			i, kind = t.number(s, i)
		case c == '.':
			i = t.take(s, t.one(s, i), isDigit)
		case isAlpha(c):
			i, kind = t.word(s, i)
		case c == '+' || c == '-':
			i, kind = t.signed(s, i)
		case isPunct(c):
			i++
			continue
		default:
			return badFormat
		}
		if i < 0 {
			return badFormat
		}
		t.fields[t.n] = field{kind, start, t.used}
		t.n++
		t.used++ // a field's end counts
	}
	return good
}

// number copies a field that starts with a digit.
func (t *fieldText) number(s string, i int) (int, fieldKind) {
	i = t.take(s, i, isDigit)
	if i < 0 || i == len(s) {
		return i, fieldNumber
	}
	delim := s[i]
	switch delim {
	case ':':
		return t.take(s, i, func(c byte) bool { return isDigit(c) || c == ':' || c == '.' }), fieldTime
	case '-', '/', '.':
	default:
		return i, fieldNumber
	}
	i = t.one(s, i)
	if i < 0 || i == len(s) || !isDigit(s[i]) {
		// A month may be a name.
		return t.take(s, i, func(c byte) bool { return isAlnum(c) || c == delim }), fieldDate
	}
	i = t.take(s, i, isDigit)
	if i >= 0 && i < len(s) && s[i] == delim {
		return t.take(s, i, func(c byte) bool { return isDigit(c) || c == delim }), fieldDate
	}
	if delim == '.' {
		return i, fieldNumber
	}
	return i, fieldDate
}

// word copies letters, or a name of a zone, or a date that starts with a month's.
func (t *fieldText) word(s string, i int) (int, fieldKind) {
	start := t.used
	i = t.take(s, i, isAlpha)
	if i < 0 || i == len(s) {
		return i, fieldWord
	}
	switch c := s[i]; {
	case c == '-' || c == '/' || c == '.':
	case c == '+' || isDigit(c):
		if findWord(t.buf[start:t.used]).kind != wordUnknown {
			return i, fieldWord
		}
	default:
		return i, fieldWord
	}
	return t.take(s, i, func(c byte) bool {
		return isAlnum(c) || c == '+' || c == '-' || c == '/' || c == '_' || c == '.' || c == ':'
	}), fieldDate
}

// signed copies a field that starts with a sign; blanks may follow that.
func (t *fieldText) signed(s string, i int) (int, fieldKind) {
	i = t.one(s, i)
	for i >= 0 && i < len(s) && isSpace(s[i]) {
		i++
	}
	switch {
	case i < 0 || i == len(s):
	case isDigit(s[i]):
		return t.take(s, i, func(c byte) bool { return isDigit(c) || c == ':' || c == '.' || c == '-' }), fieldZone
	case isAlpha(s[i]):
		return t.take(s, i, isAlpha), fieldSpecial
	}
	return -1, fieldSpecial
}
