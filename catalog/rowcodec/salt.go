package rowcodec

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyhash"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// MaxBuckets is the largest SALT_BUCKETS: the salt is one byte.
//
//saltsql:limit tables: SALT_BUCKETS of a table (22023)
const MaxBuckets = 256

// Salted says whether keys begin with a salt byte.
func (s *KeySchema) Salted() bool { return s.Buckets > 0 }

// hashBucket gives the bucket of the bytes that are hashed.
func (s *KeySchema) hashBucket(hashed []byte) int {
	if s.Format != nil {
		return s.Format.Bucket(bytes.Clone(hashed)) // its hash functions take no bytes of the stack
	}
	return keyhash.Bucket(keyhash.Phoenix31(hashed), s.Buckets)
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
	b, _ := s.bucketOfParts(buf[:0], parts)
	return b, nil
}

// bucketOfParts gives the bucket of a row whose parts decide it; dst is memory to hash in.
func (s *KeySchema) bucketOfParts(dst []byte, parts []keyPart) (bucket int, hashed []byte) {
	if e := s.Epochs; e != nil {
		return e.of(s, parts[e.Column]).bucket(s, dst, parts)
	}
	hashed = s.appendHashed(dst, parts)
	return s.hashBucket(hashed), hashed
}

// appendHashed appends what SALT_COLUMNS hash: those columns as if they alone
// were the key.
func (s *KeySchema) appendHashed(dst []byte, parts []keyPart) []byte {
	if s.Format != nil {
		return s.Format.Salt.AppendHashed(dst, func(i int) []byte { return parts[i] })
	}
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
	return s.allColumns()
}

func (s *KeySchema) allColumns() []int {
	all := make([]int, len(s.Columns))
	for i := range all {
		all[i] = i
	}
	return all
}

// salt appends logical behind what stands before the keys of its bucket.
func (s *KeySchema) salt(dst []byte, bucket int, logical []byte) []byte {
	dst = append(dst, s.prefix(bucket)...)
	return s.escapeEmpty(append(dst, logical...), len(dst))
}

// spanSalter turns logical spans into physical ones of one bucket after another, in a
// few blocks of memory.
type spanSalter struct {
	of    *KeySchema
	bytes []byte
	spans []storage.Span
}

// room makes space for the spans given in so many buckets.
func (m *spanSalter) room(logical []storage.Span, buckets int) {
	size := 0
	for _, sp := range logical {
		size += len(sp.Start) + len(sp.End) + 2*len(m.of.prefix(m.of.firstBucket()))
	}
	m.bytes = make([]byte, 0, size*buckets)
	m.spans = make([]storage.Span, 0, len(logical)*buckets)
}

// salt gives bucket's spans. Bucket -1 is an unsalted table's.
func (m *spanSalter) salt(bucket int, logical []storage.Span) []storage.Span {
	prefix := m.of.prefix(bucket)
	if len(prefix) == 0 {
		spans := slices.Clone(logical)
		if m.of.escapesEmpty() {
			m.of.escapeSpans(spans)
		}
		return spans
	}
	from := len(m.spans)
	for _, sp := range logical {
		out := storage.Span{Start: m.salted(prefix, sp.Start)}
		if len(sp.End) > 0 {
			out.End = m.salted(prefix, sp.End)
		} else { // up to the next bucket
			from := len(m.bytes)
			if m.bytes, _ = bound.AppendIncrement(m.bytes, prefix); len(m.bytes) > from {
				out.End = m.bytes[from:len(m.bytes):len(m.bytes)]
			}
		}
		m.spans = append(m.spans, out)
	}
	return m.spans[from:len(m.spans):len(m.spans)]
}

func (m *spanSalter) salted(prefix, b []byte) []byte {
	from := len(m.bytes)
	m.bytes = append(append(m.bytes, prefix...), b...)
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
	dst = s.salt(dst, b, logical)
	return dst, s.checkKeySize(dst[at:])
}

// LogicalKey strips what stands before the keys of a bucket.
func (s *KeySchema) LogicalKey(physical []byte) []byte {
	switch {
	case s.Format != nil:
		if b := s.Format.BucketOf(physical); b >= 0 {
			return physical[len(s.Format.Prefix(b)):]
		}
	case s.Buckets > 0 && len(physical) > 0:
		return physical[1:]
	}
	return s.unescapeEmpty(physical)
}

