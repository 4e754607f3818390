package rowcodec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

// randomFormat draws a key in a format of somebody else's.
func randomFormat(r *rand.Rand) *KeySchema {
	for {
		s := &KeySchema{Table: "t", Format: &KeyFormat{Lead: pick(r, nil, nil, []byte("m#"), []byte{0xFF})}}
		n := 1 + r.IntN(4)
		f := s.Format
		for i := range n {
			c, form := randomForm(r)
			if i < n-1 || r.IntN(4) == 0 {
				form.Sep = pick(r, nil, []byte("#"), []byte("|"), []byte("::"), []byte("~"), []byte{0}, []byte{0, 1}, []byte{0xFF})
			}
			s.Columns = append(s.Columns, KeyColumn{Column: c, Name: fmt.Sprintf("k%d", i), Desc: form.Max > 0})
			f.Parts = append(f.Parts, form)
		}
		if r.IntN(3) > 0 {
			f.Salt = randomSalt(r, s)
		}
		if s.Validate() == nil {
			return s
		}
	}
}

func randomForm(r *rand.Rand) (Column, KeyForm) {
	col := func(t Type, k types.Kind) Column { return Column{Type: t, SQL: types.Of(k)} }
	number := func() KeyForm {
		f := KeyForm{Kind: pick(r, FormDecimal, FormDecimal, FormHex, FormBinary)}
		switch f.Kind {
		case FormDecimal:
			f.Width = pick(r, 0, 0, 1, 4, 13, 19)
		case FormHex:
			f.Width = pick(r, 0, 2, 16)
		default:
			f.Width = pick(r, 0, 2, 8)
		}
		if r.IntN(3) == 0 {
			f.Max = pick(r, int64(1<<63-1), 9999, 9999999999999)
		}
		return f
	}
	switch r.IntN(9) {
	case 0, 1, 2:
		return col(Varchar, types.Text), KeyForm{Width: pick(r, 0, 0, 1, 2, 3)}
	case 3:
		return col(Varbinary, types.Bytea), KeyForm{Kind: pick(r, FormBinary, FormHex), Width: pick(r, 0, 2, 4)}
	case 4:
		return Column{Type: Binary, Width: 16, SQL: types.Of(types.UUID)}, KeyForm{Kind: pick(r, FormText, FormHex, FormBinary)}
	case 5:
		return col(Date, types.Date), KeyForm{}
	case 6:
		f := number()
		f.Unit = pick(r, int64(0), 1000, 1000000)
		return col(Date, types.Timestamp), f
	case 7:
		return col(Timestamp, types.Timestamptz), number()
	}
	return pick(r, col(SmallInt, types.Int2), col(Integer, types.Int4), col(BigInt, types.Int8)), number()
}

func randomSalt(r *rand.Rand, s *KeySchema) *SaltFormula {
	f := &SaltFormula{Hash: pick(r, SaltHashes()...), Buckets: pick(r, 1, 3, 16, 100, 300), Signed: r.IntN(3) == 0,
		Kind: pick(r, FormDecimal, FormDecimal, FormHex, FormBinary), Width: pick(r, 0, 2, 3), Sep: pick(r, nil, []byte("#"))}
	if f.Kind == FormHex && r.IntN(3) == 0 {
		f.Digits, f.Width = true, pick(r, 1, 2)
	}
	for _, i := range r.Perm(len(s.Columns))[:1+r.IntN(len(s.Columns))] {
		a := SaltArg{Column: i}
		if r.IntN(3) == 0 {
			f.Args = append(f.Args, SaltArg{Column: -1, Literal: []byte("/")})
		}
		if s.Columns[i].Type == BigInt {
			a.Form = pick(r, nil, &KeyForm{Kind: FormDecimal}, &KeyForm{Kind: FormBinary})
		}
		f.Args = append(f.Args, a)
	}
	return f
}

func formatFormat(s *KeySchema) string {
	out := fmt.Sprintf("%s\nlead %q", formatSchema(s), s.Format.Lead)
	if f := s.Format.Salt; f != nil {
		out += fmt.Sprintf(" salt %+v", *f)
	}
	for _, p := range s.Format.Parts {
		out += fmt.Sprintf(" %+v", p)
	}
	return out
}

