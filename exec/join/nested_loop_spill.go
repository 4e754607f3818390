package join

import (
	"encoding/binary"
	"io"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// loopSpill is a nested loop whose right side lies in a file. For each batch of left
// rows the file is read once. Its matches come in the file's order, so they are sorted
// by left row before they are given.
//
//	left batch x file, a piece at a time --> matches --> sorted --> matcher
//	                                         '--> what is seen of left and right rows
type loopSpill struct {
	l       *nestedLoop
	file    *spill.RowFile
	rows    *spill.FileRows
	piece   *spill.KeptRows // of the file
	matches spill.Sorter    // by left position: right rows
	open    bool            // matches is
	more    bool            // rows of matches are left
	key     []byte
	row     []byte
	pending bool    // key and row hold a match that is not given yet
	seen    []uint8 // per left position, for kinds that give left rows only
	right   []uint8 // per right row; nil where nobody asks
	hold    memory.Share
	at      int // right rows before it are at their end
}

func newLoopSpill(l *nestedLoop) (*loopSpill, error) {
	f, err := spill.NewFile(l.cx)
	if err != nil {
		return nil, err
	}
	return &loopSpill{
		l: l, file: &spill.RowFile{File: f}, rows: spill.NewFileRows(l.kept.Types), piece: spill.NewKeptRows(l.kept.Types),
		seen: make([]uint8, vec.MaxRows), hold: memory.Of(l.cx.Memory, false),
	}, nil
}

// take moves kept rows to the file.
func (s *loopSpill) take(k *spill.KeptRows) error {
	cols := make([]*vec.Vec, len(k.Types))
	for at := 0; at < k.Len; at += vec.MaxRows {
		for i := range cols {
			cols[i] = k.Cols[i][at/vec.MaxRows]
		}
		if err := s.file.Add(cols, spill.EverySlot[:min(k.Len-at, vec.MaxRows)]); err != nil {
			return err
		}
	}
	k.Drop()
	s.l.hold.Release()
	return nil
}

// begin ends writing.
func (s *loopSpill) begin() error {
	l := s.l
	l.cx.AddWork(l.n, &plan.Actual{SpillBytes: s.file.Bytes})
	if l.m.marksInner() {
		if err := s.hold.MustTo(int64(s.file.Rows)); err != nil {
			return err
		}
		s.right = make([]uint8, s.file.Rows)
	}
	l.m.src = s
	l.m.start(nil)
	return nil
}

// outer gives the next left rows, all of whose matches have been found.
func (s *loopSpill) outer() (*vec.Batch, error) {
	b, err := s.l.left.Next()
	if err != nil {
		return nil, err
	}
	if err := s.compare(b); err != nil {
		return nil, err
	}
	m := s.l.m
	m.src, m.inner, m.innerSeen = s, nil, nil
	if m.onlyOuter() {
		m.saved, m.savedAt = s.seen, 0
		return b, nil
	}
	m.matched = true
	if err := s.matches.Finish(); err != nil {
		return nil, err
	}
	if n := s.matches.Spilled; n > 0 {
		s.l.cx.AddWork(s.l.n, &plan.Actual{SpillBytes: n})
	}
	s.more = true
	return b, nil
}

// compare finds the matches of a batch of left rows.
func (s *loopSpill) compare(b *vec.Batch) error {
	l, m := s.l, s.l.m
	m.src, m.matched, m.saved = l, false, nil
	s.closeMatches()
	if m.shape.pairs {
		s.matches.Open(l.cx)
		s.open = true
	}
	if err := s.rows.Open(s.file); err != nil {
		return err
	}
	clear(s.seen)
	var position [vec.MaxRows]uint16 // of slots
	for i, slot := range spill.Selection(b) {
		position[slot] = uint16(i)
	}
	for at := 0; ; at += s.piece.Len {
		s.piece.Reset()
		part, err := s.rows.Next(vec.MaxRows)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s.piece.Add(part)
		m.inner = s.piece
		m.begin(b)
		undecided := false
		for i, slot := range m.sel {
			m.seen[slot] = s.seen[i]
			undecided = undecided || !m.decided(slot)
		}
		if !undecided && s.right == nil {
			return nil
		}
		l.at, l.row = 0, 0
		for m.at < len(m.sel) {
			if err := m.look(); err != nil {
				return err
			}
			m.at = m.upto
			if err := s.note(at, &position); err != nil {
				return err
			}
		}
	}
}

// note notes what has been found of some pairs of left rows and right rows from at on.
func (s *loopSpill) note(at int, position *[vec.MaxRows]uint16) error {
	m := s.l.m
	for i, v := range m.value[:len(m.outers)] {
		if v == 0 {
			continue
		}
		pos, row := position[m.outers[i]], int(m.inners[i])
		s.seen[pos] |= v
		if s.right != nil {
			s.right[at+row] |= v
		}
		if !m.shape.pairs {
			continue
		}
		s.key = binary.BigEndian.AppendUint16(s.key[:0], pos)
		s.row = s.row[:0]
		for _, blocks := range s.piece.Cols {
			s.row = spill.AppendRow(s.row, blocks[:1], row)
		}
		if err := s.matches.Add(s.key, s.row); err != nil {
			return err
		}
	}
	return nil
}

// fill adds the matches that were found.
func (s *loopSpill) fill() error {
	m := s.l.m
	if m.onlyOuter() {
		m.upto = len(m.sel)
		return nil
	}
	m.inner = spill.NewKeptRows(s.piece.Types) // rows given may still point into the one before
	for size := 0; ; {
		if !s.pending && s.more {
			key, row, err := s.matches.Next()
			if err == io.EOF {
				s.more = false
			} else if err != nil {
				return err
			} else {
				s.key, s.row, s.pending = append(s.key[:0], key...), append(s.row[:0], row...), true
			}
		}
		if !s.pending {
			m.upto = len(m.sel)
			return nil
		}
		pos := int(binary.BigEndian.Uint16(s.key))
		if m.room() == 0 || size >= storage.MaxBatchBytes {
			m.upto = pos
			return nil
		}
		size += len(s.row)
		m.add(m.sel[pos], int32(m.inner.Len))
		m.inner.AddRow(s.row)
		s.pending = false
	}
}

// rightEnd begins with right rows at their end, once all left rows are done; false if
// there are no more.
func (s *loopSpill) rightEnd() (bool, error) {
	m := s.l.m
	if m.shape.inner == endNothing {
		return false, nil
	}
	if s.at == 0 {
		if err := s.rows.Open(s.file); err != nil {
			return false, err
		}
	}
	part, err := s.rows.Next(vec.MaxRows)
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.piece = spill.NewKeptRows(s.piece.Types)
	s.piece.Add(part)
	m.start(nil)
	m.inner, m.innerSeen, m.ended = s.piece, s.right[s.at:s.at+s.piece.Len], true
	s.at += s.piece.Len
	return true, s.l.cx.Canceled()
}

func (s *loopSpill) closeMatches() {
	if s.open {
		s.matches.Close()
		s.open = false
	}
	s.pending, s.more = false, false
}

func (s *loopSpill) close() {
	s.closeMatches()
	s.file.Close()
	s.hold.Release()
}
