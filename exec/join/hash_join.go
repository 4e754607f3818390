package join

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// hashJoin keeps the rows of its build side in columns, with a table over the hashes of
// their keys, and looks the rows of its probe side up by batch.
//
//	build side --> rows kept --> table --------.
//	                   '-- memory full: both sides are spread over files by hash,
//	                       and joined file by file (hash_join_spill.go)
//	probe side --> keys, hashes --> candidates --> matcher
//
// Keys that are Unknown where NULL have two tables more: of the build rows with such a
// NULL, which every probe row must look at, and of the others for probe rows with one;
// these are by the hash of the other keys.
type hashJoin struct {
	n            *plan.HashJoin
	build, probe op.Operator
	buildKeys    *joinKeys
	probeKeys    *joinKeys
	m            *matcher
	reductions   []*keyValues

	cx     *op.Context
	hold   memory.Share
	kept   *spill.KeptRows
	keyAt  []int    // the keys among kept's columns
	hashes []uint64 // per row kept
	sure   []uint64 // likewise, where some keys are Unknown
	built  bool
	done   bool
	spill  *joinSpill // nil: all is in memory
	keeper *op.Keeper // where the build side is the same for several runs
	whole  bool       // it has been kept for a run to come

	chains    chainFill  // over the rows without NULLs in Unknown keys
	nullTable *hashTable // of those with; nil without such keys
	sureTable *hashTable // of the former, by the other keys; made when it is needed
	sureKeys  []int      // places of keys that are not Unknown

	// The present batch of the probe side.
	probing  probeSource
	vals     []*vec.Vec
	sureVals []*vec.Vec
	stage    probeStage
	steps    int
	once     [rowIsDone]bool // stages that have been done for all rows to come
}

// probeSource gives batches of the probe side.
type probeSource interface {
	// next gives rows, their keys, and these keys' hashes in the join's probeKeys.
	next() (b *vec.Batch, keys []*vec.Vec, err error)
}

func NewHashJoin(n *plan.HashJoin, left, right op.Operator) (op.Operator, error) {
	j := &hashJoin{n: n, build: right, probe: left}
	buildTypes := op.TypesOf(n.Right)
	if n.BuildLeft {
		j.build, j.probe, buildTypes = left, right, op.TypesOf(n.Left)
	}
	var err error
	if j.buildKeys, err = newJoinKeys(n.Keys, n.BuildLeft); err != nil {
		return nil, err
	}
	if j.probeKeys, err = newJoinKeys(n.Keys, !n.BuildLeft); err != nil {
		return nil, err
	}
	if j.m, err = newMatcher(&n.Match, n.Kind, op.TypesOf(n.Left), op.TypesOf(n.Right), !n.BuildLeft); err != nil {
		return nil, err
	}
	var all []types.T
	all, j.keyAt = j.buildKeys.kept(buildTypes)
	j.kept = spill.NewKeptRows(all)
	for i, k := range n.Keys {
		if !k.Unknown {
			j.sureKeys = append(j.sureKeys, i)
		}
	}
	for _, r := range n.Reduce {
		j.reductions = append(j.reductions, &keyValues{red: r, t: n.Keys[r.Key].Left.Type()})
	}
	return j, nil
}

func (j *hashJoin) Open(cx *op.Context) error {
	j.cx, j.built, j.done = cx, false, false
	j.m.open(cx, j)
	j.probeKeys.Reset()
	if j.whole {
		return nil
	}
	j.keeper = cx.Keeper(j.n.KeptBy)
	j.hold = memory.Of(cx.Memory, true)
	for _, r := range j.reductions {
		r.open(cx)
	}
	return j.build.Open(cx)
}

func (j *hashJoin) Next() (*vec.Batch, error) {
	if !j.built {
		if err := j.consume(); err != nil {
			return nil, err
		}
		j.built = true
	}
	for !j.done {
		b, err := j.m.next()
		if err != io.EOF {
			return b, err
		}
		if j.spill == nil {
			j.done = true
			break
		}
		more, err := j.nextPart()
		if err != nil {
			return nil, err
		}
		j.done = !more
	}
	return nil, io.EOF
}

// consume reads the build side, unless it is there from a run before, and opens the other.
func (j *hashJoin) consume() error {
	if !j.whole {
		if err := j.readBuild(); err != nil {
			return err
		}
	}
	for _, r := range j.reductions {
		j.cx.Env.Params[r.red.Param-1] = r.array()
	}
	if j.spill == nil && j.kept.Len == 0 && j.m.shape.givesNothing() {
		j.done = true
		return nil
	}
	if err := j.probe.Open(j.cx); err != nil {
		return err
	}
	if j.spill != nil {
		if err := j.splitProbe(); err != nil {
			return err
		}
		more, err := j.nextPart()
		j.done = !more
		return err
	}
	j.probing = &probeOperator{j: j}
	j.begin()
	return nil
}

