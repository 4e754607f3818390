package transact

import (
	"bytes"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// Each decoder of what lies in the store gives what was encoded, or says that bytes are not of it, and
// never reads beyond them.

func FuzzLock(f *testing.F) {
	f.Add((&lock{tx: txID{1}, alone: true, attempt: 3, start: step, expiry: 2 * step}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := readLock(b, step)
		if err == nil && !bytes.Equal(l.append(nil), b) {
			t.Errorf("%x is read as %+v", b, l)
		}
	})
}

func FuzzChanges(f *testing.F) {
	f.Add(appendChanges(nil, nil))
	f.Add(appendChanges(nil, []storage.Mutation{{Op: storage.DeleteRow}, {Family: "f", Qualifier: []byte("q"), Value: []byte("v")}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		muts, err := readChanges(b, step)
		if err != nil {
			return
		}
		again, err := readChanges(appendChanges(nil, muts), step)
		if err != nil || len(again) != len(muts) {
			t.Fatalf("%x: %v, then %v, %v", b, muts, again, err)
		}
		for i := range muts {
			if a, c := &muts[i], &again[i]; a.Op != c.Op || a.Family != c.Family || !bytes.Equal(a.Qualifier, c.Qualifier) || !bytes.Equal(a.Value, c.Value) || a.Timestamp != c.Timestamp {
				t.Fatalf("%x: %v, then %v", b, a, c)
			}
		}
	})
}

func FuzzImage(f *testing.F) {
	f.Add(appendImage(nil, txID{1}, nil))
	f.Add(appendImage(nil, txID{2}, []storage.Cell{{Family: "f", Qualifier: []byte("q"), Timestamp: step, Value: []byte("v")}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		tx, cells, err := readImage(b)
		if err != nil {
			return
		}
		tx2, again, err := readImage(appendImage(nil, tx, cells))
		if err != nil || tx != tx2 || len(again) != len(cells) {
			t.Fatalf("%x: %v, then %v, %v", b, cells, again, err)
		}
		for i := range cells {
			if a, c := &cells[i], &again[i]; a.Family != c.Family || !bytes.Equal(a.Qualifier, c.Qualifier) || !bytes.Equal(a.Value, c.Value) || a.Timestamp != c.Timestamp {
				t.Fatalf("%x: %v, then %v", b, a, c)
			}
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add(appendRows(nil, []rowName{{"t" + Mark, []byte("k")}, {"u" + Mark, nil}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := readRows(b)
		if err != nil {
			return
		}
		again, err := readRows(appendRows(nil, rows))
		if err != nil || len(again) != len(rows) {
			t.Fatalf("%x: %v, then %v, %v", b, rows, again, err)
		}
		for i := range rows {
			if rows[i].table != again[i].table || !bytes.Equal(rows[i].key, again[i].key) {
				t.Fatalf("%x: %v, then %v", b, rows[i], again[i])
			}
		}
	})
}

func FuzzStatus(f *testing.F) {
	f.Add(state{committed, step}.value())
	f.Add(state{aborted, step}.value())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := readStatus(b)
		if err == nil && !bytes.Equal(s.value(), b) {
			t.Errorf("%x is read as %+v", b, s)
		}
	})
}
