package pebble

import (
	"bytes"
	"encoding/binary"
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// readPlan is a read request resolved against a table's descriptor: what
// decides which cells of a packed row go into a RowBatch.
type readPlan struct {
	req      *storage.ScanRequest
	desc     *tableDesc
	project  []projCol // by (family, qualifier); meaningless where all is set
	all      bool
	versions int

	// bounded says that a cell may be hidden by its timestamp, or that
	// families differ in versions.
	bounded bool
	maxTS   int64
	limits  []cellLimits // by family id; filled where bounded

	// interned maps family ids to the numbers of the batch being filled;
	// notInterned where it has not been asked for yet.
	interned []uint16
	view     packedView

	filterFailed bool // the error of emit is the filter's own
}

type projCol struct {
	family uint32
	qual   []byte
}

type cellLimits struct {
	minTS    int64
	versions int
}

const notInterned = 1<<16 - 1

var planPool = sync.Pool{New: func() any { return new(readPlan) }}

// newReadPlan resolves req. The plan goes back by release.
func newReadPlan(req *storage.ScanRequest, desc *tableDesc, now func() time.Time) *readPlan {
	p := planPool.Get().(*readPlan)
	p.req, p.desc = req, desc
	p.all = len(req.Project) == 0
	p.project = p.project[:0]
	for i := range req.Project {
		c := &req.Project[i]
		if id := desc.familyID(c.Family); id != 0 {
			p.addProject(projCol{id, c.Qualifier})
		}
	}
	p.versions = max(1, req.Versions)
	p.maxTS = req.MaxTS
	p.bounded = desc.hasTTL || req.MinTS > 0 || req.MaxTS > 0 || p.versions > 1
	p.limits = p.limits[:0]
	if p.bounded {
		at := now()
		for i := range desc.byID {
			f := &desc.byID[i]
			p.limits = append(p.limits, cellLimits{max(req.MinTS, f.oldest(at)), min(p.versions, f.versions)})
		}
	}
	p.interned = p.interned[:0]
	for range desc.byID {
		p.interned = append(p.interned, notInterned)
	}
	p.view.plan, p.filterFailed = p, false
	return p
}

// addProject keeps the list sorted and distinct; it is short and mostly comes
// in order.
func (p *readPlan) addProject(c projCol) {
	p.project = append(p.project, c)
	for i := len(p.project) - 1; i > 0; i-- {
		switch compareCol(p.project[i-1], p.project[i]) {
		case 0:
			p.project = append(p.project[:i], p.project[i+1:]...)
			return
		case -1:
			return
		}
		p.project[i-1], p.project[i] = p.project[i], p.project[i-1]
	}
}

func compareCol(a, b projCol) int {
	switch {
	case a.family < b.family:
		return -1
	case a.family > b.family:
		return 1
	}
	return bytes.Compare(a.qual, b.qual)
}

func (p *readPlan) release() {
	clear(p.project[:cap(p.project)])
	p.req, p.desc, p.view.raw = nil, nil, nil
	planPool.Put(p)
}

// startBatch is called when another batch is going to be filled: interned
// numbers are a batch's own.
func (p *readPlan) startBatch() {
	for i := range p.interned {
		p.interned[i] = notInterned
	}
}

// emit appends what the plan shows of a packed row, and says whether that was
// anything. Cells are decoded by one pass over local variables, and what lies
// between the first and the last cell wanted is copied in one piece.
func (p *readPlan) emit(dst *storage.RowBatch, key, raw []byte) (bool, error) {
	if p.req.Filter != nil {
		if ok, err := p.passes(key, raw); !ok || err != nil {
			return false, err
		}
	}
	if len(raw) < packedHeader+1 || raw[0] != packedVersion {
		return false, errPacked
	}
	count, pos := uvarintAt(raw, 1)
	if pos < 0 || count == 0 || count > uint64(len(raw)) || pos+8 > len(raw) {
		return false, errPacked
	}
	base := int64(binary.BigEndian.Uint64(raw[pos:]))
	pos += 8
	dst.StartRow(key)
	if p.req.KeysOnly && p.all && !p.bounded {
		return true, nil
	}

	cells := dst.AddCells(int(count))
	arena := dst.Bytes()
	var (
		n        int                 // cells wanted
		from     = -1                // raw[from:to] is copied
		to       int                 //
		shift    int                 // arena offset = raw offset + shift
		family   uint32              // of the cell
		qLo, qHi int                 //
		wanted   bool                // the cell's column is projected
		left     = p.versions        // versions of the column still wanted
		minTS    int64               //
		project  = p.project         // columns not passed yet
		number   = uint16(1<<16 - 1) // interned family
	)
	for range int(count) {
		var v uint64
		if v, pos = uvarintAt(raw, pos); pos < 0 {
			return false, errPacked
		}
		if v != 0 { // a new column
			if v >= uint64(len(p.interned)) {
				return false, errPacked
			}
			family = uint32(v)
			if v, pos = uvarintAt(raw, pos); pos < 0 || v > uint64(len(raw)-pos) {
				return false, errPacked
			}
			qLo, qHi = pos, pos+int(v)
			pos = qHi
			wanted = p.all
			for !wanted && len(project) > 0 {
				if project[0].family == family && string(project[0].qual) == string(raw[qLo:qHi]) {
					wanted = true
				} else if compareCol(project[0], projCol{family, raw[qLo:qHi]}) > 0 {
					break
				}
				project = project[1:]
			}
			left = p.versions
			if p.bounded {
				left, minTS = p.limits[family].versions, p.limits[family].minTS
			}
			if wanted {
				if number = p.interned[family]; number == notInterned {
					number = dst.Intern(p.desc.byID[family].name)
					p.interned[family] = number
				}
			} else if !p.all && len(project) == 0 {
				break // nothing that follows is wanted
			}
		} else if family == 0 {
			return false, errPacked
		}
		var d uint64
		if d, pos = uvarintAt(raw, pos); pos < 0 {
			return false, errPacked
		}
		if v, pos = uvarintAt(raw, pos); pos < 0 || v > uint64(len(raw)-pos) {
			return false, errPacked
		}
		vLo := pos
		pos += int(v)
		if !wanted || left == 0 {
			continue
		}
		ts := base + (int64(d>>1) ^ -int64(d&1))
		if p.bounded && (ts < minTS || p.maxTS > 0 && ts >= p.maxTS) {
			continue
		}
		left--
		if from < 0 {
			from, shift = qLo, arena-qLo
		}
		to = pos
		cells[n] = storage.CellRef{
			QualLo: uint32(qLo + shift), QualHi: uint32(qHi + shift),
			ValLo: uint32(vLo + shift), ValHi: uint32(pos + shift),
			Timestamp: ts, Family: number,
		}
		n++
	}
	if n == 0 {
		dst.DropRow()
		return false, nil
	}
	dst.TrimCells(int(count) - n)
	switch {
	case p.req.KeysOnly:
		dst.TrimCells(n)
	case to-from > sparseBytes && !p.all:
		copySparse(dst, cells[:n], raw, shift)
	default:
		dst.AddBytes(raw[from:to])
	}
	return true, nil
}

// sparseBytes is the size from which the columns of a projection are copied
// one by one, since most of what lies between them may not be wanted.
const sparseBytes = 512

func copySparse(dst *storage.RowBatch, cells []storage.CellRef, raw []byte, shift int) {
	for i := range cells {
		c := &cells[i]
		q := raw[int(c.QualLo)-shift : int(c.QualHi)-shift]
		v := raw[int(c.ValLo)-shift : int(c.ValHi)-shift]
		c.QualLo = dst.AddBytes(q)
		c.QualHi = c.QualLo + uint32(len(q))
		c.ValLo = dst.AddBytes(v)
		c.ValHi = c.ValLo + uint32(len(v))
	}
}

// passes runs the filter over the row as it lies.
func (p *readPlan) passes(key, raw []byte) (bool, error) {
	p.view.raw, p.view.err = raw, nil
	ok, err := p.req.Filter(key, &p.view)
	if p.view.err != nil {
		return false, p.view.err
	}
	p.filterFailed = err != nil
	return ok, err
}

// packedView implements storage.RowView on a packed row.
type packedView struct {
	plan *readPlan
	raw  []byte
	err  error
}

func (v *packedView) Get(family string, qualifier []byte) ([]byte, bool) {
	id := v.plan.desc.familyID(family)
	if id == 0 {
		return nil, false
	}
	c := openPacked(v.raw)
	for c.next() {
		if c.family != id || string(c.qual) != string(qualifier) {
			continue
		}
		if v.plan.visible(&c.cell) {
			return c.value, true
		}
	}
	if c.err != nil {
		v.err = c.err
	}
	return nil, false
}

// visible says whether timestamps hide a cell.
func (p *readPlan) visible(c *cell) bool {
	return !p.bounded || c.ts >= p.limits[c.family].minTS && (p.maxTS == 0 || c.ts < p.maxTS)
}
