package storage

import (
	"bytes"
	"fmt"
)

// The limits of Cloud Bigtable. Every adapter checks them through this file
// before it does anything, so that what works on one store works on all. A
// broken limit is CodeTooLarge with Limit, Max and Size.
const (
	//saltsql:limit rows: bytes of a row key, the salt and separators among them (54000)
	MaxRowKeyBytes = 4096
	//saltsql:limit rows: bytes of a column qualifier in the store
	MaxQualifierBytes = 16 << 10
	//saltsql:limit rows: bytes of a value in the store (54000)
	MaxCellBytes = 100 << 20
	//saltsql:limit rows: bytes of a row: key, qualifiers and values (54000)
	MaxRowBytes = 256 << 20
	//saltsql:limit rows: cells that one statement changes in a row (54000)
	MaxMutationsPerRow = 100_000 // also of one request: adapters split calls
	//saltsql:limit names: bytes of a table's name in the store; saltsql cuts names to fit
	MaxTableNameBytes = 50
	//saltsql:limit names: bytes of a column family's name
	MaxFamilyNameBytes  = 64
	timestampStepMicros = 1000
)

func tooLarge(op, table, limit string, limitMax, size int64, unit string) *Error {
	return &Error{
		Code: CodeTooLarge, Op: op, Table: table, Limit: limit, Max: limitMax, Size: size, Unit: unit,
		Msg: fmt.Sprintf("%s of %d %s is over the limit of %d %s", limit, size, unit, limitMax, unit),
	}
}

func checkKey(op, table string, key []byte) *Error {
	if len(key) == 0 {
		return Errorf(CodeInvalidArgument, op, table, "row key is empty")
	}
	if len(key) > MaxRowKeyBytes {
		return tooLarge(op, table, "row key", MaxRowKeyBytes, int64(len(key)), "bytes")
	}
	return nil
}

// CheckRows checks the rows of a Mutate call. The error's Row says which.
func CheckRows(op, table string, rows []RowMutation) error {
	for i := range rows {
		r := &rows[i]
		if e := checkKey(op, table, r.Key); e != nil {
			e.Row = i
			return e
		}
		if len(r.Mutations) == 0 {
			e := Errorf(CodeInvalidArgument, op, table, "row %d has no mutations", i)
			e.Row = i
			return e
		}
		if e := checkMutations(op, table, len(r.Key), r.Mutations); e != nil {
			e.Row = i
			return e
		}
	}
	return nil
}

func checkMutations(op, table string, keyBytes int, muts []Mutation) *Error {
	if n := CountMutations(muts); n > MaxMutationsPerRow {
		return tooLarge(op, table, "row mutation", MaxMutationsPerRow, int64(n), "changes")
	}
	total := int64(keyBytes)
	for i := range muts {
		m := &muts[i]
		if m.Op > DeleteRow {
			return Errorf(CodeInvalidArgument, op, table, "mutation kind %d is unknown", m.Op)
		}
		if m.Op == DeleteRow {
			continue
		}
		if m.Family == "" {
			return Errorf(CodeInvalidArgument, op, table, "mutation names no column family")
		}
		if m.Op == DeleteFamily {
			continue
		}
		if e := checkColumn(op, table, m.Family, m.Qualifier); e != nil {
			return e
		}
		if m.Op != SetCell {
			continue
		}
		if e := checkTimestamp(op, table, m.Timestamp); e != nil {
			e.Col = Col{m.Family, m.Qualifier}
			return e
		}
		if len(m.Value) > MaxCellBytes {
			e := tooLarge(op, table, "cell", MaxCellBytes, int64(len(m.Value)), "bytes")
			e.Col = Col{m.Family, m.Qualifier}
			return e
		}
		total += int64(len(m.Qualifier) + len(m.Value))
	}
	return checkRowBytes(op, table, total)
}

// CountMutations is how many changes the service counts: two for a Latest one.
func CountMutations(muts []Mutation) int {
	n := len(muts)
	for i := range muts {
		if muts[i].Latest {
			n++
		}
	}
	return n
}

// CheckRowBytes checks the size of a whole row: key, qualifiers and values.
func CheckRowBytes(op, table string, n int64) error {
	if e := checkRowBytes(op, table, n); e != nil {
		return e
	}
	return nil
}

func checkRowBytes(op, table string, n int64) *Error {
	if n > MaxRowBytes {
		return tooLarge(op, table, "row", MaxRowBytes, n, "bytes")
	}
	return nil
}

