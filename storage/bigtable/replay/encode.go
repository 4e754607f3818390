package replay

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Row is a row to serve. Cells come in the order in which they are sent.
type Row struct {
	Key   []byte
	Cells []Cell
}

// Cell is one cell of a Row.
type Cell struct {
	Family    string
	Qualifier []byte
	Timestamp int64 // µs
	Value     []byte
}

// Options say how rows are cut into chunks and messages.
type Options struct {
	// Chunks of a message; 0 is 10,000, which is what the service sends.
	Chunks int
	// SplitRows lets messages end within rows. Without, a message ends with the
	// first row that fills it: the official Go client knows no other.
	SplitRows bool
	// ValueBytes is the most a chunk has of a value; 0 is no bound.
	ValueBytes int
	// ResetEvery n sends every n-th row without its end, then a reset, then
	// whole; 0 is never.
	ResetEvery int
	// Labels puts a label on each cell.
	Labels bool
	// ScannedEvery n tells every n-th row as scanned after it has come; 0 is
	// never.
	ScannedEvery int
}

// piece is a chunk, or a scanned key, which ends its message.
type piece struct {
	chunk   []byte
	scanned []byte
	commits bool
}

// pieces encodes rows as the fields of messages.
func pieces(rows []Row, o Options) []piece {
	var out []piece
	for i := range rows {
		r := &rows[i]
		chunks := rowChunks(r, o)
		if o.ResetEvery > 0 && i%o.ResetEvery == o.ResetEvery-1 {
			out = append(out, chunks[:(len(chunks)+1)/2]...)
			if chunks[(len(chunks)+1)/2-1].commits {
				out = out[:len(out)-1]
				out = append(out, piece{chunk: appendChunk(nil, r, &r.Cells[0], "", []byte("half"), 0, false, o)})
			}
			out = append(out, piece{chunk: protowire.AppendVarint(protowire.AppendTag(nil, 8, protowire.VarintType), 1)})
		}
		out = append(out, chunks...)
		if o.ScannedEvery > 0 && i%o.ScannedEvery == o.ScannedEvery-1 {
			out = append(out, piece{scanned: r.Key, commits: true})
		}
	}
	return out
}

func rowChunks(r *Row, o Options) []piece {
	var out []piece
	family := ""
	for i := range r.Cells {
		c := &r.Cells[i]
		value := c.Value
		first := true
		for first || len(value) > 0 {
			part := value
			if o.ValueBytes > 0 && len(part) > o.ValueBytes {
				part = part[:o.ValueBytes]
			}
			value = value[len(part):]
			size := 0
			if len(value) > 0 {
				size = len(c.Value)
			}
			last := len(value) == 0 && i == len(r.Cells)-1
			var b []byte
			if first {
				key := r
				if i > 0 {
					key = nil
				}
				b = appendChunk(nil, key, c, family, part, size, last, o)
				if i > 0 && c.Family == family && string(c.Qualifier) == string(r.Cells[i-1].Qualifier) {
					b = appendVersion(nil, c, part, size, last, o)
				}
			} else {
				b = appendValue(nil, part, size, last)
			}
			out = append(out, piece{chunk: b, commits: last})
			first = false
		}
		family = c.Family
	}
	return out
}

// appendChunk encodes the first chunk of a cell; the family goes along where it
// is another than before.
func appendChunk(b []byte, key *Row, c *Cell, before string, part []byte, size int, commit bool, o Options) []byte {
	if key != nil {
		b = appendBytes(b, 1, key.Key)
	}
	if key != nil || c.Family != before {
		b = appendBytes(b, 2, appendBytes(nil, 1, []byte(c.Family)))
	}
	var q []byte
	if len(c.Qualifier) > 0 { // as protobuf does with default values
		q = appendBytes(nil, 1, c.Qualifier)
	}
	b = appendBytes(b, 3, q)
	return appendVersion(b, c, part, size, commit, o)
}

func appendVersion(b []byte, c *Cell, part []byte, size int, commit bool, o Options) []byte {
	if c.Timestamp != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), uint64(c.Timestamp))
	}
	if o.Labels {
		b = appendBytes(b, 5, []byte("label"))
	}
	return appendValue(b, part, size, commit)
}

func appendValue(b, part []byte, size int, commit bool) []byte {
	if len(part) > 0 {
		b = appendBytes(b, 6, part)
	}
	if size > 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 7, protowire.VarintType), uint64(size))
	}
	if commit {
		b = protowire.AppendVarint(protowire.AppendTag(b, 9, protowire.VarintType), 1)
	}
	return b
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// messages packs pieces.
func messages(ps []piece, o Options) [][]byte {
	most := o.Chunks
	if most <= 0 {
		most = 10_000
	}
	var out [][]byte
	var m []byte
	n := 0
	flush := func() {
		if n > 0 {
			out, m, n = append(out, m), nil, 0
		}
	}
	for _, p := range ps {
		if p.scanned != nil {
			m = appendBytes(m, 2, p.scanned)
			n++
			flush()
			continue
		}
		m = appendBytes(m, 1, p.chunk)
		if n++; n >= most && (p.commits || o.SplitRows) {
			flush()
		}
	}
	flush()
	return out
}

// Messages encodes rows as ReadRowsResponse messages.
func Messages(rows []Row, o Options) [][]byte { return messages(pieces(rows, o), o) }

// Pieces is the number of chunks and scanned keys that rows are sent as.
func Pieces(rows []Row, o Options) int { return len(pieces(rows, o)) }
