package join

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/planner/keyspan"
)

// lookup reads the rows of the keys of some left rows; false if they are too many to be
// kept, when the scan is left open.
func (j *lookupJoin) lookup(sel []uint16) (fits bool, err error) {
	if j.known.Len() > mostKnown || j.kept.Len > mostKnown || j.kept.Bytes()+int64(j.known.Bytes) > mostKnownBytes {
		j.forget()
	}
	asked, err := j.ask(sel)
	if err != nil {
		return false, err
	}
	if !asked {
		return true, nil
	}
	if fits, err = j.read(); err != nil {
		return false, err
	}
	if fits {
		j.makeTable()
		return true, j.core.Close()
	}
	if len(sel) > 1 {
		if err := j.core.Close(); err != nil {
			return false, err
		}
		j.forget()
		return false, nil
	}
	return false, nil
}

// ask opens the scan of the keys not known yet; false if there are none.
func (j *lookupJoin) ask(sel []uint16) (bool, error) {
	j.fresh = j.fresh[:0]
	for _, s := range sel {
		if j.values.hashes[s] == 0 {
			continue // a NULL
		}
		j.key = j.key[:0]
		for i, v := range j.values.Vals {
			j.key = spill.AppendKeyValue(j.key, j.keyTypes[i], v.Datum(int(s)))
		}
		if j.known.Add(j.key) {
			j.fresh = append(j.fresh, s)
		}
	}
	if len(j.fresh) == 0 {
		return false, nil
	}
	set, err := j.spans()
	if err != nil || set.Empty() {
		return false, err
	}
	if err := j.core.OpenSet(j.cx, set, scan.ExactKey); err != nil {
		return false, err
	}
	j.core.Gather(false)
	return true, nil
}

// spans says what to read for the fresh keys. That it may be more than their rows does
// not matter.
func (j *lookupJoin) spans() (*rowcodec.SpanSet, error) {
	schema := &j.core.Schema.Key
	if !j.exact {
		conjs := make([]rowcodec.Conj, len(j.fresh))
		for i, s := range j.fresh {
			conjs[i].Columns = make([][]rowcodec.Range, len(schema.Columns))
			for k, v := range j.values.Vals {
				conjs[i].Columns[k] = []rowcodec.Range{keyspan.Equal(keyspan.Unpadded(j.keyTypes[k], v.Datum(int(s))))}
			}
		}
		return schema.Spans(conjs, rowcodec.SpanOptions{NoPrune: j.cx.Settings.NoPrune})
	}
	j.points = j.points[:0]
	j.full.reset()
	for _, s := range j.fresh {
		if key := j.full.of(schema, j.values.Vals, int(s)); key != nil {
			j.points = append(j.points, key)
		}
	}
	slices.SortFunc(j.points, bytes.Compare)
	j.points = slices.CompactFunc(j.points, bytes.Equal)
	j.set = rowcodec.SpanSet{Points: j.points, AllPoints: true, Exact: true}
	return &j.set, nil
}