func checkColumn(op, table, family string, qualifier []byte) *Error {
	if len(qualifier) > MaxQualifierBytes {
		e := tooLarge(op, table, "column qualifier", MaxQualifierBytes, int64(len(qualifier)), "bytes")
		e.Col = Col{family, qualifier}
		return e
	}
	return nil
}

func checkTimestamp(op, table string, ts int64) *Error {
	if ts < 0 || ts%timestampStepMicros != 0 {
		return Errorf(CodeInvalidArgument, op, table, "cell timestamp %d is not a multiple of %d µs from 0 up", ts, timestampStepMicros)
	}
	return nil
}

// CheckCond checks a CheckAndMutate call. Then and Else may be empty.
func CheckCond(op, table string, m *CondMutation) error {
	if e := checkKey(op, table, m.Key); e != nil {
		return e
	}
	c := &m.Cond
	switch c.Op {
	case RowAbsent, RowPresent:
	case CellAbsent, CellPresent, CellTSEquals, CellIs, Untouched:
		if c.Family == "" {
			return Errorf(CodeInvalidArgument, op, table, "condition names no column family")
		}
		if e := checkColumn(op, table, c.Family, c.Qualifier); e != nil {
			return e
		}
		if c.Op >= CellTSEquals {
			if e := checkTimestamp(op, table, c.Timestamp); e != nil {
				return e
			}
		}
	default:
		return Errorf(CodeInvalidArgument, op, table, "condition kind %d is unknown", c.Op)
	}
	if c.MinTS < 0 {
		return Errorf(CodeInvalidArgument, op, table, "condition's oldest timestamp %d is negative", c.MinTS)
	}
	for _, muts := range [][]Mutation{m.Then, m.Else} {
		if e := checkMutations(op, table, len(m.Key), muts); e != nil {
			return e
		}
	}
	return nil
}

// CheckIncrement checks the row key and the column of an Increment call.
func CheckIncrement(op, table string, key []byte, col Col) error {
	set := [1]Mutation{{Op: SetCell, Family: col.Family, Qualifier: col.Qualifier}}
	return CheckRows(op, table, []RowMutation{{Key: key, Mutations: set[:]}})
}

// CheckKeys checks that keys are sorted and distinct, as MultiGet asks. A key
// that no row can have (empty, over MaxRowKeyBytes) is not an error: there is
// no such row.
func CheckKeys(op, table string, keys [][]byte) error {
	for i := 1; i < len(keys); i++ {
		if bytes.Compare(keys[i-1], keys[i]) >= 0 {
			return Errorf(CodeInvalidArgument, op, table, "key %d is not above the key before it", i)
		}
	}
	return nil
}

// CanExist says whether a row may have this key.
func CanExist(key []byte) bool { return len(key) > 0 && len(key) <= MaxRowKeyBytes }

// CheckScan checks a request: spans sorted and disjoint, no negative number.
// A span may be empty.
func CheckScan(op, table string, req *ScanRequest) error {
	for i, s := range req.Spans {
		if len(s.End) > 0 && bytes.Compare(s.Start, s.End) > 0 {
			return Errorf(CodeInvalidArgument, op, table, "span %d ends before it starts", i)
		}
		if i == 0 {
			continue
		}
		if prev := req.Spans[i-1].End; len(prev) == 0 || bytes.Compare(prev, s.Start) > 0 {
			return Errorf(CodeInvalidArgument, op, table, "span %d overlaps the span before it", i)
		}
	}
	return CheckRead(op, table, req)
}

// CheckRead checks the parts of a request that MultiGet uses too.
func CheckRead(op, table string, req *ScanRequest) error {
	switch {
	case req.Limit < 0:
		return Errorf(CodeInvalidArgument, op, table, "limit %d is negative", req.Limit)
	case req.Versions < 0:
		return Errorf(CodeInvalidArgument, op, table, "number of versions %d is negative", req.Versions)
	case req.BatchRows < 0 || req.BatchRows > MaxBatchRows:
		return Errorf(CodeInvalidArgument, op, table, "batch of %d rows is not in 0 to %d", req.BatchRows, MaxBatchRows)
	case req.MinTS < 0:
		return Errorf(CodeInvalidArgument, op, table, "oldest timestamp %d is negative", req.MinTS)
	}
	return nil
}

// CheckSpan checks the span of DeleteSpan and Tablets.
func CheckSpan(op, table string, s Span) error {
	if len(s.End) > 0 && bytes.Compare(s.Start, s.End) > 0 {
		return Errorf(CodeInvalidArgument, op, table, "span ends before it starts")
	}
	return nil
}
