package join

import (
	"errors"
	"io"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// lookupJoin reads the right table by keys that come from the left side, those of many
// left rows at a time.
//
//	left rows, gathered --> distinct keys --> points or spans --> one scan's source
//	       |                                                           |
//	       '--> hashes ------------> table over the rows read <--------'
//	                                        '--> candidates --> matcher
//
// What was read is kept for the left rows that come next, as long as it is small. Where
// the rows read for some left rows do not fit into memory, fewer left rows are taken at a
// time; what one left row has is joined in pieces.
type lookupJoin struct {
	n        *plan.LookupJoin
	left     op.Operator
	m        *matcher
	values   *joinKeys // over the left side
	keys     *joinKeys // over the rows read
	keyAt    []int
	core     *scan.Core
	exact    bool // keys are made of Values as they are
	keyTypes []types.T

	cx     *op.Context
	hold   memory.Share
	from   leftRows
	rest   []uint16 // rows of the left batch that were not looked up yet
	part   vec.Batch
	most   int // left rows to look up at a time
	kept   *spill.KeptRows
	hashes []uint64
	known  spill.KnownKeys
	chains chainFill
	table  hashTable
	key    []byte

	fresh  []uint16
	full   fullKeys
	points [][]byte
	set    rowcodec.SpanSet

	// The rows of one left row come in pieces: the scan is open.
	reading bool
	seen    [1]uint8
}

const (
	// What is kept of rows read for the left rows that come next: about.
	mostKnown      = 8 << 10
	mostKnownBytes = 2 << 20
	// mostSpare is how much memory is left for the next run of the same statement.
	mostSpare = 16 << 10
)

func NewLookupJoin(n *plan.LookupJoin, left op.Operator) (op.Operator, error) {
	table := n.Right.Table
	right := *n.Right
	if right.Key != nil || right.Order != plan.Unordered || right.Limit != nil || len(n.Values) == 0 || n.Kind == plan.Mark {
		return nil, sqlerr.Internal(nil, "lookup join of kind %v over a scan with a key, an order or a limit", n.Kind)
	}
	if n.Index != "" && n.Kind == plan.Inner && exactKeys(n) {
		return newIndexLookup(n, left)
	}
	right.Cols, right.Unread = slices.Clone(right.Cols), slices.Clone(right.Unread)
	j := &lookupJoin{n: n, left: left}
	keys := make([]plan.JoinKey, len(n.Values))
	extra := len(right.Columns()) - len(right.Cols)
	for i, v := range n.Values {
		c := table.PrimaryKey[i]
		at := slices.Index(right.Cols, c)
		if at >= 0 && slices.Contains(right.Unread, at) {
			at = -1
		}
		if at < 0 {
			if extra > 0 {
				return nil, sqlerr.Internal(nil, "lookup join over a scan that gives row keys")
			}
			at, right.Cols = len(right.Cols), append(right.Cols, c)
		}
		t := table.Columns[c].Type
		keys[i] = plan.JoinKey{Left: v, Right: &expr.Col{Index: at, T: t}}
		j.keyAt, j.keyTypes = append(j.keyAt, at), append(j.keyTypes, v.Type())
	}
	var err error
	if j.values, err = newJoinKeys(keys, true); err != nil {
		return nil, err
	}
	if j.keys, err = newJoinKeys(keys, false); err != nil {
		return nil, err
	}
	if j.core, err = scan.NewCore(&right); err != nil {
		return nil, err
	}
	j.core.Counts = n
	j.exact = exactKeys(n)
	filter, err := matchOf(n)
	if err != nil {
		return nil, err
	}
	if j.m, err = newMatcher(&plan.Match{Filter: filter}, n.Kind, op.TypesOf(n.Left), op.TypesOf(n.Right), true); err != nil {
		return nil, err
	}
	if j.m.marksInner() {
		return nil, sqlerr.Internal(nil, "lookup join of kind %v", n.Kind)
	}
	j.kept = spill.NewKeptRows(op.TypesOf(&right))
	j.from.init(n, left)
	return j, nil
}

// matchOf is what a pair must satisfy: the filter, and that the row has the entry's values.
func matchOf(n *plan.LookupJoin) (expr.Expr, error) {
	filter := n.Filter
	width := plan.Width(n.Left)
	for _, k := range n.Same {
		right := expr.MapCols(k.Right, func(c *expr.Col) expr.Expr {
			m := *c
			m.Index += width
			return &m
		})
		e, err := expr.MakeIsDistinct(k.Left, right, 0)
		if err != nil {
			return nil, err
		}
		e = &expr.Not{X: e}
		if filter == nil {
			filter = e
		} else {
			filter = &expr.And{Args: []expr.Expr{filter, e}}
		}
	}
	return filter, nil
}

func (j *lookupJoin) Open(cx *op.Context) error {
	first, err := j.from.open(cx)
	if err != nil {
		return err
	}
	j.cx, j.most, j.rest, j.reading = cx, first, nil, false
	j.hold = memory.Of(cx.Memory, true)
	j.values.Reset()
	j.m.open(cx, j)
	j.begin()
	return j.left.Open(cx)
}

func (j *lookupJoin) Next() (*vec.Batch, error) { return j.m.next() }

// outer gives the next left rows, with the rows of their keys read.
func (j *lookupJoin) outer() (*vec.Batch, error) {
	if j.reading {
		if err := j.nextPiece(); err != nil {
			return nil, err
		}
		j.chains.find(j.values.hashes, j.values.Vals, j.part.Sel)
		return &j.part, nil
	}
	if j.m.chunked {
		j.m.chunked, j.m.saved = false, nil
		j.forget() // the last piece
	}
	if len(j.rest) == 0 {
		b, err := j.values.NextPart(j.cx.Env, j.from.next)
		if err != nil {
			return nil, err
		}
		j.part.Cols, j.part.N = b.Cols, b.N
		j.rest = spill.Selection(b)
		j.values.hash(j.values.Vals, j.rest)
	}
	n := min(len(j.rest), j.most)
	for {
		fits, err := j.lookup(j.rest[:n])
		if err != nil {
			return nil, err
		}
		if fits {
			j.most = moreLookups(n)
			break
		}
		if n == 1 {
			j.beginPieces()
			break
		}
		n = max(n/4, 1)
		j.most = n
	}
	j.part.Sel, j.rest = j.rest[:n:n], j.rest[n:]
	j.chains.find(j.values.hashes, j.values.Vals, j.part.Sel)
	return &j.part, nil
}

func (j *lookupJoin) fill() error {
	j.chains.fill(j.m)
	return nil
}

// forget drops what has been read.
func (j *lookupJoin) forget() {
	j.kept = spill.NewKeptRows(j.kept.Types) // rows given may still point into the one before
	j.table = hashTable{}
	j.begin()
}

// begin is with nothing read.
func (j *lookupJoin) begin() {
	j.hashes = j.hashes[:0]
	j.known.Reset()
	j.hold.Release()
	j.makeTable()
}

func (j *lookupJoin) makeTable() {
	j.table.build(j.kept, j.keyAt, j.hashes, hashAll)
	j.chains.table, j.m.inner = &j.table, j.kept
}

// read keeps the rows that the scan gives; false if there are more than may be kept.
func (j *lookupJoin) read() (bool, error) {
	for {
		b, err := j.core.Read()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if err := j.keys.Eval(j.cx.Env, b); err != nil {
			return false, err
		}
		sel := spill.Selection(b)
		j.keys.hash(j.keys.Vals, sel)
		j.kept.AddRows(b.Cols, sel)
		for _, s := range sel {
			j.hashes = append(j.hashes, j.keys.hashes[s])
		}
		n := j.kept.Bytes() + 8*int64(cap(j.hashes)) + tableBytes(j.kept.Len)
		if n > spill.LeastKept(j.cx) && (n > mostRead || !j.hold.To(n)) {
			return false, j.hold.MustTo(n)
		}
		if err := j.hold.MustTo(n); err != nil {
			return false, err
		}
	}
}

// beginPieces has one left row joined with the rows read so far, and then with the others.
func (j *lookupJoin) beginPieces() {
	j.makeTable()
	j.reading, j.seen[0] = true, 0
	j.m.chunked, j.m.last, j.m.saved, j.m.savedAt = true, false, j.seen[:], 0
}

// nextPiece goes on with more rows for the left row.
func (j *lookupJoin) nextPiece() error {
	j.forget()
	m := j.m
	m.savedAt = 0
	fits := !m.shape.pairs && m.shape.outer.decided(j.seen[0])
	if !fits {
		var err error
		if fits, err = j.read(); err != nil {
			return err
		}
	}
	j.makeTable()
	if !fits {
		return nil
	}
	j.reading, m.last = false, true
	return j.core.Close()
}

func (j *lookupJoin) Close() error {
	j.m.close()
	if j.kept.Bytes()+8*int64(cap(j.hashes))+tableBytes(j.kept.Len) <= mostSpare {
		j.kept.Reset()
	} else {
		j.kept.Drop()
		j.hashes, j.table = nil, hashTable{}
	}
	j.chains.table = nil
	j.known.Reset()
	j.from.reset()
	if j.cx != nil {
		j.hold.Release()
		j.cx = nil
	}
	return errors.Join(j.core.Close(), j.left.Close())
}
