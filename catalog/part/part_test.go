package part

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// testTable has one BIGINT key.
func testTable(t testing.TB, buckets int) *catalog.Table {
	t.Helper()
	bigint, err := types.FromName("bigint", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	def := &catalog.TableDef{Name: catalog.Name{Schema: "public", Name: "cut"}, PrimaryKey: []catalog.KeyDef{{Name: "k"}},
		Columns: []catalog.ColumnDef{{Name: "k", Type: bigint}}, Options: []catalog.OptionDef{{Name: "salt_buckets", Value: fmt.Sprint(buckets), HasValue: true}}}
	table, _, err := catalog.BuildTable(def)
	if err != nil {
		t.Fatal(err)
	}
	table.ID, table.Physical = 7, fmt.Sprintf("cut.%d", buckets)
	return table
}

// sampled is a store's table that cuts a span at keys of its own, as tablets do.
type sampled struct {
	storage.Table
	r *rand.Rand
}

func (s sampled) Sample(_ context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	out := &storage.TableSample{}
	start := span.Start
	for i := range s.r.IntN(2*most + 1) {
		end := append(bytes.Clone(span.Start), 0x80, 0, 0, 0, 0, 0, byte(i), byte(s.r.IntN(256)))
		if bytes.Compare(start, end) >= 0 {
			continue
		}
		out.Pieces = append(out.Pieces, storage.SamplePiece{Span: storage.Span{Start: start, End: end}, Rows: int64(s.r.IntN(100)) - 1, Bytes: int64(s.r.IntN(2) - 1)})
		start = end
	}
	out.Pieces = append(out.Pieces, storage.SamplePiece{Span: storage.Span{Start: start, End: span.End}, Rows: -1, Bytes: -1})
	return out, nil
}

// TestPartsCoverTheKeys: whatever a store tells of its pieces, every key lies in one part, as it does
// after its way through a token.
func TestPartsCoverTheKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, buckets := range []int{0, 1, 4, 16, 256} {
		table := testTable(t, buckets)
		for _, n := range []int64{1, 2, 3, 16, 17, 100, 700} {
			parts, err := Cut(context.Background(), sampled{r: r}, table, n)
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(parts)) > n {
				t.Fatalf("%d parts of %d", len(parts), n)
			}
			var spans [][]storage.Span
			for i := range parts {
				p := &parts[i]
				read, err := Read(table, []byte(Token(table, p.Spans)))
				if err != nil || len(read) != len(p.Spans) {
					t.Fatal(err, read)
				}
				spans = append(spans, read)
				if n > int64(buckets) && buckets > 0 && p.Bucket < 0 {
					t.Fatalf("part %d of %d is of several of %d buckets", i, n, buckets)
				}
			}
			for range 300 {
				key, err := table.Codec().Key.AppendKey(nil, []types.Datum{types.NewInt(int64(r.IntN(300_000)))})
				if err != nil {
					t.Fatal(err)
				}
				in := 0
				for _, s := range spans {
					if rowcodec.Contains(s, key) {
						in++
					}
				}
				if in != 1 {
					t.Fatalf("key %X is in %d of %d parts of %d buckets", key, in, len(parts), buckets)
				}
			}
		}
	}
}

// TestTokensOfOthers: what is of another table or of another storage is told apart from what is damaged.
func TestTokensOfOthers(t *testing.T) {
	table := testTable(t, 4)
	token := []byte(Token(table, []storage.Span{{Start: []byte{1}, End: []byte{2}}}))
	other, resalted := testTable(t, 4), testTable(t, 16)
	other.ID = 8
	for _, c := range []struct {
		of   *catalog.Table
		text []byte
		code sqlerr.Code
	}{
		{other, token, sqlerr.InvalidParameterValue},
		{resalted, token, sqlerr.ObjectNotInPrerequisite},
		{table, token[:len(token)-1], sqlerr.InvalidParameterValue},
		{table, nil, sqlerr.InvalidParameterValue},
		{table, append(slices.Clone(token), ' '), sqlerr.InvalidParameterValue},
	} {
		if _, err := Read(c.of, c.text); sqlerr.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.text, err)
		}
	}
	raw, _ := base64.RawURLEncoding.DecodeString(string(token))
	for i := range raw {
		bad := slices.Clone(raw)
		bad[i] ^= 1 << (i % 8)
		if _, err := Read(table, []byte(base64.RawURLEncoding.EncodeToString(bad))); sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
			t.Errorf("a bit of byte %d is turned: %v", i, err)
		}
	}
}

// FuzzRead: no text crashes the reader, and what it takes is what Token writes.
func FuzzRead(f *testing.F) {
	table := testTable(f, 4)
	f.Add([]byte(Token(table, []storage.Span{{}})))
	f.Add([]byte(Token(table, []storage.Span{{Start: []byte{1}, End: []byte{2}}, {Start: []byte{3, 0xFF}}})))
	f.Add([]byte(Token(table, nil)))
	f.Fuzz(func(t *testing.T, token []byte) {
		spans, err := Read(table, token)
		if err != nil {
			if sqlerr.CodeOf(err) == sqlerr.InternalError {
				t.Fatal(err)
			}
			return
		}
		if again := Token(table, spans); again != string(token) {
			t.Fatalf("%s is read as %s", token, again)
		}
	})
}
