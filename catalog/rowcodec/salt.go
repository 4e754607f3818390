package rowcodec

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// MaxBuckets is the largest SALT_BUCKETS: the salt is one byte.
const MaxBuckets = 256

// HashPhoenix31 is the id of Phoenix's hash.
const HashPhoenix31 = "phoenix31"

// phoenix31 is h = 31·h + b over signed bytes from h = 1, in 32 bits.
func phoenix31(b []byte) int32 {
	h := int32(1)
	for _, c := range b {
		h = 31*h + int32(int8(c))
	}
	return h
}

// bucketOfHash takes the remainder first and the absolute value then, so that the
// smallest int32 has a bucket.
func bucketOfHash(h int32, buckets int) int {
	m := h % int32(buckets)
	if m < 0 {
		m = -m
	}
	return int(m)
}

// Salted says whether keys begin with a salt byte.
func (s *KeySchema) Salted() bool { return s.Buckets > 0 }

// hashBucket gives the bucket of the bytes that are hashed.
func (s *KeySchema) hashBucket(hashed []byte) int {
	return bucketOfHash(phoenix31(hashed), s.Buckets)
}

// BucketOf gives the salt bucket of a logical key; -1 for an unsalted table. With
// SALT_COLUMNS the key is taken apart: XX001 where that fails.
func (s *KeySchema) BucketOf(logical []byte) (int, error) {
	if s.Buckets == 0 {
		return -1, nil
	}
	if s.SaltColumns == nil {
		return s.hashBucket(logical), nil
	}
	var few [8]keyPart
	parts, err := s.split(logical, few[:0])
	if err != nil {
		return 0, err
	}
	var buf [64]byte
	return s.hashBucket(s.appendHashed(buf[:0], parts)), nil
}

// appendHashed appends what SALT_COLUMNS hash: those columns as if they alone
// were the key.
func (s *KeySchema) appendHashed(dst []byte, parts []keyPart) []byte {
	return s.joinParts(dst, len(s.SaltColumns), func(i int) (*KeyColumn, keyPart) {
		c := s.SaltColumns[i]
		return &s.Columns[c], parts[c]
	})
}

// hashedColumns lists the columns that decide the bucket.
func (s *KeySchema) hashedColumns() []int {
	if s.SaltColumns != nil {
		return s.SaltColumns
	}
	all := make([]int, len(s.Columns))
	for i := range all {
		all[i] = i
	}
	return all
}

// salt appends logical behind its salt byte.
func salt(dst []byte, bucket int, logical []byte) []byte {
	if bucket >= 0 {
		dst = append(dst, byte(bucket))
	}
	return append(dst, logical...)
}

// spanSalter turns logical spans into physical ones of one bucket after another, in a
// few blocks of memory.
type spanSalter struct {
	bytes []byte
	spans []storage.Span
}

// room makes space for the spans given in so many buckets.
func (m *spanSalter) room(logical []storage.Span, buckets int) {
	size := 0
	for _, sp := range logical {
		size += len(sp.Start) + len(sp.End) + 2
	}
	m.bytes = make([]byte, 0, size*buckets)
	m.spans = make([]storage.Span, 0, len(logical)*buckets)
}

// salt gives bucket's spans. Bucket -1 is an unsalted table's.
func (m *spanSalter) salt(bucket int, logical []storage.Span) []storage.Span {
	if bucket < 0 {
		return slices.Clone(logical)
	}
	from := len(m.spans)
	for _, sp := range logical {
		out := storage.Span{Start: m.salted(bucket, sp.Start)}
		switch {
		case len(sp.End) > 0:
			out.End = m.salted(bucket, sp.End)
		case bucket < MaxBuckets-1: // up to the next bucket
			out.End = m.salted(bucket+1, nil)
		}
		m.spans = append(m.spans, out)
	}
	return m.spans[from:len(m.spans):len(m.spans)]
}

