package saltadvice

import (
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/indexadvice"
	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Load is what is known of the reads and writes of a table.
type Load struct {
	Table   *catalog.Table
	Samples []heat.Sample
	Nodes   int
	// RowBytes is what a row of a scan takes; 0 is not known.
	RowBytes float64
	// RowMax is the most bytes that a row had on average in a minute and a bucket.
	RowMax float64
	// Buckets is what each bucket has got: see Count.
	Buckets []heat.Counts
	// Statements are the shapes that have read the table, with how often they ran.
	Statements []Statement
	// Canceled is why what is told is not wanted any more; nil is never.
	Canceled func() error

	plain   *catalog.Table // Table without salt, by which keys are decoded
	shapes  map[*catalog.Table]scans
	decoded map[int][]types.Datum // by sample
}

// Statement is a shape of statements.
type Statement struct {
	*indexadvice.Planned
	Calls float64
}

// unknownRow is what a row is taken to have in bytes.
const unknownRow = 200

// Told is what is told of a load under a layout.
type Told struct {
	Layout Layout
	Now    bool
	saltmodel.Prediction
	// CallsPerScan is how many buckets a scan reads on average; 0 where no statement that scans is known.
	CallsPerScan float64
}

// Count adds what a server has counted of the table since a time.
func (l *Load) Count(s *heat.Sum, since time.Time) error {
	if len(s.Buckets) != max(l.Table.Buckets(), 1) {
		return nil // of before its salt was changed
	}
	if l.Buckets == nil {
		l.Buckets = make([]heat.Counts, len(s.Buckets))
	}
	for i := range s.Minutes {
		if s.Minutes[i].At.Before(since.Truncate(time.Minute)) {
			continue
		}
		got, err := s.Minutes[i].Counts(len(s.Buckets))
		if err != nil {
			return err
		}
		for b := range got {
			c := &got[b]
			l.Buckets[b].Add(c)
			if c.RowsWritten > 0 {
				l.RowMax = max(l.RowMax, float64(c.BytesWritten)/float64(c.RowsWritten))
			}
			if c.RowsRead > 0 {
				l.RowMax = max(l.RowMax, float64(c.BytesRead)/float64(c.RowsRead))
			}
		}
	}
	var rows, bytes int64
	for b := range l.Buckets {
		rows, bytes = rows+l.Buckets[b].RowsRead, bytes+l.Buckets[b].BytesRead
	}
	if rows > 0 {
		l.RowBytes = float64(bytes) / float64(rows)
	}
	return nil
}

// Minutes is of how many minutes there are samples.
func (l *Load) Minutes() int {
	seen := map[int64]bool{}
	for i := range l.Samples {
		seen[l.Samples[i].At.Unix()/60] = true
	}
	return len(seen)
}

// Enough is an error where too few keys are sampled to tell anything: 55000.
func (l *Load) Enough() error {
	keys := 0
	for i := range l.Samples {
		if !l.Samples[i].Cut {
			keys++
		}
	}
	minutes := max(l.Minutes(), 1)
	if need := saltmodel.LeastKeys * l.Nodes * minutes; keys < need {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `%d keys of table "%s" were sampled in %d minutes, too few to tell what %d nodes would do`, keys, l.Table.Name, minutes, l.Nodes).
			WithHint("It takes %d keys for each node and minute: ask while the table is read and written, or for fewer nodes. Keys are sampled with saltsql.heat_keys = on; of those above %d bytes none is.", saltmodel.LeastKeys, heat.KeyBytes)
	}
	return nil
}

// Under tells what a cluster would do with the load if the table were as it is in as.
func (l *Load) Under(as *catalog.Table) (t Told, err error) {
	if l.Canceled != nil {
		if err := l.Canceled(); err != nil {
			return t, err
		}
	}
	load, err := l.requests(as)
	if err != nil {
		return t, err
	}
	t.CallsPerScan = l.scansOf(as).perScan()
	t.Prediction = saltmodel.Replay(saltmodel.Options{Nodes: l.Nodes}, rowcodec.SplitKeys(as.Buckets(), nil), load)
	return t, nil
}

// requests are the samples as requests with the keys that they would have.
func (l *Load) requests(as *catalog.Table) ([]saltmodel.Request, error) {
	o := saltmodel.NewCluster(saltmodel.Options{}).Options()
	bytes := l.RowBytes
	if bytes == 0 {
		bytes = unknownRow
	}
	costs := [...]time.Duration{heat.Point: o.ReadCost(), heat.Scan: o.ReadCost(), heat.Row: o.ScanCost(int(bytes)), heat.Write: o.WriteCost()}
	now, then := l.scansOf(l.Table).perScan(), l.scansOf(as).perScan()
	more := 1.0 // calls that one would be
	if now > 0 {
		more = then / now
	}
	var list []saltmodel.Request
	key := &as.Codec().Key
	for i := range l.Samples {
		s := &l.Samples[i]
		if s.Cut {
			continue
		}
		k, err := l.keyOf(i, as)
		if err != nil {
			continue // it is no key of the table any more
		}
		cost := float64(costs[s.Kind]) * s.Weight
		if s.Kind == heat.Scan {
			if cost *= more; then > 1.5 && key.Buckets > 0 && len(k) > 0 {
				k[0] = byte(i % key.Buckets) // it begins in each of them
			}
		}
		list = append(list, saltmodel.Request{Key: k, At: time.Duration(s.At.UnixNano()), Cost: time.Duration(cost)})
	}
	return list, nil
}

// keyOf is the physical key of a sample in as.
func (l *Load) keyOf(i int, as *catalog.Table) ([]byte, error) {
	if sameKey(l.Table, as) {
		return as.Codec().Key.Resalted(nil, l.Samples[i].Key)
	}
	was, err := l.values(i)
	if err != nil {
		return nil, err
	}
	vals := make([]types.Datum, len(as.PrimaryKey))
	for pos, col := range as.PrimaryKey {
		vals[pos] = was[l.Table.Columns[col].KeyPos]
	}
	return as.Codec().Key.AppendKey(nil, vals)
}

// values decodes the key of a sample.
func (l *Load) values(i int) ([]types.Datum, error) {
	if v, ok := l.decoded[i]; ok {
		return v, nil
	}
	if l.plain == nil {
		var err error
		if l.plain, err = l.Table.WithSalt(catalog.Salt{}); err != nil {
			return nil, err
		}
		l.decoded = map[int][]types.Datum{}
	}
	key := &l.plain.Codec().Key
	k, err := key.Resalted(nil, l.Samples[i].Key)
	if err != nil {
		return nil, err
	}
	v, err := key.DecodeKey(k)
	if err == nil {
		l.decoded[i] = v
	}
	return v, err
}
