package join

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// joinSpill is a hash join whose build side does not fit into memory: both sides lie in
// files, by the hash of their keys, and pairs of files are joined one after another. A
// build file that does not fit either is spread again, with its probe file. Where that
// makes no smaller files, as of one frequent key, the probe file is read once for each
// part of the build file that does fit.
type joinSpill struct {
	j          *hashJoin
	build      joinPartitions
	probe      joinPartitions
	pending    []joinPart
	part       joinPart // being joined
	active     bool     // part is
	partly     bool     // its build file is read in pieces
	buildRows  *spill.FileRows
	probeRows  *spill.FileRows
	probeTypes []types.T
	probeKeyAt []int
	buildVals  []*vec.Vec
	probeVals  []*vec.Vec
	seen       []uint8 // of the part's probe rows, where it is read in pieces
	seenHold   memory.Share
}

// joinPart is a pair of files; depth counts how often their rows were spread.
type joinPart struct {
	build, probe *spill.RowFile
	depth        int
	whole        int64 // bytes of the build file that this one came from
}

// startSpill moves the rows kept to files.
func (j *hashJoin) startSpill() error {
	s := &joinSpill{j: j, build: joinPartitions{cx: j.cx}, probe: joinPartitions{cx: j.cx}}
	s.seenHold = memory.Of(j.cx.Memory, false)
	s.buildRows = spill.NewFileRows(j.kept.Types)
	j.spill = s
	probeNode := j.n.Left
	if j.n.BuildLeft {
		probeNode = j.n.Right
	}
	s.probeTypes, s.probeKeyAt = j.probeKeys.kept(op.TypesOf(probeNode))
	s.probeRows = spill.NewFileRows(s.probeTypes)
	return s.moveKept(&s.build)
}

// moveKept writes the rows kept to files and forgets them.
func (s *joinSpill) moveKept(to *joinPartitions) error {
	k := s.j.kept
	cols := make([]*vec.Vec, len(k.Types))
	for at := 0; at < k.Len; at += vec.MaxRows {
		for i := range cols {
			cols[i] = k.Cols[i][at/vec.MaxRows]
		}
		if err := s.spreadBuild(to, cols, columnsAt(cols, s.j.keyAt, &s.buildVals), spill.EverySlot[:min(k.Len-at, vec.MaxRows)]); err != nil {
			return err
		}
	}
	s.j.dropKept()
	return nil
}

// columnsAt lists the columns at some places.
func columnsAt(cols []*vec.Vec, at []int, dst *[]*vec.Vec) []*vec.Vec {
	*dst = (*dst)[:0]
	for _, i := range at {
		*dst = append(*dst, cols[i])
	}
	return *dst
}

func (j *hashJoin) dropKept() {
	j.kept.Drop()
	j.hashes, j.sure, j.chains.table, j.nullTable, j.sureTable = nil, nil, nil, nil, nil
	j.hold.Release()
}

func (s *joinSpill) addBuild(cols, keys []*vec.Vec, sel []uint16) error {
	return s.spreadBuild(&s.build, cols, keys, sel)
}

func (s *joinSpill) spreadBuild(to *joinPartitions, cols, keys []*vec.Vec, sel []uint16) error {
	k := s.j.buildKeys
	k.hash(keys, sel)
	return to.add(cols, sel, k.spreadBy())
}

// spreadBy gives the hashes by which rows that may match come to one file.
func (k *joinKeys) spreadBy() []uint64 {
	if k.some {
		return k.sure
	}
	return k.hashes
}

// splitProbe spreads the probe side.
func (j *hashJoin) splitProbe() error {
	s := j.spill
	from := &probeOperator{j: j}
	cols := make([]*vec.Vec, len(s.probeTypes))
	for {
		b, keys, err := from.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		copy(cols, b.Cols)
		for i, at := range s.probeKeyAt {
			if at >= len(b.Cols) {
				cols[at] = keys[i]
			}
		}
		if err := s.probe.add(cols, spill.Selection(b), j.probeKeys.spreadBy()); err != nil {
			return err
		}
	}
	if err := j.probe.Close(); err != nil {
		return err
	}
	return s.push(&s.build, &s.probe, 1, 0)
}

// push makes pairs of files out of both sides' files.
func (s *joinSpill) push(build, probe *joinPartitions, depth int, whole int64) error {
	n, err := build.park()
	if err != nil {
		return err
	}
	m, err := probe.park()
	if err != nil {
		return err
	}
	s.j.cx.AddWork(s.j.n, &plan.Actual{SpillBytes: n + m})
	if whole == 0 {
		whole = n
	}
	for i := range build.files {
		p := joinPart{build.files[i], probe.files[i], depth, whole}
		build.files[i], probe.files[i] = nil, nil
		if p.build != nil || p.probe != nil {
			s.pending = append(s.pending, p)
		}
	}
	return nil
}