// KeyBucket reads the bucket of a physical key; -1 for an unsalted table, and for a key
// of no bucket.
func (s *KeySchema) KeyBucket(physical []byte) int {
	switch {
	case s.Buckets == 0:
	case s.Format != nil:
		return s.Format.BucketOf(physical)
	case len(physical) > 0:
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
	return storage.Span{Start: s.BucketSpan(0).Start, End: s.BucketSpan(max(s.Buckets, 1) - 1).End}
}

// TableSpans covers the rows of the table, where a table of the store has others too.
func (s *KeySchema) TableSpans() []storage.Span {
	if s.Format == nil {
		return []storage.Span{{}}
	}
	var spans []storage.Span
	for b := s.firstBucket(); b < s.Buckets; b++ {
		spans = append(spans, s.BucketSpan(b))
	}
	return mergeSpans(spans)
}

// BucketSpan covers bucket b; any b of an unsalted table is the whole table.
func (s *KeySchema) BucketSpan(b int) storage.Span {
	if s.Buckets == 0 {
		b = -1
	}
	return (&spanSalter{of: s}).salt(b, []storage.Span{{}})[0]
}

// firstBucket is where a loop over all buckets begins, which goes on while it is less than
// Buckets: 0, or -1 for an unsalted table.
func (s *KeySchema) firstBucket() int { return b2n(s.Buckets > 0) - 1 }

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
				out = append(out, append(slices.Clone(bucketByte(salted)), u...))
			}
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal)
}

// saltBytes are the bytes 0 to 255.
var saltBytes = func() []byte {
	b := make([]byte, MaxBuckets)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}()

// bucketByte is Phoenix's salt; no bytes where there is none.
func bucketByte(bucket int) []byte {
	if bucket < 0 {
		return nil
	}
	return saltBytes[bucket : bucket+1]
}

// validateSalt refuses a salt that cannot be: 22023.
func (s *KeySchema) validateSalt() error {
	if s.Format != nil {
		return s.bindFormat()
	}
	if s.Epochs != nil {
		return s.bindEpochs()
	}
	if s.Buckets < 0 || s.Buckets > MaxBuckets {
		return sqlerr.New(sqlerr.InvalidParameterValue,
			"SALT_BUCKETS must be between 0 and %d, not %d", MaxBuckets, s.Buckets)
	}
	if s.Hash != "" && s.Hash != keyhash.Phoenix {
		return sqlerr.New(sqlerr.InvalidParameterValue, "salt hash %q is not known", s.Hash).
			WithHint("The hash this version knows is %q.", keyhash.Phoenix)
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

// HashedColumns lists the key columns that decide the bucket, as indexes into Columns, in the
// order in which they are hashed.
func (s *KeySchema) HashedColumns() []int { return s.hashedColumns() }

// SaltsAs says that rows of both tables lie in buckets of the same number where the columns
// that are hashed are equal, the first of one table to the first of the other and so on.
// Only of types whose equal values have equal bytes, and not of tables that others write.
func (s *KeySchema) SaltsAs(o *KeySchema) bool {
	if s.Buckets == 0 || s.Buckets != o.Buckets || s.Epochs != nil || o.Epochs != nil || s.Format != nil || o.Format != nil || s.Adopted || o.Adopted || s.hashName() != o.hashName() {
		return false
	}
	a, b := s.hashedColumns(), o.hashedColumns()
	return slices.EqualFunc(a, b, func(i, j int) bool {
		x, y := &s.Columns[i], &o.Columns[j]
		return x.Type == y.Type && x.SQL.Base() == y.SQL.Base() && x.Desc == y.Desc && !x.Nullable && !y.Nullable &&
			x.Stored == nil && y.Stored == nil && exactBytes(x.SQL)
	})
}

// Together says that rows whose hashed columns are equal lie in one bucket.
func (s *KeySchema) Together() bool { return s.Format == nil && s.exact(s.hashedColumns()) }

// Unique says that no two rows have equal keys.
func (s *KeySchema) Unique() bool { return s.exact(s.allColumns()) }

// exact says that values of key columns that are equal in SQL are equal bytes. Not where
// Phoenix writes numbers and times: its -0.0 is not 0, and it keeps nanoseconds.
func (s *KeySchema) exact(cols []int) bool {
	return !s.Adopted || !slices.ContainsFunc(cols, func(i int) bool {
		switch s.Columns[i].SQL.Kind {
		case types.Bool, types.Int2, types.Int4, types.Int8, types.Text, types.Varchar, types.Bytea, types.UUID:
			return false
		}
		return true
	})
}

func (s *KeySchema) hashName() string {
	if s.Hash == "" {
		return keyhash.Phoenix
	}
	return s.Hash
}

// exactBytes says that equal values of a type are the same bytes in a key: unlike 0 and -0,
// 1.0 and 1.00, or text whose blanks at the end do not count.
func exactBytes(t types.T) bool {
	switch t.Phys() {
	case types.PhysBool, types.PhysInt:
		return true
	case types.PhysBytes:
		switch t.Kind {
		case types.Text, types.Varchar, types.Bytea, types.UUID:
			return true
		}
	}
	return false
}
