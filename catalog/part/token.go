package part

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// A token is, in base64 for URLs:
//
//	01        version
//	........  the table's ID, 4 bytes
//	........  of the SHA-256 of where its rows are stored, 8 bytes
//	02        spans, then for each
//	01 07     the length of its start, and the start
//	01 08     the length of its end, and the end; 00 is no bound
//	........  CRC-32 (Castagnoli) of all that, 4 bytes
const (
	version    = 1
	headBytes  = 1 + 4 + 8
	checkBytes = 4
)

var (
	text  = base64.RawURLEncoding.Strict()
	table = crc32.MakeTable(crc32.Castagnoli)
)

// generation names how the rows of t are stored: another salt, or another copy of the rows, is another one.
func generation(t *catalog.Table) []byte {
	sum := sha256.Sum256([]byte(t.Physical))
	return sum[:8]
}

// Token writes spans of physical keys of t, which are sorted and do not touch.
func Token(t *catalog.Table, spans []storage.Span) string {
	b := binary.BigEndian.AppendUint32([]byte{version}, t.ID)
	b = append(b, generation(t)...)
	b = binary.AppendUvarint(b, uint64(len(spans)))
	for _, s := range spans {
		b = append(binary.AppendUvarint(b, uint64(len(s.Start))), s.Start...)
		b = append(binary.AppendUvarint(b, uint64(len(s.End))), s.End...)
	}
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, table))
	return text.EncodeToString(b)
}

// Read gives the spans of a token of t: 22023 for what is none, or is of another table, 55000 for one
// from before the table's rows were stored as they are now.
func Read(t *catalog.Table, token []byte) ([]storage.Span, error) {
	b := make([]byte, text.DecodedLen(len(token)))
	n, err := text.Decode(b, token)
	if err != nil || n < headBytes+checkBytes || b[0] != version {
		return nil, notToken()
	}
	b, check := b[:n-checkBytes], b[n-checkBytes:n]
	if binary.BigEndian.Uint32(check) != crc32.Checksum(b, table) {
		return nil, notToken()
	}
	id, of, rest := binary.BigEndian.Uint32(b[1:]), b[5:headBytes], b[headBytes:]
	spans, ok := readSpans(rest)
	switch {
	case !ok:
		return nil, notToken()
	case id != t.ID:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "the part is of another table than %q", t.Name).
			WithHint("Ask for parts of this one: SELECT predicate FROM saltsql.parts('%s', 8).", t.Name)
	case !bytes.Equal(of, generation(t)):
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "table %q is stored otherwise since the part was cut", t.Name).
			WithHint("Ask for parts again, and read all of them anew: SELECT predicate FROM saltsql.parts('%s', 8).", t.Name)
	}
	return spans, nil
}

func notToken() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "the text is no part of a table, or is damaged").
		WithHint("Take predicates as saltsql.parts gives them.")
}

// readSpans reads what follows a token's head: sorted, disjoint spans that do not touch.
func readSpans(b []byte) (spans []storage.Span, ok bool) {
	key := func() (k []byte, ok bool) {
		n, used := binary.Uvarint(b)
		if used <= 0 || n > storage.MaxRowKeyBytes || n > uint64(len(b)-used) {
			return nil, false
		}
		k, b = b[used:used+int(n)], b[used+int(n):]
		return k, true
	}
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)) {
		return nil, false
	}
	b = b[used:]
	for i := range n {
		start, ok1 := key()
		end, ok2 := key()
		s := storage.Span{Start: start, End: end}
		if !ok1 || !ok2 || s.Empty() || i > 0 && (len(spans[i-1].End) == 0 || bytes.Compare(spans[i-1].End, start) >= 0) {
			return nil, false
		}
		spans = append(spans, s)
	}
	return spans, len(b) == 0
}