// readBuild reads the build side.
func (j *hashJoin) readBuild() error {
	for {
		b, err := j.build.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := j.buildKeys.Each(j.cx.Env, b, j.keep); err != nil {
			return err
		}
		if err := j.cx.Canceled(); err != nil {
			return err
		}
	}
	if err := j.build.Close(); err != nil { // its scans are not needed any more
		return err
	}
	if j.spill == nil {
		j.makeTables()
		j.whole = j.keeper.Keep(j.drop)
	}
	return nil
}

// keep keeps rows of the build side whose keys are computed.
func (j *hashJoin) keep(b *vec.Batch) error {
	sel := spill.Selection(b)
	for _, r := range j.reductions {
		r.add(j.buildKeys.Vals[r.red.Key], sel)
	}
	cols := j.withKeys(b)
	if j.spill != nil {
		return j.spill.addBuild(cols, j.buildKeys.Vals, sel)
	}
	if j.addRows(cols, j.buildKeys.Vals, sel) {
		return nil
	}
	return j.startSpill()
}

// withKeys gives the columns to keep of a batch whose keys are computed.
func (j *hashJoin) withKeys(b *vec.Batch) []*vec.Vec {
	if len(b.Cols) == len(j.kept.Types) {
		return b.Cols
	}
	cols := append(make([]*vec.Vec, 0, len(j.kept.Types)), b.Cols...)
	for i, at := range j.keyAt {
		if at >= len(b.Cols) {
			cols = append(cols, j.buildKeys.Vals[i])
		}
	}
	return cols
}

// addRows adds rows to those kept; false where there is no memory for more.
func (j *hashJoin) addRows(cols, keys []*vec.Vec, sel []uint16) bool {
	j.buildKeys.hash(keys, sel)
	j.kept.AddRows(cols, sel)
	for _, s := range sel {
		j.hashes = append(j.hashes, j.buildKeys.hashes[s])
		if j.buildKeys.some {
			j.sure = append(j.sure, j.buildKeys.sure[s])
		}
	}
	return j.book()
}

// book books what is kept; false where there is no memory for it, and enough is held to
// be worth a pass.
func (j *hashJoin) book() bool {
	bytes := j.bytes()
	return j.hold.To(bytes) || bytes <= spill.LeastKept(j.cx) && j.hold.MustTo(bytes) == nil
}

// mustBook is book for rows without which nothing goes on.
func (j *hashJoin) mustBook() error { return j.hold.MustTo(j.bytes()) }

// bytes is what the rows kept take, and the tables to be made of them.
func (j *hashJoin) bytes() int64 {
	n := j.kept.Len
	bytes := j.kept.Bytes() + 8*int64(cap(j.hashes)+cap(j.sure)) + tableBytes(n)
	if j.buildKeys.some {
		bytes += 2 * tableBytes(n)
	}
	if j.m.marksInner() {
		bytes += int64(n)
	}
	return bytes
}

// startProbe makes the tables of the rows kept and begins with the probe side.
func (j *hashJoin) startProbe() {
	j.makeTables()
	j.begin()
}

// begin begins with the probe side.
func (j *hashJoin) begin() {
	clear(j.once[:])
	j.m.start(j.kept)
}

func (j *hashJoin) makeTables() {
	j.chains.table = newHashTable(j.kept, j.keyAt, j.hashes, hashAll)
	j.nullTable, j.sureTable = nil, nil
	if j.buildKeys.some {
		j.nullTable = newHashTable(j.kept, j.sureAt(), j.hashes, hashSure)
		return
	}
	j.hashes = nil
}

// sureAt gives the columns of the keys that are not Unknown.
func (j *hashJoin) sureAt() []int {
	at := make([]int, len(j.sureKeys))
	for i, k := range j.sureKeys {
		at[i] = j.keyAt[k]
	}
	return at
}

// allByHash gives the table for probe rows with a NULL in an Unknown key: of the rows
// that are not in nullTable.
func (j *hashJoin) allByHash() *hashTable {
	if j.sureTable == nil {
		for i, h := range j.hashes {
			if h&hashAll == 0 {
				j.sure[i] = 0
			}
		}
		j.sureTable = newHashTable(j.kept, j.sureAt(), j.sure, hashSure)
	}
	return j.sureTable
}

func (j *hashJoin) Close() error {
	j.m.close()
	j.closeSpill()
	j.probing = nil
	if !j.whole {
		j.drop()
	}
	j.cx = nil
	return errors.Join(j.build.Close(), j.probe.Close())
}

// drop forgets the build side.
func (j *hashJoin) drop() {
	j.whole, j.keeper = false, nil
	j.kept.Drop()
	j.hashes, j.sure, j.chains.table, j.nullTable, j.sureTable = nil, nil, nil, nil, nil
	for _, r := range j.reductions {
		r.close()
	}
	j.hold.Release()
}