func (m *spanSalter) salted(bucket int, b []byte) []byte {
	from := len(m.bytes)
	m.bytes = salt(m.bytes, bucket, b)
	return m.bytes[from:len(m.bytes):len(m.bytes)]
}

// Resalted appends the physical key of a logical one. With SALT_COLUMNS the key is taken apart:
// XX001 where that fails; 54000 where the salt makes it too long.
func (s *KeySchema) Resalted(dst, logical []byte) ([]byte, error) {
	b, err := s.BucketOf(logical)
	if err != nil {
		return nil, err
	}
	at := len(dst)
	dst = salt(dst, b, logical)
	return dst, s.checkKeySize(dst[at:])
}

// LogicalKey strips the salt byte, if the table is salted.
func (s *KeySchema) LogicalKey(physical []byte) []byte {
	if s.Buckets > 0 && len(physical) > 0 {
		return physical[1:]
	}
	return physical
}

// KeyBucket reads the salt byte of a physical key; -1 for an unsalted table or
// an empty key.
func (s *KeySchema) KeyBucket(physical []byte) int {
	if s.Buckets > 0 && len(physical) > 0 {
		return int(physical[0])
	}
	return -1
}

// CompareLogical compares two physical keys without their salt: the order of
// rows in SQL.
func (s *KeySchema) CompareLogical(a, b []byte) int {
	return bytes.Compare(s.LogicalKey(a), s.LogicalKey(b))
}

// TableSpan covers the whole table.
func (s *KeySchema) TableSpan() storage.Span {
	if s.Buckets > 0 && s.Buckets < MaxBuckets {
		return storage.Span{End: []byte{byte(s.Buckets)}}
	}
	return storage.Span{}
}

// BucketSpan covers bucket b; any b of an unsalted table is the whole table.
func (s *KeySchema) BucketSpan(b int) storage.Span {
	if s.Buckets == 0 {
		return storage.Span{}
	}
	return new(spanSalter).salt(b, []storage.Span{{}})[0]
}

// bucketList lists every bucket: 0..Buckets-1, or -1 for an unsalted table.
func (s *KeySchema) bucketList() []int {
	if s.Buckets == 0 {
		return []int{-1}
	}
	l := make([]int, s.Buckets)
	for i := range l {
		l[i] = i
	}
	return l
}

// SplitKeys gives the split points to create a table with: the bucket bytes
// 1..n-1, and the logical keys of user inside every bucket. Sorted, distinct,
// none empty.
func SplitKeys(buckets int, user [][]byte) [][]byte {
	var out [][]byte
	for b := range max(buckets, 1) {
		salted := b
		if buckets == 0 {
			salted = -1
		}
		if b > 0 {
			out = append(out, []byte{byte(b)})
		}
		for _, u := range user {
			if len(u) > 0 {
				out = append(out, salt(nil, salted, u))
			}
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal)
}

// validateSalt refuses a salt that cannot be: 22023.
func (s *KeySchema) validateSalt() error {
	if s.Buckets < 0 || s.Buckets > MaxBuckets {
		return sqlerr.New(sqlerr.InvalidParameterValue,
			"SALT_BUCKETS must be between 0 and %d, not %d", MaxBuckets, s.Buckets)
	}
	if s.Hash != "" && s.Hash != HashPhoenix31 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "salt hash %q is not known", s.Hash).
			WithHint("The hash this version knows is %q.", HashPhoenix31)
	}
	if s.SaltColumns != nil && len(s.SaltColumns) == 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "SALT_COLUMNS must name a column")
	}
	seen := make(map[int]bool, len(s.SaltColumns))
	for _, c := range s.SaltColumns {
		if c < 0 || c >= len(s.Columns) || seen[c] {
			return sqlerr.New(sqlerr.InvalidParameterValue,
				"SALT_COLUMNS must name columns of the primary key, each once")
		}
		seen[c] = true
	}
	return nil
}
