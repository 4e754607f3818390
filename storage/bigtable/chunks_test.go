package bigtable

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/storage"
)

type cell = bigtablepb.ReadRowsResponse_CellChunk

// vector writes chunks as one line each:
//
//	key family:qualifier @timestamp =value +size ! ~ #
//
// in any order, all optional: + is value_size, ! commit_row, ~ reset_row,
// # a label, "-" for an empty key, family: alone for an empty qualifier,
// :qualifier for one of the same family, "scanned key" for a scanned key.
func vector(lines ...string) []*bigtablepb.ReadRowsResponse {
	var out []*bigtablepb.ReadRowsResponse
	m := &bigtablepb.ReadRowsResponse{}
	for _, l := range lines {
		if l == "message" {
			out, m = append(out, m), &bigtablepb.ReadRowsResponse{}
			continue
		}
		if key, ok := strings.CutPrefix(l, "scanned "); ok {
			m.LastScannedRowKey = []byte(key)
			continue
		}
		c := &cell{}
		for _, w := range strings.Fields(l) {
			switch w[0] {
			case '@':
				fmt.Sscan(w[1:], &c.TimestampMicros)
			case '=':
				c.Value = []byte(w[1:])
			case '+':
				fmt.Sscan(w[1:], &c.ValueSize)
			case '!':
				c.RowStatus = &bigtablepb.ReadRowsResponse_CellChunk_CommitRow{CommitRow: true}
			case '~':
				c.RowStatus = &bigtablepb.ReadRowsResponse_CellChunk_ResetRow{ResetRow: true}
			case '#':
				c.Labels = []string{w}
			default:
				family, qualifier, column := strings.Cut(w, ":")
				if !column {
					c.RowKey = []byte(w)
					continue
				}
				if family != "" {
					c.FamilyName = wrapperspb.String(family)
				}
				if qualifier != "none" {
					c.Qualifier = wrapperspb.Bytes([]byte(qualifier))
				}
			}
		}
		m.Chunks = append(m.Chunks, c)
	}
	return append(out, m)
}

// decode runs messages through a decoder, each cut into buffers of size bytes,
// which are overwritten after each message.
func decode(messages [][]byte, size int, reverse bool) ([]string, *chunkDecoder, error) {
	req := &storage.ScanRequest{}
	fill := newRowFiller(req, true, &storage.RowBatch{})
	d := &chunkDecoder{op: storage.OpScan, table: "t", fill: &fill, reverse: reverse,
		row: func(bool) bool { return true }, message: func() {}}
	var err error
	for _, m := range messages {
		var s mem.BufferSlice
		var bufs [][]byte
		for len(m) > 0 {
			n := min(size, len(m))
			b := slices.Clone(m[:n])
			bufs = append(bufs, b)
			s, m = append(s, mem.SliceBuffer(b)), m[n:]
		}
		if err = d.read(s); err != nil {
			break
		}
		for _, b := range bufs {
			for i := range b {
				b[i] = 0xee
			}
		}
	}
	if err == nil {
		err = d.end()
	}
	d.begin()
	var out []string
	for i := range fill.dst.Len() {
		out = append(out, showBatch(fill.dst, i))
	}
	return out, d, err
}

