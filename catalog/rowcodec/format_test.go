package rowcodec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyhash"
	"github.com/saltsql/saltsql/internal/types"
)

// randomFormat draws a key in a format of somebody else's.
func randomFormat(r *rand.Rand) *KeySchema {
	for {
		s := &KeySchema{Table: "t", Format: &keyform.Format{Lead: pick(r, nil, nil, []byte("m#"), []byte{0xFF})}}
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

func randomForm(r *rand.Rand) (Column, keyform.Form) {
	col := func(t Type, k types.Kind) Column { return Column{Type: t, SQL: types.Of(k)} }
	number := func() keyform.Form {
		f := keyform.Form{Kind: pick(r, keyform.AsDecimal, keyform.AsDecimal, keyform.AsHex, keyform.AsBinary)}
		switch f.Kind {
		case keyform.AsDecimal:
			f.Width = pick(r, 0, 0, 1, 4, 13, 19)
		case keyform.AsHex:
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
		return col(Varchar, types.Text), keyform.Form{Width: pick(r, 0, 0, 1, 2, 3)}
	case 3:
		return col(Varbinary, types.Bytea), keyform.Form{Kind: pick(r, keyform.AsBinary, keyform.AsHex), Width: pick(r, 0, 2, 4)}
	case 4:
		return Column{Type: Binary, Width: 16, SQL: types.Of(types.UUID)}, keyform.Form{Kind: pick(r, keyform.AsText, keyform.AsHex, keyform.AsBinary)}
	case 5:
		return col(Date, types.Date), keyform.Form{}
	case 6:
		f := number()
		f.Unit = pick(r, int64(0), 1000, 1000000)
		return col(Date, types.Timestamp), f
	case 7:
		return col(Timestamp, types.Timestamptz), number()
	}
	return pick(r, col(SmallInt, types.Int2), col(Integer, types.Int4), col(BigInt, types.Int8)), number()
}

func randomSalt(r *rand.Rand, s *KeySchema) *keyform.Salt {
	f := &keyform.Salt{Hash: pick(r, keyhash.Names()...), Buckets: pick(r, 1, 3, 16, 100, 300), Signed: r.IntN(3) == 0,
		Kind: pick(r, keyform.AsDecimal, keyform.AsDecimal, keyform.AsHex, keyform.AsBinary), Width: pick(r, 0, 2, 3), Sep: pick(r, nil, []byte("#"))}
	if f.Kind == keyform.AsHex && r.IntN(3) == 0 {
		f.Digits, f.Width = true, pick(r, 1, 2)
	}
	for _, i := range r.Perm(len(s.Columns))[:1+r.IntN(len(s.Columns))] {
		a := keyform.SaltArg{Column: i}
		if r.IntN(3) == 0 {
			f.Args = append(f.Args, keyform.SaltArg{Column: -1, Literal: []byte("/")})
		}
		if s.Columns[i].Type == BigInt {
			a.Form = pick(r, nil, &keyform.Form{Kind: keyform.AsDecimal}, &keyform.Form{Kind: keyform.AsBinary})
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