// TestFormatRoundTrip: what can be written is read the same, keys sort as values where
// the format says so, and each key lies in its bucket.
func TestFormatRoundTrip(t *testing.T) {
	r := newRand(t)
	written, refused, compared := 0, 0, 0
	for range rounds(3000) {
		s := randomFormat(r)
		ordered := len(s.Columns) // columns by which keys surely sort
		for i := range s.Columns {
			if s.Columns[i].UnorderedKey() {
				ordered = i
				break
			}
		}
		var rows [][]types.Datum
		var keys [][]byte
		for range 30 {
			vals := randomRow(r, s)
			key, err := s.AppendKey(nil, vals)
			if err != nil {
				mustBeTold(t, err)
				refused++
				continue
			}
			written++
			back, err := s.DecodeKey(key)
			if err != nil || compareRows(s, vals, back) != 0 {
				t.Fatalf("%s\n%s is %q, read as%s: %v", formatFormat(s), formatRow(vals), key, formatRow(back), err)
			}
			b, err := s.BucketOf(s.LogicalKey(key))
			if err != nil || s.Buckets > 0 && b != s.KeyBucket(key) || !inside(s.BucketSpan(b), key) || !inside(s.TableSpan(), key) {
				t.Fatalf("%s\n%q: bucket %d, %d: %v", formatFormat(s), key, b, s.KeyBucket(key), err)
			}
			if vb, err := s.BucketOfValues(vals); err != nil || vb != b {
				t.Fatalf("%s\n%q: bucket %d, by values %d: %v", formatFormat(s), key, b, vb, err)
			}
			rows, keys = append(rows, vals), append(keys, key)
		}
		for i := range rows {
			for j := range rows {
				want := compareFirst(s, rows[i], rows[j], ordered)
				if got := s.CompareLogical(keys[i], keys[j]); want != 0 && got != want {
					t.Fatalf("%s\n%s and%s compare as %d, keys %q and %q as %d", formatFormat(s), formatRow(rows[i]), formatRow(rows[j]), want, keys[i], keys[j], got)
				}
				compared += b2i(want != 0)
			}
		}
	}
	t.Logf("%d keys, %d refused, %d pairs compared", written, refused, compared)
}

// compareFirst compares rows by their first n key columns.
func compareFirst(s *KeySchema, a, b []types.Datum, n int) int {
	for i := range n {
		c := compareSQL(s.Columns[i].SQL, a[i], b[i])
		if s.Columns[i].Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// FuzzFormatKey: no bytes crash the parser of keys, and what it reads is written as it was.
func FuzzFormatKey(f *testing.F) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := randomFormat(r)
		for range 20 {
			if key, err := s.AppendKey(nil, randomRow(r, s)); err == nil {
				f.Add(seed, key)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, key []byte) {
		s := randomFormat(rand.New(rand.NewPCG(seed, 0)))
		vals, err := s.DecodeKey(key)
		if err != nil {
			mustBeTold(t, err)
			return
		}
		again, err := s.AppendKey(nil, vals)
		if err != nil {
			mustBeTold(t, err)
			return
		}
		if b, _ := s.BucketOfValues(vals); b == s.KeyBucket(key) && !bytes.Equal(again, key) {
			t.Fatalf("%s\n%q is%s, which is %q", formatFormat(s), key, formatRow(vals), again)
		}
	})
}

// The hashes of salt formulas, with what other implementations say of them.
func TestSaltHashes(t *testing.T) {
	for _, tt := range []struct {
		hash, of string
		want     string
	}{
		{"phoenix31", "ab", "00000fe2"},
		{"fnv1a", "", "811c9dc5"},
		{"fnv1a", "foobar", "bf9cf968"},
		{"fnv1a64", "foobar", "85944171f73967e8"},
		{"murmur3", "", "00000000"},
		{"murmur3", "test", "ba6bd213"},
		{"murmur3", "Hello, world!", "c0363e43"},
		{"murmur3", "The quick brown fox jumps over the lazy dog", "2e4ff723"},
		{"crc32", "123456789", "cbf43926"},
		{"md5", "", "d41d8cd98f00b204e9800998ecf8427e"},
		{"sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
	} {
		sum, n := saltHashes[tt.hash]([]byte(tt.of))
		if got := fmt.Sprintf("%x", sum[:n]); got != tt.want {
			t.Errorf("%s(%q) is %s, want %s", tt.hash, tt.of, got, tt.want)
		}
	}
	if names := SaltHashes(); !slices.Contains(names, "fnv1a") || len(names) != len(saltHashes) {
		t.Errorf("hashes: %v", names)
	}
}