func TestChunks(t *testing.T) {
	row := func(key string, cells ...string) string { return fmt.Sprintf("%q %s", key, strings.Join(cells, " ")) }
	for _, tt := range []struct {
		name string
		in   []string
		want []string
		last string // the row to resume after
		err  string
	}{
		{name: "nothing", in: []string{}},
		{name: "one cell", in: []string{"k f:q @5 =v !"}, want: []string{row("k", `f:"q"@5="v"`)}, last: "k"},
		{name: "empty qualifier, value and timestamp", in: []string{"k f: !"}, want: []string{row("k", `f:""@0=""`)}, last: "k"},
		{name: "inherited column", in: []string{"k f:q @5 =v", "@4 =w", ":r @4 =x", "g:r @4 =y !"},
			want: []string{row("k", `f:"q"@4="w"`, `f:"q"@5="v"`, `f:"r"@4="x"`, `g:"r"@4="y"`)}, last: "k"},
		{name: "timestamps are not inherited", in: []string{"k f:q @5 =v", ":r =w !"}, want: []string{row("k", `f:"q"@5="v"`, `f:"r"@0="w"`)}, last: "k"},
		{name: "commit alone", in: []string{"k f:q @5 =v", "!"}, want: []string{row("k", `f:"q"@0=""`, `f:"q"@5="v"`)}, last: "k"},
		{name: "a cell twice", in: []string{"k f:q @5 =v", ":q @5 =v", "f:q @5 =v", "g:q @5 =v !"}, want: []string{row("k", `f:"q"@5="v"`, `g:"q"@5="v"`)}, last: "k"},
		{name: "a split cell twice", in: []string{"k f:q @5 =v", ":q @5 =v +2", "=w !"}, want: []string{row("k", `f:"q"@5="v"`)}, last: "k"},
		{name: "a key in each chunk", in: []string{"k f:q @5 =v", "k f:r @5 =w !"}, want: []string{row("k", `f:"q"@5="v"`, `f:"r"@5="w"`)}, last: "k"},
		{name: "labels", in: []string{"k f:q @5 =v # !"}, want: []string{row("k", `f:"q"@5="v"`)}, last: "k"},
		{name: "split cell", in: []string{"k f:q @5 =ab +5", "=cd +5", "=e", ":r @5 =x !"}, want: []string{row("k", `f:"q"@5="abcde"`, `f:"r"@5="x"`)}, last: "k"},
		{name: "split cell, committed by its last part", in: []string{"k f:q @5 =ab +5", "message", "message", "=cde !"}, want: []string{row("k", `f:"q"@5="abcde"`)}, last: "k"},
		{name: "empty parts", in: []string{"k f:q @5 +3", "+3", "=abc +3", "!"}, want: []string{row("k", `f:"q"@5="abc"`)}, last: "k"},
		{name: "row over messages", in: []string{"k f:q @5 =v", "message", "@4 =w", "message", ":r @4 =x", "message", "g:none g:r =y !"},
			want: []string{row("k", `f:"q"@4="w"`, `f:"q"@5="v"`, `f:"r"@4="x"`, `g:"r"@0="y"`)}, last: "k"},
		{name: "reset", in: []string{"k f:q @5 =v", "~", "k f:r @5 =w !"}, want: []string{row("k", `f:"r"@5="w"`)}, last: "k"},
		{name: "reset to another row", in: []string{"a f:q =v !", "k f:q @5 =v", "~", "l g:r @5 =w !"}, want: []string{row("a", `f:"q"@0="v"`), row("l", `g:"r"@5="w"`)}, last: "l"},
		{name: "reset within a cell", in: []string{"k f:q @5 =v +9", "message", "=x +9", "~", "k f:q @5 =w !"}, want: []string{row("k", `f:"q"@5="w"`)}, last: "k"},
		{name: "reset, and nothing after", in: []string{"a f:q =v !", "k f:q @5 =v", "~"}, want: []string{row("a", `f:"q"@0="v"`)}, last: "a"},
		{name: "scanned", in: []string{"scanned a", "message", "b f:q =v !", "scanned d", "message", "scanned c", "message"}, want: []string{row("b", `f:"q"@0="v"`)}, last: "d"},

		{name: "reset between rows", in: []string{"~"}, err: "reset between rows"},
		{name: "reset with a cell", in: []string{"k f:q =v", "~ =x"}, err: "reset with a cell"},
		{name: "two resets", in: []string{"k f:q =v", "~", "~"}, err: "reset between rows"},
		{name: "no key", in: []string{"f:q =v !"}, err: "without a key"},
		{name: "no family", in: []string{"k :q =v !"}, err: "without a key"},
		{name: "no qualifier", in: []string{"k f:none =v !"}, err: "without a key"},
		{name: "no key after a row", in: []string{"k f:q =v !", ":q =w !"}, want: []string{row("k", `f:"q"@0="v"`)}, last: "k", err: "without a key"},
		{name: "family without qualifier", in: []string{"k f:q =v", "g:none =w !"}, err: "without a qualifier"},
		{name: "another key", in: []string{"k f:q =v", "l f:q =w !"}, err: "within row"},
		{name: "no commit", in: []string{"k f:q =v"}, err: "ends within a row"},
		{name: "ends in a cell", in: []string{"k f:q =v +9"}, err: "ends within a row"},
		{name: "a row twice", in: []string{"k f:q =v !", "message", "k f:q =w !"}, want: []string{row("k", `f:"q"@0="v"`)}, last: "k", err: "comes after"},
		{name: "out of order", in: []string{"k f:q =v !", "j f:q =w !"}, want: []string{row("k", `f:"q"@0="v"`)}, last: "k", err: "comes after"},
		{name: "row before a scanned one", in: []string{"scanned m", "message", "k f:q =v !"}, last: "m", err: "comes after"},
		{name: "scanned within a row", in: []string{"k f:q =v", "scanned z"}, err: "within a row"},
		{name: "commit within a cell", in: []string{"k f:q =v +9 !"}, err: "committed within a cell"},
		{name: "commit within a part", in: []string{"k f:q =v +9", "=w +9 !"}, err: "committed within a cell"},
		{name: "column within a cell", in: []string{"k f:q =v +9", ":r =w +9"}, err: "begins within a cell"},
		{name: "key within a cell", in: []string{"k f:q =v +9", "k =w +9"}, err: "begins within a cell"},
		{name: "timestamp within a cell", in: []string{"k f:q =v +9", "@7 =w +9"}, err: "begins within a cell"},
		{name: "too long", in: []string{"k f:q =abc +2"}, err: "announced"},
		{name: "too long later", in: []string{"k f:q =a +2", "=bc !"}, err: "announced"},
		{name: "too short", in: []string{"k f:q =a +3", "=b !"}, err: "announced"},
		{name: "negative size", in: []string{"k f:q =a +-3"}, err: "-3 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var messages [][]byte
			for _, m := range vector(tt.in...) {
				b, err := proto.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				messages = append(messages, b)
			}
			for _, size := range []int{1 << 20, 1, 2, 3, 5, 11} {
				got, d, err := decode(messages, size, false)
				if tt.err == "" && err != nil || tt.err != "" && (storage.CodeOf(err) != storage.CodeCorruption || !strings.Contains(err.Error(), tt.err)) {
					t.Fatalf("buffers of %d: error %v, want %q", size, err, tt.err)
				}
				if !slices.Equal(got, tt.want) || string(d.last) != tt.last || d.hasLast != (tt.last != "") {
					t.Fatalf("buffers of %d: got %q after %q, want %q after %q", size, got, d.last, tt.want, tt.last)
				}
			}
		})
	}
}

