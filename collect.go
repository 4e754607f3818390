package saltsql

import (
	"context"
	"database/sql"
	"encoding"
	"fmt"
	"iter"
	"math/big"
	"reflect"
	"strings"
	"time"
)

// Querier is what runs queries: a *DB or a *Session.
type Querier interface {
	Query(ctx context.Context, text string, args ...any) (*Rows, error)
}

// One runs a query and gives its only row: see ScanRow. Without a row it gives
// sql.ErrNoRows; with more than one, an error.
//
//	n, err := saltsql.One[int](ctx, db, "SELECT count(*) FROM metrics")
func One[T any](ctx context.Context, q Querier, text string, args ...any) (row T, err error) {
	n := 0
	for v, err := range Each[T](ctx, q, text, args...) {
		if err != nil {
			return row, err
		}
		if n++; n > 1 {
			return row, fmt.Errorf("saltsql: the query has more than one row")
		}
		row = v
	}
	if n == 0 {
		return row, sql.ErrNoRows
	}
	return row, nil
}

// All runs a query and gives all its rows: see ScanRow.
func All[T any](ctx context.Context, q Querier, text string, args ...any) ([]T, error) {
	var out []T
	for v, err := range Each[T](ctx, q, text, args...) {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Each runs a query and gives its rows one by one, as they are read: see ScanRow. An error
// is the last that it gives.
//
//	for m, err := range saltsql.Each[Metric](ctx, db, "SELECT * FROM metrics") {
func Each[T any](ctx context.Context, q Querier, text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := q.Query(ctx, text, args...)
		if err != nil {
			yield(zero, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			v, err := ScanRow[T](rows)
			if !yield(v, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, err)
		}
	}
}

// ScanRow gives the current row as a T. A struct takes each column in the exported field
// whose tag `db:"name"` or whose name is the column's, without regard to case and
// underscores; every column needs a field. Fields of embedded structs count as the
// struct's own, and `db:"-"` hides one. A map[string]any takes what Rows.Value gives. Any
// other T takes the only column, as Rows.Scan does; so do structs that scan as one value:
// time.Time, those with a Scan or UnmarshalText method, and all where the only column is
// json or jsonb.
func ScanRow[T any](rows *Rows) (row T, err error) {
	cols := rows.r.Columns()
	if m, ok := any(&row).(*map[string]any); ok {
		*m = make(map[string]any, len(cols))
		for i, c := range cols {
			(*m)[c.Name] = rows.Value(i)
		}
		return row, nil
	}
	rt := reflect.TypeFor[T]()
	if rt.Kind() != reflect.Struct || isValue(rt) || len(cols) == 1 && strings.HasPrefix(cols[0].Type.TypName(), "json") {
		return row, rows.Scan(&row)
	}
	if rows.filled == nil || rows.filled.of != rt {
		fields, err := fieldsOf(rt, rows.Columns())
		if err != nil {
			return row, err
		}
		rows.filled = &filled{rt, fields}
	}
	dest := make([]any, len(cols))
	rv := reflect.ValueOf(&row).Elem()
	for i, index := range rows.filled.fields {
		dest[i] = rv.FieldByIndex(index).Addr().Interface()
	}
	return row, rows.Scan(dest...)
}

// isValue says that a struct is filled as a whole.
func isValue(rt reflect.Type) bool {
	switch reflect.New(rt).Interface().(type) {
	case sql.Scanner, encoding.TextUnmarshaler, *time.Time, *big.Int, *big.Float, *big.Rat:
		return true
	}
	return false
}

// structFields lists the fields that columns may fill. Those of embedded pointers are left
// out: there is nothing to fill yet.
func structFields(rt reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for _, f := range reflect.VisibleFields(rt) {
		if f.IsExported() && f.Tag.Get("db") != "-" && !(f.Anonymous && f.Type.Kind() == reflect.Struct && !isValue(f.Type)) && reachable(rt, f.Index) {
			out = append(out, f)
		}
	}
	return out
}

func reachable(rt reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		f := rt.Field(i)
		if f.Type.Kind() != reflect.Struct || f.Tag.Get("db") == "-" {
			return false
		}
		rt = f.Type
	}
	return true
}

// fieldsOf finds the field of each column, by its index in the struct.
func fieldsOf(rt reflect.Type, cols []Column) ([][]int, error) {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	fields := structFields(rt)
	out := make([][]int, len(cols))
	used := map[int]string{}
	for i, c := range cols {
		at := -1
		for j, f := range fields {
			tag, _, _ := strings.Cut(f.Tag.Get("db"), ",")
			if tag == c.Name || tag == "" && plain(f.Name) == plain(c.Name) {
				at = j
				break
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("saltsql: %s has no field for column %q", rt, c.Name)
		}
		if other, twice := used[at]; twice {
			return nil, fmt.Errorf("saltsql: field %s of %s is that of columns %q and %q", fields[at].Name, rt, other, c.Name)
		}
		used[at], out[i] = c.Name, fields[at].Index
	}
	return out, nil
}
