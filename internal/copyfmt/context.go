package copyfmt

import (
	"fmt"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// maxShown is how many bytes of the data an error's WHERE shows.
const maxShown = 100

// LineContext is the WHERE of an error about a line whose text is not known, or is not told:
// `COPY t, line 3`.
func LineContext(table string, line int64) string {
	return fmt.Sprintf("COPY %s, line %d", table, line)
}

func inLine(err error, table string, line int64, text []byte) error {
	return where(err, lineText(table, line, text))
}

// lineText is LineContext with the line: `COPY t, line 3: "1,x"`.
func lineText(table string, line int64, text []byte) string {
	return fmt.Sprintf(`%s: "%s"`, LineContext(table, line), shown(text))
}

func inColumn(err error, table string, line int64, column string, text []byte) error {
	return where(err, fmt.Sprintf(`COPY %s, line %d, column %s: "%s"`, table, line, column, shown(text)))
}

func inBinaryColumn(err error, table string, row int64, column string) error {
	return where(err, fmt.Sprintf("COPY %s, line %d, column %s", table, row, column))
}

// where adds text to what the error says of its place, which is within it.
func where(err error, text string) error {
	if e := sqlerr.As(err); e != nil {
		e.AddWhere(text)
	}
	return err
}

// shown shortens data for a message, on a character's border, and makes it UTF-8
// whatever it was.
func shown(b []byte) string {
	if len(b) <= maxShown {
		return valid(b)
	}
	n := maxShown
	for n > maxShown-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return valid(b[:n]) + "..."
}

func valid(b []byte) string {
	out := make([]rune, 0, len(b))
	for _, r := range string(b) {
		if r == 0 {
			r = utf8.RuneError
		}
		out = append(out, r)
	}
	return string(out)
}

// CheckUTF8 refuses bytes that are no UTF-8, in Postgres's words: 22021. NUL
// is not a character either.
func CheckUTF8(b []byte) error {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return invalidBytes(b[i:])
		}
		i += n
	}
	return nil
}

// invalidBytes names as many bytes as the first one announces.
func invalidBytes(b []byte) error {
	n := 1
	switch c := b[0]; {
	case c >= 0xf0 && c < 0xf8:
		n = 4
	case c >= 0xe0 && c < 0xf0:
		n = 3
	case c >= 0xc0 && c < 0xe0:
		n = 2
	}
	var list []byte
	for i, c := range b[:min(n, len(b))] {
		if i > 0 {
			list = append(list, ' ')
		}
		list = fmt.Appendf(list, "0x%02x", c)
	}
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": %s`, list)
}