func TestChunksReverse(t *testing.T) {
	m, _ := proto.Marshal(vector("c f:q =v !", "b f:q =v !", "scanned a")[0])
	got, d, err := decode([][]byte{m}, 4, true)
	if err != nil || len(got) != 2 || string(d.last) != "a" {
		t.Fatalf("%q %v", got, err)
	}
	if _, _, err := decode([][]byte{m}, 4, false); storage.CodeOf(err) != storage.CodeCorruption {
		t.Fatalf("%v", err)
	}
}

// Fields that are not known, of every kind, are stepped over wherever they are;
// a field that comes twice counts as protobuf has it.
func TestWireUnknownFields(t *testing.T) {
	extra := protowire.AppendVarint(protowire.AppendTag(nil, 100, protowire.VarintType), 1<<40)
	extra = protowire.AppendFixed32(protowire.AppendTag(extra, 101, protowire.Fixed32Type), 1)
	extra = protowire.AppendFixed64(protowire.AppendTag(extra, 102, protowire.Fixed64Type), 1)
	extra = protowire.AppendBytes(protowire.AppendTag(extra, 103, protowire.BytesType), make([]byte, 300))
	field := func(b []byte, n protowire.Number, v []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	c := append([]byte(nil), extra...)
	c = field(c, 1, []byte("old"))
	c = field(c, 1, []byte("k"))
	c = field(c, 2, append(field(nil, 1, []byte("old")), append(extra, field(nil, 1, []byte("f"))...)...))
	c = field(c, 3, field(nil, 1, []byte("q")))
	c = field(c, 3, extra) // merged: the qualifier stays
	c = append(c, extra...)
	c = field(c, 6, []byte("v"))
	c = append(c, 8<<3, 1, 9<<3, 1)
	m := field(append([]byte(nil), extra...), 1, c)
	m = field(m, 3, extra) // request_stats
	got, _, err := decode([][]byte{m}, 7, false)
	if want := `"k" f:"q"@0="v"`; err != nil || len(got) != 1 || got[0] != want {
		t.Fatalf("%q, %v", got, err)
	}
	var r bigtablepb.ReadRowsResponse
	if err := proto.Unmarshal(m, &r); err != nil || string(r.Chunks[0].Qualifier.Value) != "q" {
		t.Fatalf("protobuf has it otherwise: %v, %v", &r, err)
	}
}

// The client module's own vectors, where its sources lie.
func TestChunksClientVectors(t *testing.T) {
	dir, err := childproc.Command("go", "list", "-m", "-f", "{{.Dir}}", "cloud.google.com/go/bigtable").Output()
	if err != nil {
		t.Skip("no go command")
	}
	raw, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "internal/conformance/testdata/readrows.json"))
	if err != nil {
		t.Skipf("no vectors: %v", err)
	}
	var file struct {
		ReadRowsTests []struct {
			Description string
			Chunks      []json.RawMessage
			Results     []struct {
				RowKey, FamilyName, Qualifier, Value string
				TimestampMicros                      json.Number
				Error                                bool
			}
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.ReadRowsTests) < 40 {
		t.Fatalf("%d vectors", len(file.ReadRowsTests))
	}
	for _, v := range file.ReadRowsTests {
		m := &bigtablepb.ReadRowsResponse{}
		for _, c := range v.Chunks {
			chunk := &cell{}
			if err := protojson.Unmarshal(c, chunk); err != nil {
				t.Fatal(err)
			}
			m.Chunks = append(m.Chunks, chunk)
		}
		want := map[string][]string{}
		var keys []string
		fails := false
		for _, r := range v.Results {
			if r.Error {
				fails = true
				continue
			}
			if want[r.RowKey] == nil {
				keys = append(keys, r.RowKey)
			}
			ts := r.TimestampMicros.String()
			if ts == "" {
				ts = "0"
			}
			want[r.RowKey] = append(want[r.RowKey], fmt.Sprintf("%s:%q@%s=%q", r.FamilyName, r.Qualifier, ts, r.Value))
		}
		var rows []string
		for _, k := range keys {
			slices.Sort(want[k])
			cells := slices.Compact(want[k]) // one of them has a cell twice, which is one cell here
			rows = append(rows, fmt.Sprintf("%q %s", k, strings.Join(cells, " ")))
		}
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := decode([][]byte{b}, 6, false)
		if (err != nil) != fails || !slices.Equal(got, rows) {
			t.Errorf("%s: got %q, %v; want %q, error %v", v.Description, got, err, rows, fails)
		}
	}
}

