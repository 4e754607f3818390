package pebble

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// logMark keeps, in one file of the folder, up to where each log is known to be
// on disk. Pebble takes damage behind the last sync that a log itself tells of,
// and a log that is missing, for the torn end that any crash leaves; the mark
// tells the two apart, so that acknowledged commits are not dropped in silence.
//
//	0    "saltmark"
//	8    count                 4 bytes
//	12   count × log number    8 bytes
//	             bytes synced  8 bytes
//	508  CRC-32C of the above  4 bytes
//
// All integers are little-endian. It is written after each sync of a log and not
// synced itself: whatever state a crash leaves, it claims no more than was true.
// Before a log is removed or written anew, it is taken out, and that is synced.
type logMark struct {
	path string
	file vfs.File

	mu   sync.Mutex
	logs []markedLog // ascending
	buf  [markBytes]byte
}

type markedLog struct{ num, synced uint64 }

const (
	markName  = "saltsql.synced"
	markMagic = "saltmark"
	markBytes = 512
	maxMarked = (markBytes - 12 - 4) / 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errLogLost says that what was committed cannot be read back.
var errLogLost = errors.New("committed changes are missing from the write-ahead log")

// openMark opens the mark and checks the logs against it. Where the folder is only read
// there is no mark to keep, and it gives nil.
func openMark(fs vfs.FS, dir string, readOnly bool) (*logMark, error) {
	m := &logMark{path: fs.PathJoin(dir, markName)}
	if err := m.read(fs); err != nil {
		return nil, err
	}
	for _, l := range m.logs {
		if err := checkLog(fs, fs.PathJoin(dir, fmt.Sprintf("%06d.log", l.num)), l); err != nil {
			return nil, err
		}
	}
	if readOnly {
		return nil, nil
	}
	var err error
	if m.file, err = fs.OpenReadWrite(m.path, vfs.WriteCategoryUnspecified); err != nil {
		return nil, err
	}
	if err := errors.Join(private(m.file, m.path), m.write(), m.file.Sync()); err != nil {
		return nil, errors.Join(err, m.file.Close())
	}
	return m, nil
}

// read takes a mark that is torn for one that says nothing.
func (m *logMark) read(fs vfs.FS) error {
	f, err := fs.Open(m.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.ReadFull(f, m.buf[:])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	b := m.buf[:]
	if err != nil || n != markBytes || !bytes.HasPrefix(b, []byte(markMagic)) ||
		crc32.Checksum(b[:markBytes-4], castagnoli) != binary.LittleEndian.Uint32(b[markBytes-4:]) {
		return err
	}
	for i := range min(binary.LittleEndian.Uint32(b[8:]), maxMarked) {
		at := b[12+16*i:]
		m.logs = append(m.logs, markedLog{binary.LittleEndian.Uint64(at), binary.LittleEndian.Uint64(at[8:])})
	}
	return nil
}

func (m *logMark) write() error {
	b := m.buf[:]
	clear(b)
	copy(b, markMagic)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(m.logs)))
	for i, l := range m.logs {
		binary.LittleEndian.PutUint64(b[12+16*i:], l.num)
		binary.LittleEndian.PutUint64(b[20+16*i:], l.synced)
	}
	binary.LittleEndian.PutUint32(b[markBytes-4:], crc32.Checksum(b[:markBytes-4], castagnoli))
	_, err := m.file.WriteAt(b, 0)
	return err
}

// synced notes that a log is on disk up to to.
func (m *logMark) synced(num uint64, to int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := slices.BinarySearchFunc(m.logs, num, func(l markedLog, n uint64) int { return int(l.num) - int(n) })
	if !found {
		if len(m.logs) == maxMarked {
			m.logs = slices.Delete(m.logs, 0, 1)
			i--
		}
		m.logs = slices.Insert(m.logs, max(i, 0), markedLog{num: num})
		i = max(i, 0)
	}
	m.logs[i].synced = uint64(to)
	return m.write()
}

// drop forgets a log, before it is removed.
func (m *logMark) drop(num uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.logs)
	m.logs = slices.DeleteFunc(m.logs, func(l markedLog) bool { return l.num == num })
	if len(m.logs) == n {
		return nil
	}
	if err := m.write(); err != nil {
		return err
	}
	return m.file.Sync()
}

func (m *logMark) close() error { return m.file.Close() }

const (
	logBlock     = 32 << 10
	maxLogHeader = 19 // of a chunk: what is left of a block below it is padding
)

// checkLog reads a log as Pebble will, and refuses it where it ends before what
// was synced.
func checkLog(fs vfs.FS, path string, l markedLog) error {
	f, err := fs.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing, and held %d bytes of them", errLogLost, path, l.synced)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var info pebble.WALCreateInfo
	setNumber(&info.FileNum, l.num)
	r := record.NewReader(f, info.FileNum)
	good, err := readLog(r)
	if left := logBlock - good%logBlock; left < maxLogHeader {
		good += left
	}
	if err == io.EOF { // a log that was closed ends with a header of its own
		good += maxLogHeader
		st, serr := f.Stat()
		if serr != nil {
			return serr
		}
		good = min(good, st.Size())
	}
	if uint64(good) < l.synced {
		return fmt.Errorf("%w: %s was synced up to byte %d, and cannot be read behind byte %d: %w", errLogLost, path, l.synced, good, err)
	}
	return nil
}

// setNumber is for a type that Pebble does not export.
func setNumber[T ~uint64](dst *T, n uint64) { *dst = T(n) }

// readLog says where the last valid chunk ends, and why.
func readLog(r *record.Reader) (good int64, err error) {
	buf := make([]byte, logBlock)
	for {
		rec, err := r.Next()
		if err != nil {
			return good, err
		}
		for {
			_, err := rec.Read(buf) // one chunk at a time
			if err == io.EOF {
				break
			}
			if err != nil {
				return good, err
			}
			good = r.Offset()
		}
		good = r.Offset()
	}
}
