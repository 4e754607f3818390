package bigtable

import (
	"bytes"

	"google.golang.org/grpc/mem"

	"github.com/saltsql/saltsql/storage"
)

// chunkDecoder turns the messages of ReadRows streams into rows. One decoder
// serves all streams of a read, one after another, so that what one stream has
// delivered is not taken again from the next.
//
//	            first cell                  last part
//	between ──────────────── inRow ─────────────────────┐
//	   ^   commit_row, reset_row  │ value_size > 0      │
//	   └──────────────────────────┴──> inCell ──────────┘
//
// A row may go over several messages, and a value over several chunks. What
// breaks the rules of the stream is CodeCorruption: no row is guessed.
type chunkDecoder struct {
	op, table string
	fill      *rowFiller
	reverse   bool
	row       func(kept bool) (more bool) // takes each whole row
	message   func()                      // hears of each message

	state     chunkState
	families  []string
	family    string
	qualifier []byte // lies in the message, or in saved
	saved     []byte
	timestamp int64
	valueLeft int64 // of the cell under way
	skipping  bool  // the cell has come before

	key, last []byte // of the row under way; of the last whole or scanned one
	hasLast   bool
	stopped   bool // no more rows are wanted
	blanks    int  // messages that said nothing

	reader messageReader
	chunk  chunk
}

type chunkState uint8

const (
	betweenRows chunkState = iota
	inRow
	inCell
)

// begin starts a stream: what the one before has left of a row is dropped.
func (d *chunkDecoder) begin() {
	if d.state != betweenRows {
		d.fill.abandon()
		d.state = betweenRows
	}
}

// end checks that a stream has not ended within a row.
func (d *chunkDecoder) end() error {
	if d.state != betweenRows {
		return d.corrupt("the stream ends within a row")
	}
	return nil
}

func (d *chunkDecoder) corrupt(format string, args ...any) error {
	e := storage.Errorf(storage.CodeCorruption, d.op, d.table, "the service has sent an invalid stream of rows: "+format, args...)
	return e
}

// read takes a message. The bytes are good during the call only.
func (d *chunkDecoder) read(data mem.BufferSlice) error {
	d.reader.reset(data)
	var scanned []byte
	if d.reader.left == 0 {
		d.blanks++
	}
	for d.reader.left > 0 && !d.stopped {
		tag, b, joined, ok := d.reader.field()
		if !ok {
			return d.corrupt("%w", errWire)
		}
		switch tag {
		case tagChunks:
			if err := d.chunk.parse(b); err != nil {
				return d.corrupt("%w", err)
			}
			if err := d.step(&d.chunk); err != nil {
				return err
			}
			if joined {
				d.save()
			}
		case tagLastScanned:
			scanned = append(scanned[:0], b...)
		}
	}
	d.save()
	if cap(d.reader.joined) > maxKeptBytes {
		d.reader.joined = nil
	}
	if len(scanned) > 0 && !d.stopped {
		return d.scanned(scanned)
	}
	return nil
}

// maxKeptBytes is the most scratch memory kept from one message to the next.
const maxKeptBytes = 1 << 20

// save keeps the qualifier beyond its message.
func (d *chunkDecoder) save() {
	if d.state != betweenRows {
		d.saved = append(d.saved[:0], d.qualifier...)
		d.qualifier = d.saved
	}
}

// scanned notes that the service has passed a row without sending it.
func (d *chunkDecoder) scanned(key []byte) error {
	if d.state != betweenRows {
		return d.corrupt("a scanned row is told within a row")
	}
	if !d.hasLast || d.follows(key) {
		d.last, d.hasLast = append(d.last[:0], key...), true
	}
	return nil
}

// follows says whether key comes after the last row.
func (d *chunkDecoder) follows(key []byte) bool {
	c := bytes.Compare(key, d.last)
	if d.reverse {
		return c < 0
	}
	return c > 0
}

