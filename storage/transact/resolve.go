package transact

import (
	"bytes"
	"context"
	"math"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// resolver finds what rows are that cannot be taken as they lie in the store: those with locks, and,
// of a read at a moment, those that were committed since. at is that moment; 0 is now, for which
// each row is as it was at some time after the read began.
type resolver struct {
	t    *table
	ctx  context.Context
	req  *storage.ScanRequest // of the store below
	at   int64
	open map[string]*stored // to be looked at
	done map[string]*stored
	late [][]byte // rows of which the image is wanted
	// asked are the transactions that were aborted by their records, or under way, or had none, and
	// commit after the moment. A record alone does not tell: it is also gone, or was made again by who
	// pushed, where all is done. So the row is read once more: if the lock stands, it is so.
	asked map[txID]bool
	calls int
}

// rounds is how often a row is read again at most, whose lock is another one each time.
const rounds = 50

// resolve gives what rows of rb are, by their place, that are not as they lie there.
func (t *table) resolve(ctx context.Context, rb *storage.RowBatch, req *storage.ScanRequest, at int64) (map[int]*stored, int, error) {
	var r *resolver
	var places []int
	in := internalsOf(rb)
	for i := range rb.Len() {
		version, locked := in.of(rb, i)
		if !locked && (at == 0 || version <= at) {
			continue
		}
		s, err := read(t.name, rb, i)
		if err != nil {
			return nil, 0, err
		}
		if r == nil {
			r = &resolver{t: t, ctx: ctx, req: req, at: at, open: map[string]*stored{}, done: map[string]*stored{}, asked: map[txID]bool{}}
		}
		r.open[string(rb.Key(i))] = s
		places = append(places, i)
	}
	if r == nil {
		return nil, 0, nil
	}
	if err := r.run(); err != nil {
		return nil, r.calls, err
	}
	out := make(map[int]*stored, len(places))
	for _, i := range places {
		out[i] = r.done[string(rb.Key(i))]
	}
	return out, r.calls, nil
}

func (r *resolver) run() error {
	for round := 0; len(r.open) > 0; round++ {
		if round == rounds {
			return storage.Errorf(storage.CodeUnavailable, storage.OpMultiGet, r.t.name, "rows are locked by one transaction after another")
		}
		if round > 2 {
			if err := storage.Pause(r.ctx, round-3, time.Millisecond); err != nil {
				return storage.CtxError(storage.OpMultiGet, r.t.name, err)
			}
		}
		again, err := r.round()
		if err != nil {
			return err
		}
		if err := r.reread(again); err != nil {
			return err
		}
	}
	return r.images()
}

// round decides what it can of the open rows, and gives the keys of those that must be read again.
func (r *resolver) round() (again [][]byte, err error) {
	var ids []txID
	for key, s := range r.open {
		l := s.lock
		switch {
		case l == nil || r.at != 0 && l.start >= r.at:
			r.take(key, s)
		case l.alone:
			// It has no record: while it stands, it is under way.
			switch ok, err := r.pushAlone(key, l); {
			case err != nil:
				return nil, err
			case ok:
				r.t.s.later(r.t, []byte(key), l)
				r.take(key, s)
			default:
				again = append(again, []byte(key))
			}
		case r.asked[l.tx]: // its lock stands still, after its record was seen: it is so
			r.t.s.later(r.t, []byte(key), l)
			r.take(key, s)
		default:
			ids = append(ids, l.tx)
		}
	}
	if len(ids) == 0 {
		return again, nil
	}
	r.t.s.count.met.Add(int64(len(ids)))
	r.calls++
	states, err := r.t.s.states(r.ctx, ids)
	if err != nil {
		return nil, err
	}
	for key, s := range r.open {
		id := s.lock.tx
		if s.lock.alone {
			continue // read again
		}
		st := states[id]
		switch st.status {
		case committed:
			if r.at == 0 || st.at <= r.at {
				if err := s.apply(st.at); err != nil {
					return nil, corrupt(r.t.name, []byte(key), err)
				}
				r.t.s.later(r.t, []byte(key), s.lock)
			}
			r.take(key, s)
			continue
		case aborted:
			// Or it was committed, all was done, and then somebody who had met its lock found no record,
			// and wrote this one.
			r.asked[id] = true
			again = append(again, []byte(key))
			continue
		}
		ok := r.at == 0 || st.at >= r.at
		if !ok {
			r.calls++
			r.t.s.count.pushed.Add(1)
			if ok, err = r.t.s.push(r.ctx, id, r.at); err != nil && storage.CodeOf(err) != storage.CodeAmbiguous {
				return nil, err
			}
		}
		if ok {
			r.asked[id], states[id] = true, state{undecided, max(st.at, r.at)}
		}
		again = append(again, []byte(key))
	}
	return again, nil
}

// pushAlone has a transaction of one row commit after the moment of the read.
func (r *resolver) pushAlone(key string, l *lock) (bool, error) {
	if r.at == 0 || l.pushed >= r.at {
		return true, nil
	}
	r.calls++
	r.t.s.count.pushed.Add(1)
	m := storage.CondMutation{Key: []byte(key), Cond: l.held(), Then: []storage.Mutation{
		{Op: storage.SetCell, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Timestamp: r.at, Value: l.raw}}}
	m.Cond.Timestamp = l.pushed
	ok, err := storage.CheckAndMutateAgain(r.ctx, r.t.base, &m)
	if storage.CodeOf(err) == storage.CodeAmbiguous {
		err = nil
	}
	return ok, err
}

// take is done with an open row, but for its image.
func (r *resolver) take(key string, s *stored) {
	delete(r.open, key)
	r.done[key] = s
	if r.at != 0 && s.version > r.at {
		r.late = append(r.late, []byte(key))
	}
}

// apply makes the changes of a row's lock, which was committed at c.
func (s *stored) apply(c int64) error {
	muts, err := readChanges(s.changes, c)
	if err != nil {
		return err
	}
	row := s.row()
	latest := s.newest() >= c
	for i := range muts {
		muts[i].Latest = latest
	}
	row.Apply(muts)
	s.cells, s.version = row.Cells, max(s.version, c)
	return nil
}

// reread reads open rows again.
func (r *resolver) reread(keys [][]byte) error {
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	var rb storage.RowBatch
	n, err := r.t.base.MultiGet(r.ctx, keys, r.req, &rb)
	r.calls += n
	if err != nil {
		return err
	}
	for _, k := range keys {
		s, err := read(r.t.name, &rb, rb.Find(k))
		if err != nil {
			return err
		}
		r.open[string(k)] = s
	}
	return nil
}

// images gives the rows that were committed after the moment as they were at it: before the first of
// those commits.
func (r *resolver) images() error {
	if len(r.late) == 0 {
		return nil
	}
	slices.SortFunc(r.late, bytes.Compare)
	r.t.s.count.images.Add(int64(len(r.late)))
	var rb storage.RowBatch
	req := storage.ScanRequest{Project: []storage.Col{imageCol}, Versions: math.MaxInt32, MinTS: r.at + step}
	n, err := r.t.base.MultiGet(r.ctx, r.late, &req, &rb)
	r.calls += n
	if err != nil {
		return err
	}
	for _, k := range r.late {
		i, first := rb.Find(k), -1
		if i >= 0 {
			for j := range rb.NumCells(i) {
				c := rb.Cell(i, j)
				if isCol(&c, &imageCol) && (first < 0 || c.Timestamp < rb.Cell(i, first).Timestamp) {
					first = j
				}
			}
		}
		if first < 0 {
			return tooOld(r.t.name)
		}
		_, cells, err := readImage(rb.Cell(i, first).Value)
		if err == errNoImage {
			return tooOld(r.t.name)
		}
		if err != nil {
			return corrupt(r.t.name, k, err)
		}
		r.done[string(k)] = &stored{cells: cells, version: r.at}
	}
	return nil
}

func tooOld(table string) error {
	return storage.Errorf(storage.CodeTooOld, storage.OpScan, table, "the snapshot is older than the images of rows that are kept, %v", Window)
}
