package storage

import (
	"bytes"
	"slices"
	"time"
)

// CheckTableSpec checks names, families and splits of a table to create or
// alter.
func CheckTableSpec(op string, spec *TableSpec) error {
	if !validTableName(spec.Name) {
		return Errorf(CodeInvalidArgument, op, spec.Name,
			"table name %q is not 1 to %d characters of [-_.a-zA-Z0-9]", spec.Name, MaxTableNameBytes)
	}
	seen := make(map[string]bool, len(spec.Families))
	for _, f := range spec.Families {
		switch {
		case !validFamilyName(f.Name):
			return Errorf(CodeInvalidArgument, op, spec.Name,
				"column family name %q is not 1 to %d characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*", f.Name, MaxFamilyNameBytes)
		case seen[f.Name]:
			return Errorf(CodeInvalidArgument, op, spec.Name, "column family %q is named twice", f.Name)
		case f.MaxVersions < 0:
			return Errorf(CodeInvalidArgument, op, spec.Name, "column family %q keeps %d versions", f.Name, f.MaxVersions)
		case f.TTL < 0 || f.TTL > 0 && f.TTL < time.Millisecond:
			return Errorf(CodeInvalidArgument, op, spec.Name, "column family %q has a TTL of %v, under 1 ms", f.Name, f.TTL)
		}
		seen[f.Name] = true
	}
	for i, k := range spec.Splits {
		if len(k) == 0 {
			return Errorf(CodeInvalidArgument, op, spec.Name, "split key %d is empty", i)
		}
		if len(k) > MaxRowKeyBytes {
			return tooLarge(op, spec.Name, "split key", MaxRowKeyBytes, int64(len(k)), "bytes")
		}
	}
	return nil
}

func validTableName(s string) bool {
	if len(s) == 0 || len(s) > MaxTableNameBytes {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !wordByte(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func validFamilyName(s string) bool {
	if len(s) == 0 || len(s) > MaxFamilyNameBytes || !wordByte(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !wordByte(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Normalize gives the spec with defaults filled in, families sorted by name
// and splits sorted and distinct, sharing no memory with the old one but the
// bytes of the splits.
func (s TableSpec) Normalize() TableSpec {
	s.Families = slices.Clone(s.Families)
	for i := range s.Families {
		if s.Families[i].MaxVersions == 0 {
			s.Families[i].MaxVersions = 1
		}
	}
	slices.SortFunc(s.Families, func(a, b FamilySpec) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	s.Splits = slices.Clone(s.Splits)
	slices.SortFunc(s.Splits, bytes.Compare)
	s.Splits = slices.CompactFunc(s.Splits, bytes.Equal)
	return s
}