// reference is what protobuf and a plain reading of the rules make of messages;
// ok says that the stream is sound.
func reference(messages [][]byte) (rows []string, ok bool) {
	type state struct {
		key, family, qualifier string
		ts                     int64
		value                  []byte
		size                   int64
		inRow, inCell          bool
		cells                  []string
		prev                   string
	}
	var s state
	last, hasLast := "", false
	for _, raw := range messages {
		var m bigtablepb.ReadRowsResponse
		if (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, &m) != nil {
			return rows, false
		}
		for _, c := range m.Chunks {
			anyKey := len(c.RowKey) > 0 || c.FamilyName != nil || c.Qualifier != nil || c.TimestampMicros != 0
			if c.GetResetRow() {
				if !s.inRow || anyKey || len(c.Value) > 0 || c.ValueSize != 0 || len(c.Labels) > 0 {
					return rows, false
				}
				s = state{}
				continue
			}
			if c.ValueSize < 0 || c.GetCommitRow() && c.ValueSize > 0 {
				return rows, false
			}
			switch {
			case s.inCell:
				if anyKey {
					return rows, false
				}
			case !s.inRow:
				if len(c.RowKey) == 0 || c.FamilyName == nil || c.Qualifier == nil || hasLast && string(c.RowKey) <= last {
					return rows, false
				}
				s.key, s.inRow = string(c.RowKey), true
			default:
				if len(c.RowKey) > 0 && string(c.RowKey) != s.key || c.FamilyName != nil && c.Qualifier == nil {
					return rows, false
				}
			}
			if !s.inCell {
				if c.FamilyName != nil {
					s.family = c.FamilyName.Value
				}
				if c.Qualifier != nil {
					s.qualifier = string(c.Qualifier.Value)
				}
				s.ts, s.value, s.size = c.TimestampMicros, nil, int64(c.ValueSize)
			}
			s.value = append(s.value, c.Value...)
			if c.ValueSize > 0 {
				s.inCell = true
				if int64(len(s.value)) > s.size {
					return rows, false
				}
				continue
			}
			if s.inCell && int64(len(s.value)) != s.size {
				return rows, false
			}
			s.inCell = false
			column := fmt.Sprintf("%s:%q@%d=", s.family, s.qualifier, s.ts)
			if column != s.prev {
				s.cells = append(s.cells, fmt.Sprintf("%s%q", column, s.value))
			}
			s.prev = column
			if c.GetCommitRow() {
				slices.Sort(s.cells)
				rows = append(rows, fmt.Sprintf("%q %s", s.key, strings.Join(s.cells, " ")))
				last, hasLast = s.key, true
				s = state{}
			}
		}
		if len(m.LastScannedRowKey) > 0 {
			if s.inRow {
				return rows, false
			}
			if !hasLast || string(m.LastScannedRowKey) > last {
				last, hasLast = string(m.LastScannedRowKey), true
			}
		}
	}
	return rows, !s.inRow
}

