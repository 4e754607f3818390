package saltsql

import (
	"reflect"

	"github.com/saltsql/saltsql/internal/goapi"
)

// Rows streams the result of one statement:
//
//	defer rows.Close()
//	for rows.Next() {
//		err := rows.Scan(&host, &cpu)
//	}
//	err := rows.Err()
//
// It is not safe for concurrent use, nor beside its session's other Rows. Those may be open
// meanwhile.
type Rows struct {
	r      goapi.Rows
	filled *filled // by ScanRow
}

// filled is the struct that ScanRow fills.
type filled struct {
	of     reflect.Type
	fields [][]int // see fieldsOf
}

// Columns describes the result.
func (r *Rows) Columns() []Column { return columnsOf(r.r.Columns()) }

// Next moves to the next row; false at the end or after an error.
func (r *Rows) Next() bool { return r.r.Next() }

// Scan stores the current row in dest, one pointer per column.
//
//	bool, integers, floats, string   what can be read as such without loss
//	[]byte                           a bytea's bytes, else the text
//	time.Time                        date, timestamp, timestamptz
//	time.Duration                    an interval without months; its days have 24 hours
//	big.Int, big.Float, big.Rat      a number with all its digits
//	[16]byte                         a uuid
//	slices                           arrays, of as many dimensions
//	any                              what Value gives
//	sql.Scanner                      is given what Value gives
//	encoding.TextUnmarshaler         is given the text
//	all others                       json and jsonb, by encoding/json
//
// Types of these kinds are taken as these. NULL needs a pointer to a pointer, a sql.Null,
// or a destination that can be nil: a slice, an any.
func (r *Rows) Scan(dest ...any) error { return outward(r.r.Scan(dest...)) }

// Value gives column i of the current row as database/sql knows values: nil, bool, int64,
// float64, []byte (bytea), time.Time (dates and timestamps), or a string with the value's
// text. It is nil before the first Next and after the last.
func (r *Rows) Value(i int) any { return r.r.Value(i) }

// Values gives the current row, each column as Value does.
func (r *Rows) Values() []any {
	out := make([]any, len(r.r.Columns()))
	for i := range out {
		out[i] = r.r.Value(i)
	}
	return out
}

// Text gives column i of the current row as PostgreSQL prints it; "" for NULL.
func (r *Rows) Text(i int) string { return r.r.Text(i) }

// Null says that column i of the current row is NULL, or that there is no current row.
func (r *Rows) Null(i int) bool { return r.r.Null(i) }

// Err is what ended Next before the last row, if anything did.
func (r *Rows) Err() error { return outward(r.r.Err()) }

// Tag is the command tag, once Next has returned false without an error.
func (r *Rows) Tag() Tag { return Tag(r.r.Tag()) }

// Close ends the statement. It may be called twice, and gives Err.
func (r *Rows) Close() error { return outward(r.r.Close()) }