func (d *chunkDecoder) step(c *chunk) error {
	if c.reset {
		return d.reset(c)
	}
	if c.commit && c.valueSize > 0 {
		return d.corrupt("a row is committed within a cell")
	}
	if c.valueSize < 0 {
		return d.corrupt("a value of %d bytes", c.valueSize)
	}
	switch d.state {
	case inCell:
		if len(c.key) > 0 || c.hasFamily || c.hasQualifier || c.timestamp != 0 {
			return d.corrupt("a column begins within a cell")
		}
		return d.part(c)
	case betweenRows:
		if len(c.key) == 0 || !c.hasFamily || !c.hasQualifier {
			return d.corrupt("a row begins without a key, a family or a qualifier")
		}
		if d.hasLast && !d.follows(c.key) {
			return d.corrupt("row %q comes after row %q", c.key, d.last)
		}
		d.key = append(d.key[:0], c.key...)
		d.fill.begin(c.key)
		d.state = inRow
		d.skipping = false
		d.setFamily(c.family)
	default:
		if len(c.key) > 0 && !bytes.Equal(c.key, d.key) {
			return d.corrupt("row %q begins within row %q", c.key, d.key)
		}
		sameFamily := true
		if c.hasFamily {
			if !c.hasQualifier {
				return d.corrupt("a family begins without a qualifier")
			}
			if string(c.family) != d.family {
				d.setFamily(c.family)
				sameFamily = false
			}
		}
		// Emulators may send a cell twice after they have collected old ones.
		d.skipping = sameFamily && c.timestamp == d.timestamp && (!c.hasQualifier || bytes.Equal(c.qualifier, d.qualifier))
	}
	if c.hasQualifier {
		d.qualifier = c.qualifier
	}
	d.timestamp = c.timestamp
	if !d.fill.dst.Fits(len(d.qualifier) + len(c.value)) {
		return d.tooLarge()
	}
	if !d.skipping {
		d.fill.cell(d.family, d.qualifier, c.timestamp, c.value)
	}
	if c.valueSize > 0 {
		d.state, d.valueLeft = inCell, c.valueSize-int64(len(c.value))
		if d.valueLeft < 0 {
			return d.corrupt("a value is longer than announced")
		}
		return nil
	}
	return d.commit(c)
}

// part adds to the value of the cell under way.
func (d *chunkDecoder) part(c *chunk) error {
	d.valueLeft -= int64(len(c.value))
	last := c.valueSize == 0
	if d.valueLeft < 0 || last && d.valueLeft > 0 {
		return d.corrupt("a value is not as long as announced")
	}
	if !d.fill.dst.Fits(len(c.value)) {
		return d.tooLarge()
	}
	if !d.skipping {
		d.fill.extend(c.value)
	}
	if !last {
		return nil
	}
	d.state = inRow
	return d.commit(c)
}

func (d *chunkDecoder) commit(c *chunk) error {
	if !c.commit {
		return nil
	}
	d.state = betweenRows
	d.key, d.last = d.last, d.key
	d.hasLast = true
	kept := d.fill.finish()
	if d.fill.err != nil {
		return d.fill.err
	}
	d.stopped = !d.row(kept)
	return nil
}

func (d *chunkDecoder) reset(c *chunk) error {
	if d.state == betweenRows {
		return d.corrupt("a reset between rows")
	}
	if len(c.key) > 0 || c.hasFamily || c.hasQualifier || c.timestamp != 0 || len(c.value) > 0 || c.valueSize != 0 || c.labels {
		return d.corrupt("a reset with a cell")
	}
	d.begin()
	return nil
}

func (d *chunkDecoder) tooLarge() error {
	return storage.Errorf(storage.CodeTooLarge, d.op, d.table, "row %q is near 4 GiB", d.key)
}

// setFamily finds the name among those seen, so that it is made once.
func (d *chunkDecoder) setFamily(name []byte) {
	if string(name) == d.family && d.families != nil {
		return
	}
	for _, f := range d.families {
		if f == string(name) {
			d.family = f
			return
		}
	}
	d.family = string(name)
	d.families = append(d.families, d.family)
}
