package pebble

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// Sample implements storage.Table. It halves the key space between the first
// and the last row of the largest piece until there are enough pieces. The
// rows of a piece are those in files, by their size on disk and what such
// bytes hold in rows, and those still in memory, by the sample of them.
//
//	a ······················ z     1,000 rows
//	a ···· m | n ··········· z     700 | 300: the halves of the key space
//	a · c | f · m | n ······ z     each from a row to a row, so that gaps go
//
// Sizes come in whole blocks, so that a piece of few blocks is counted, as long as there
// are rows left to look at.
func (t *table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	const op = storage.OpSample
	if err := storage.CheckSample(op, t.name, span, most); err != nil {
		return nil, err
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer t.s.exit()
	lo, hi := ts.bounds(nil, nil, span)
	out := &storage.TableSample{}
	if string(lo) >= string(hi) {
		return out, nil
	}
	m := &sampler{ctx: ctx, s: t.s, out: out, most: most}
	if m.it, err = t.s.newIter(ctx, op, t.name, &pebble.IterOptions{LowerBound: lo, UpperBound: hi}); err != nil {
		return nil, wrap(op, t.name, err)
	}
	err = m.run(ts, lo, hi)
	if err = errors.Join(err, m.it.Close()); err != nil {
		return nil, wrap(op, t.name, err)
	}
	m.answer(span)
	return out, nil
}

type sampler struct {
	ctx    context.Context
	s      *Store
	it     *pebble.Iterator
	out    *storage.TableSample
	most   int
	recent []recentKey
	pieces pieceHeap
	target float64 // rows of a piece
	block  float64 // rows of a block
}

// recentKey is a key kept by recentRows: rows is how many rows more than the
// files have it stands for, or how many less.
type recentKey struct {
	key  string
	rows float64
}

// samplePiece reaches from a row to a row, both included.
type samplePiece struct {
	first, last []byte
	recent      []recentKey
	disk        float64 // bytes
	inFiles     float64 // rows
	fixed       bool    // it cannot be cut
}

func (p *samplePiece) rows() float64 {
	n := p.inFiles
	for _, k := range p.recent {
		n += k.rows
	}
	return max(n, 0)
}

// pieceHeap has the largest piece that can be cut on top.
type pieceHeap []*samplePiece

func (h pieceHeap) Len() int { return len(h) }
func (h pieceHeap) Less(i, j int) bool {
	if h[i].fixed != h[j].fixed {
		return h[j].fixed
	}
	return h[i].rows() > h[j].rows()
}
func (h pieceHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *pieceHeap) Push(x any)   { *h = append(*h, x.(*samplePiece)) }
func (h *pieceHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func (m *sampler) run(ts *tableState, lo, hi []byte) error {
	first, last := m.seek(m.it.First), m.seek(m.it.Last)
	if first == nil || last == nil {
		return m.it.Error()
	}
	p := &samplePiece{first: first, last: last}
	var err error
	if p.disk, err = m.disk(p); err != nil {
		return err
	}
	perByte, err := m.rowsPerByte(p)
	if err != nil {
		return err
	}
	p.inFiles = p.disk * perByte
	if err := m.weigh(ts, lo, hi, p.disk > 0); err != nil {
		return err
	}
	p.recent = m.recent
	m.target = max(p.rows()/float64(m.most), 1)
	m.pieces = pieceHeap{p}
	for limit := m.out.Calls + 8*int64(m.most); len(m.pieces) < m.most && m.out.Calls < limit && !m.pieces[0].fixed; {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		if err := m.cut(); err != nil {
			return err
		}
	}
	return nil
}

func (m *sampler) seek(to func() bool) []byte {
	m.out.Calls++
	if !to() {
		return nil
	}
	m.out.Rows++
	return bytes.Clone(m.it.Key())
}

func (m *sampler) disk(p *samplePiece) (float64, error) {
	m.out.Calls++
	n, err := m.s.db.EstimateDiskUsage(p.first, append(bytes.Clone(p.last), 0))
	return float64(n), err
}

// cut halves the largest piece.
func (m *sampler) cut() error {
	p := heap.Pop(&m.pieces).(*samplePiece)
	if bytes.Equal(p.first, p.last) || p.inFiles == 0 && len(p.recent) <= 1 {
		p.fixed = true
		heap.Push(&m.pieces, p)
		return nil
	}
	if p.inFiles > 0 && p.rows() <= fewBlocks*m.block {
		return m.count(p)
	}
	mid := between(p.first, p.last)
	if n := len(p.recent); n > 1 && p.inFiles < p.rows()/2 {
		if k := []byte(p.recent[n/2].key); bytes.Compare(k, p.first) > 0 && bytes.Compare(k, p.last) <= 0 {
			mid = k
		}
	}
	l := &samplePiece{first: p.first, last: m.seek(func() bool { return m.it.SeekLT(mid) })}
	r := &samplePiece{first: m.seek(func() bool { return m.it.SeekGE(mid) }), last: p.last}
	if l.last == nil || r.first == nil { // the rows that were there are gone
		p.fixed = true
		heap.Push(&m.pieces, p)
		return m.it.Error()
	}
	i := 0
	for i < len(p.recent) && p.recent[i].key < string(r.first) {
		i++
	}
	l.recent, r.recent = p.recent[:i], p.recent[i:]
	if p.inFiles > 0 {
		var err error
		if l.disk, err = m.disk(l); err != nil {
			return err
		}
		if r.disk, err = m.disk(r); err != nil {
			return err
		}
		// Sizes come in whole blocks: a piece is shared out, and is never more than it was.
		if sum := l.disk + r.disk; sum > 0 {
			l.inFiles, r.inFiles = p.inFiles*l.disk/sum, p.inFiles*r.disk/sum
		} else {
			l.inFiles, r.inFiles = p.inFiles/2, p.inFiles/2
		}
	}
	heap.Push(&m.pieces, l)
	heap.Push(&m.pieces, r)
	return nil
}

// fewBlocks is up to how many blocks a piece is counted.
const fewBlocks = 4

// count cuts a piece into pieces of counted rows.
func (m *sampler) count(p *samplePiece) error {
	room := float64(m.most - len(m.pieces))
	size := max(m.target, p.rows()/room, 1)
	left := storage.MaxSampleWork(m.most) - storage.MaxSampleWork(1) - m.out.Rows
	if 2*p.rows() > float64(left) {
		p.fixed = true
		heap.Push(&m.pieces, p)
		return nil
	}
	m.out.Calls++
	var list []*samplePiece
	rows := 0.0
	for ok := m.it.SeekGE(p.first); ok && bytes.Compare(m.it.Key(), p.last) <= 0; ok = m.it.Next() {
		if n := len(list); n == 0 || list[n-1].inFiles >= size && float64(n) < room {
			list = append(list, &samplePiece{first: bytes.Clone(m.it.Key()), fixed: true})
		}
		list[len(list)-1].inFiles++
		m.out.Rows++
		if rows++; rows > float64(left) {
			break
		}
	}
	for _, q := range list {
		q.disk = p.disk * q.inFiles / rows
		heap.Push(&m.pieces, q)
	}
	return m.it.Error()
}

// between gives a key above a and at most b, in the middle of the key space.
func between(a, b []byte) []byte {
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	var x, y [8]byte
	copy(x[:], a[n:])
	copy(y[:], b[n:])
	lo, hi := binary.BigEndian.Uint64(x[:]), binary.BigEndian.Uint64(y[:])
	mid := lo + (hi-lo)/2
	if mid <= lo {
		return b
	}
	return binary.BigEndian.AppendUint64(bytes.Clone(a[:n]), mid)
}

// densityPlaces is at how many places files are asked for their rows.
const densityPlaces = 8

// rowsPerByte gives the rows of the files around a piece for each byte of them.
// A tombstone takes away a row of another file.
func (m *sampler) rowsPerByte(p *samplePiece) (float64, error) {
	if p.disk == 0 {
		return 0, nil
	}
	var rows, size, blocks float64
	seen := map[uint64]bool{}
	at := p.first
	for range densityPlaces {
		m.out.Calls++
		levels, err := m.s.db.SSTables(pebble.WithKeyRangeFilter(at, append(bytes.Clone(at), 0)), pebble.WithProperties())
		if err != nil {
			return 0, err
		}
		for _, files := range levels {
			for i := range files {
				f := &files[i]
				if seen[uint64(f.FileNum)] || f.Properties == nil {
					continue
				}
				seen[uint64(f.FileNum)] = true
				blocks += float64(f.Properties.NumDataBlocks)
				rows += float64(f.Properties.NumEntries) - 2*float64(f.Properties.NumPointDeletions())
				if f.Virtual { // the properties are those of the file that it is a part of
					size += float64(f.Properties.DataSize)
				} else {
					size += float64(f.Size)
				}
			}
		}
		if at = m.seek(func() bool { return m.it.SeekGE(between(at, p.last)) }); at == nil {
			break
		}
	}
	if rows <= 0 || size == 0 {
		return 0, m.it.Error()
	}
	m.block = rows / max(blocks, 1)
	return rows / size, m.it.Error()
}

// weigh finds out what each recent key adds to the rows in files, or takes
// from them.
func (m *sampler) weigh(ts *tableState, lo, hi []byte, files bool) error {
	keys, weight := m.s.recentKeys(ts, lo, hi)
	var old *pebble.Iterator
	if files && len(keys) > 0 {
		var err error
		old, err = m.s.db.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi, OnlyReadGuaranteedDurable: true})
		if err != nil {
			return err
		}
		defer old.Close()
	}
	has := func(it *pebble.Iterator, key []byte) bool {
		m.out.Calls++
		return it.SeekGE(key) && bytes.Equal(it.Key(), key)
	}
	for _, k := range keys {
		key, rows := []byte(k), 0.0
		if has(m.it, key) {
			rows += weight
		}
		if old != nil && has(old, key) {
			rows -= weight
		}
		if rows != 0 {
			m.recent = append(m.recent, recentKey{k, rows})
		}
	}
	if old != nil {
		return errors.Join(m.it.Error(), old.Error())
	}
	return m.it.Error()
}

// answer puts the pieces in order and closes the gaps between them.
func (m *sampler) answer(span storage.Span) {
	ps := m.pieces
	if len(ps) == 0 {
		m.out.Pieces = []storage.SamplePiece{{Span: span}}
		return
	}
	slices.SortFunc(ps, func(a, b *samplePiece) int { return bytes.Compare(a.first, b.first) })
	for i, p := range ps {
		piece := storage.SamplePiece{Span: span, Rows: int64(p.rows() + 0.5), Bytes: int64(p.disk)}
		if i > 0 {
			piece.Span.Start = p.first[prefixLen:]
		}
		if i+1 < len(ps) {
			piece.Span.End = ps[i+1].first[prefixLen:]
		}
		m.out.Pieces = append(m.out.Pieces, piece)
	}
}