// FuzzChunks gives the decoder any bytes: the first says how they are cut into
// buffers, and each message is led by its length. It must never panic, and read
// what protobuf reads.
func FuzzChunks(f *testing.F) {
	add := func(lines ...string) {
		out := []byte{3}
		for _, m := range vector(lines...) {
			b, err := proto.Marshal(m)
			if err != nil {
				f.Fatal(err)
			}
			out = append(binary.AppendUvarint(out, uint64(len(b))), b...)
		}
		f.Add(out)
	}
	add("k f:q @5 =v", "@4 =w", ":r @4 =x", "g:r @4 =y !", "scanned m")
	add("k f:q @5 =ab +5", "message", "=cde !", "l f:q =1", "~", "l f:q =2 # !")
	add("a f:q =v !", "b f: !", "scanned c", "message", "d g:q @77 =v", "!")
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 {
			return
		}
		size := 1 + int(in[0])
		in = in[1:]
		var messages [][]byte
		for len(in) > 0 {
			n, w := binary.Uvarint(in)
			if w <= 0 || n > uint64(len(in)-w) {
				break
			}
			messages, in = append(messages, in[w:w+int(n)]), in[w+int(n):]
		}
		got, d, err := decode(messages, size, false)
		if err != nil && storage.CodeOf(err) != storage.CodeCorruption {
			t.Fatalf("%v", err)
		}
		if d.fill.dst.Len() != len(got) {
			t.Fatal("rows")
		}
		want, ok := reference(messages)
		if ok && (err != nil || !slices.Equal(got, want)) {
			t.Fatalf("got %q, %v\nwant %q", got, err, want)
		}
		if err == nil && !ok {
			// protobuf is stricter about what is not read here: text that is
			// not UTF-8, and what lies in labels and statistics
			for _, m := range messages {
				if proto.Unmarshal(m, &bigtablepb.ReadRowsResponse{}) != nil {
					return
				}
			}
			t.Fatalf("got %q from a stream that is not sound", got)
		}
	})
}
