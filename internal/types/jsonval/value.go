package jsonval

import (
	"cmp"
	"sort"
	"strings"

	"github.com/saltsql/saltsql/internal/types/numeric"
)

// KeyLess is jsonb's order of object keys: length first, then bytes.
func KeyLess(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// sortKeys puts keys in order and keeps the last of repeated ones.
func (v *Value) sortKeys() {
	sort.Stable(byKey{v})
	n := 0
	for i := range v.Keys {
		if i+1 < len(v.Keys) && v.Keys[i+1] == v.Keys[i] {
			continue
		}
		v.Keys[n], v.Elems[n] = v.Keys[i], v.Elems[i]
		n++
	}
	v.Keys, v.Elems = v.Keys[:n], v.Elems[:n]
}

type byKey struct{ v *Value }

func (k byKey) Len() int           { return len(k.v.Keys) }
func (k byKey) Less(i, j int) bool { return KeyLess(k.v.Keys[i], k.v.Keys[j]) }
func (k byKey) Swap(i, j int) {
	k.v.Keys[i], k.v.Keys[j] = k.v.Keys[j], k.v.Keys[i]
	k.v.Elems[i], k.v.Elems[j] = k.v.Elems[j], k.v.Elems[i]
}

// Field gives an object's member, nil if there is none.
func (v *Value) Field(key string) *Value {
	if v.Kind != Object {
		return nil
	}
	i := sort.Search(len(v.Keys), func(i int) bool { return !KeyLess(v.Keys[i], key) })
	if i < len(v.Keys) && v.Keys[i] == key {
		return v.Elems[i]
	}
	return nil
}

// Index gives an array's element, counting from the end if negative; nil if
// there is none.
func (v *Value) Index(i int) *Value {
	if v.Kind != Array {
		return nil
	}
	if i < 0 {
		i += len(v.Elems)
	}
	if i < 0 || i >= len(v.Elems) {
		return nil
	}
	return v.Elems[i]
}

// Append prints v as jsonb_out does.
func (v *Value) Append(dst []byte) []byte {
	if v.Source != "" {
		return append(dst, v.Source...)
	}
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return numeric.Append(dst, v.Num)
	case String:
		return AppendString(dst, v.Str)
	case Array:
		dst = append(dst, '[')
		for i, e := range v.Elems {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = e.Append(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, e := range v.Elems {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendString(dst, v.Keys[i])
		dst = append(dst, ": "...)
		dst = e.Append(dst)
	}
	return append(dst, '}')
}

// AppendString prints a JSON string with the escapes Postgres uses.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			if c < 0x20 {
				dst = append(dst, `\u00`...)
				dst = append(dst, hex[c>>4], hex[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

// Compare is jsonb's btree order: Object > Array > Boolean > Number > String >
// Null, but an empty array at the top is least; longer containers are greater.
func Compare(a, b *Value) int {
	ea := a.Kind == Array && len(a.Elems) == 0
	eb := b.Kind == Array && len(b.Elems) == 0
	if ea != eb {
		if ea {
			return -1
		}
		return 1
	}
	return compare(a, b)
}

func compare(a, b *Value) int {
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	switch a.Kind {
	case String:
		return strings.Compare(a.Str, b.Str)
	case Number:
		return numeric.Cmp(a.Num, b.Num)
	case Bool:
		switch {
		case a.Bool == b.Bool:
			return 0
		case a.Bool:
			return 1
		}
		return -1
	case Array, Object:
		if c := cmp.Compare(len(a.Elems), len(b.Elems)); c != 0 {
			return c
		}
		for i := range a.Elems {
			if a.Kind == Object {
				if c := compareKeys(a.Keys[i], b.Keys[i]); c != 0 {
					return c
				}
			}
			if c := compare(a.Elems[i], b.Elems[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

// compareKeys compares keys as the strings they are, not by storage order.
func compareKeys(a, b string) int { return strings.Compare(a, b) }

// Contains is a @> b.
func Contains(a, b *Value) bool {
	if a.Kind == Array && b.Kind != Array && b.Kind != Object {
		// An array contains a scalar, at the top only.
		return hasElem(a, b)
	}
	return contains(a, b)
}

func contains(a, b *Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Object:
		for i, k := range b.Keys {
			v := a.Field(k)
			if v == nil || !contains(v, b.Elems[i]) {
				return false
			}
		}
		return true
	case Array:
		for _, e := range b.Elems {
			if !hasElem(a, e) {
				return false
			}
		}
		return true
	}
	return compare(a, b) == 0
}

func hasElem(a, e *Value) bool {
	for _, x := range a.Elems {
		if contains(x, e) {
			return true
		}
	}
	return false
}

// Normalize puts an object's keys in jsonb's order, the last of repeated ones
// winning, and returns v.
func (v *Value) Normalize() *Value {
	v.sortKeys()
	return v
}