// nextPart begins with the next rows to be joined; false if there are none.
func (j *hashJoin) nextPart() (bool, error) {
	s := j.spill
	for {
		if s.active && s.partly && s.buildRows.Left > 0 {
			return true, s.nextPiece()
		}
		s.endPart()
		if len(s.pending) == 0 {
			return false, nil
		}
		last := len(s.pending) - 1
		s.part, s.pending = s.pending[last], s.pending[:last]
		s.active, s.partly = true, false
		if s.part.build == nil && j.m.shape.givesNothing() || s.part.probe == nil && j.m.shape.inner != endUnmatched && j.m.shape.inner != endNone && j.m.shape.inner != endMark {
			continue
		}
		fits, err := s.load()
		if err != nil {
			return false, err
		}
		if fits {
			j.m.chunked, j.m.saved = false, nil
			return true, s.startPart()
		}
		if s.part.depth <= maxSplits && s.part.build.Bytes < s.part.whole/8*7 {
			if err := s.split(); err != nil {
				return false, err
			}
			continue
		}
		return true, s.startPieces()
	}
}

// load keeps rows of the part's build file; false if they do not all fit.
func (s *joinSpill) load() (bool, error) {
	if err := s.buildRows.Open(s.part.build); err != nil {
		return false, err
	}
	return s.loadMore()
}

func (s *joinSpill) loadMore() (bool, error) {
	j := s.j
	for {
		// Few at a time, for little to be held beyond what is booked.
		b, err := s.buildRows.Next(64)
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !j.addRows(b.Cols, columnsAt(b.Cols, j.keyAt, &s.buildVals), spill.Selection(b)) {
			return false, nil
		}
		if err := j.cx.Canceled(); err != nil {
			return false, err
		}
	}
}

func (s *joinSpill) startPart() error {
	if err := s.probeRows.Open(s.part.probe); err != nil {
		return err
	}
	s.j.probing = s
	s.j.startProbe()
	return nil
}

// next gives rows of the part's probe file.
func (s *joinSpill) next() (*vec.Batch, []*vec.Vec, error) {
	b, err := s.probeRows.Next(vec.MaxRows)
	if err != nil {
		return nil, nil, err
	}
	vals := columnsAt(b.Cols, s.probeKeyAt, &s.probeVals)
	s.j.probeKeys.hash(vals, spill.Selection(b))
	return b, vals, nil
}

// split spreads the part's rows again. Some of its build rows are kept already.
func (s *joinSpill) split() error {
	j := s.j
	build := joinPartitions{cx: j.cx, depth: s.part.depth}
	probe := joinPartitions{cx: j.cx, depth: s.part.depth}
	err := s.spread(&build, &probe)
	if err == nil {
		err = s.push(&build, &probe, s.part.depth+1, s.part.build.Bytes)
	}
	build.close()
	probe.close()
	return err
}

func (s *joinSpill) spread(build, probe *joinPartitions) error {
	if err := s.moveKept(build); err != nil {
		return err
	}
	for {
		b, err := s.buildRows.Next(vec.MaxRows)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := s.spreadBuild(build, b.Cols, columnsAt(b.Cols, s.j.keyAt, &s.buildVals), spill.Selection(b)); err != nil {
			return err
		}
	}
	if err := s.probeRows.Open(s.part.probe); err != nil {
		return err
	}
	for {
		b, _, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := probe.add(b.Cols, spill.Selection(b), s.j.probeKeys.spreadBy()); err != nil {
			return err
		}
	}
}

// startPieces joins the rows kept, which are not all of the build file, with the whole
// probe file.
func (s *joinSpill) startPieces() error {
	m := s.j.m
	s.partly = true
	if err := s.j.mustBook(); err != nil {
		return err
	}
	n := s.part.probe.Count()
	if err := s.seenHold.MustTo(int64(n)); err != nil {
		return err
	}
	s.seen = make([]uint8, n)
	m.chunked, m.saved, m.last = true, s.seen, s.buildRows.Left == 0
	return s.startPart()
}

// nextPiece goes on with more of the build file.
func (s *joinSpill) nextPiece() error {
	s.j.dropKept()
	if _, err := s.loadMore(); err != nil {
		return err
	}
	if err := s.j.mustBook(); err != nil {
		return err
	}
	s.j.m.last = s.buildRows.Left == 0
	return s.startPart()
}

func (s *joinSpill) endPart() {
	if !s.active {
		return
	}
	s.active = false
	s.part.build.Drop()
	s.part.probe.Drop()
	s.part = joinPart{}
	s.seen = nil
	s.seenHold.Release()
	s.j.dropKept()
}

func (j *hashJoin) closeSpill() {
	s := j.spill
	if s == nil {
		return
	}
	j.spill = nil
	s.endPart()
	for _, p := range s.pending {
		p.build.Drop()
		p.probe.Drop()
	}
	s.pending = nil
	s.build.close()
	s.probe.close()
}
