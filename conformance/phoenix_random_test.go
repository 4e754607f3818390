package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// phoenixType is a type of Phoenix and random literals of it.
type phoenixType struct {
	name     string
	value    func(r *rand.Rand) string
	vary     bool // in a key it may be NULL
	defaults []string
}

func oneOf(list ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return list[r.IntN(len(list))] }
}

// whole draws integers at the edges of a type and around zero.
func whole(lo, hi int64) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		near := int64(r.IntN(10))
		if lo < 0 && r.IntN(2) == 0 {
			near = -near
		}
		return fmt.Sprint([]int64{lo, hi, 0, near, near, lo/2 + r.Int64N(hi/2)}[r.IntN(6)])
	}
}

func letters(alphabet string, most int) func(*rand.Rand) string {
	runes := []rune(alphabet)
	return func(r *rand.Rand) string {
		out := make([]rune, 1+r.IntN(most))
		for i := range out {
			out[i] = runes[r.IntN(len(runes))]
		}
		if s := strings.TrimSpace(string(out)); s != "" {
			return "'" + s + "'"
		}
		return "'q'"
	}
}

func octets(most int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		b := make([]byte, 1+r.IntN(most))
		for i := range b {
			b[i] = []byte{0, 1, 5, 255, byte(r.IntN(256))}[r.IntN(5)]
		}
		return fmt.Sprintf("X'%X'", b)
	}
}

func moments(function string, from int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		ms := []int{0, 1, 999, r.IntN(1000)}[r.IntN(4)]
		return fmt.Sprintf("%s('%04d-%02d-%02d %02d:%02d:%02d.%03d', 'yyyy-MM-dd HH:mm:ss.SSS')", function,
			from+r.IntN(2060-from), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), ms)
	}
}

func arrays(elem func(*rand.Rand) string) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		list := make([]string, 1+r.IntN(4))
		for i := range list {
			list[i] = elem(r)
		}
		return "ARRAY[" + strings.Join(list, ",") + "]"
	}
}

var plainText = letters("abcXYZ09_", 4)

var phoenixRandomTypes = []phoenixType{
	{"VARCHAR", letters("abcxyzAZ019 _-é日~", 6), true, []string{"'dflt'", "'x y'"}},
	{"VARCHAR(12)", letters("abcxyzAZ019 _-é日~", 8), true, nil},
	{"CHAR(4)", plainText, false, []string{"'ab'"}},
	{"TINYINT", whole(-128, 127), false, []string{"9"}},
	{"SMALLINT", whole(-32768, 32767), false, nil},
	{"INTEGER", whole(-2147483648, 2147483647), false, []string{"7", "-3"}},
	{"BIGINT", whole(-9223372036854775807, 9223372036854775807), false, []string{"42"}},
	{"UNSIGNED_TINYINT", whole(0, 127), false, nil},
	{"UNSIGNED_SMALLINT", whole(0, 32767), false, nil},
	{"UNSIGNED_INT", whole(0, 2147483647), false, nil},
	{"UNSIGNED_LONG", whole(0, 9223372036854775807), false, nil},
	{"FLOAT", oneOf("0.5", "-0.25", "1.5", "100.0", "-3.75"), false, nil},
	{"DOUBLE", oneOf("0.5", "-0.25", "15000000000.0", "-0.0000375", "123456.789"), false, []string{"0.5"}},
	{"UNSIGNED_FLOAT", oneOf("0.5", "0.25", "1.5", "100.0"), false, nil},
	{"UNSIGNED_DOUBLE", oneOf("0.5", "0.25", "15000000000.0"), false, nil},
	{"DECIMAL", oneOf("0", "1.5", "-1.5", "123456789012345678901234567890.12345", "-0.000001", "100", "1000000", "99.99"), true, nil},
	{"DECIMAL(12,3)", func(r *rand.Rand) string {
		return fmt.Sprintf("%.3f", float64(r.IntN(2_000_000_000)-1_000_000_000)/1000)
	}, true, []string{"1.5"}},
	{"BOOLEAN", oneOf("true", "false"), false, []string{"true"}},
	{"DATE", moments("TO_DATE", 1900), false, nil},
	{"TIME", moments("TO_TIME", 1971), false, nil},
	{"TIMESTAMP", moments("TO_TIMESTAMP", 1900), false, nil},
	{"UNSIGNED_DATE", moments("TO_DATE", 1971), false, nil},
	{"UNSIGNED_TIMESTAMP", moments("TO_TIMESTAMP", 1971), false, nil},
	{"BINARY(3)", octets(3), false, nil},
	{"VARBINARY", octets(5), true, nil},
	{"INTEGER ARRAY", arrays(whole(-99, 99)), false, nil},
	{"VARCHAR ARRAY", arrays(plainText), false, nil},
	{"DECIMAL ARRAY", arrays(oneOf("1.5", "-2", "0.01")), false, nil},
}

// randomPhoenix draws a table of Phoenix and statements that write rows of it. Left out is
// what Phoenix itself reads wrong: BOOLEAN DESC, and a negative DECIMAL(p,s) DESC.
func randomPhoenix(r *rand.Rand, name string, rows int) (*phoenixTable, []string) {
	type column struct {
		phoenixType
		name, where string
		notNull     bool
	}
	chance := func(percent int) bool { return r.IntN(100) < percent }
	draw := func(fits func(phoenixType) bool) phoenixType {
		for {
			if t := phoenixRandomTypes[r.IntN(len(phoenixRandomTypes))]; fits(t) {
				return t
			}
		}
	}
	var key, cols []column
	var defs, order []string
	for i, n := 0, 1+r.IntN(4); i < n; i++ {
		c := column{name: fmt.Sprintf("K%d", i)}
		c.phoenixType = draw(func(t phoenixType) bool {
			return !strings.Contains(t.name, "ARRAY") && (t.name != "VARBINARY" || i == n-1) && (n > 1 || t.name != "BOOLEAN")
		})
		c.notNull = !c.vary || n == 1 || i == 0 || chance(20)
		c.where = c.name
		if chance(40) && !slices.Contains([]string{"VARBINARY", "BOOLEAN", "DECIMAL(12,3)"}, c.phoenixType.name) {
			c.where += " DESC"
		}
		def := c.name + " " + c.phoenixType.name
		if c.notNull {
			def += " NOT NULL"
		}
		key, defs, order = append(key, c), append(defs, def), append(order, c.where)
	}
	packed, families := chance(30), chance(30)
	for i := range r.IntN(8) {
		c := column{name: fmt.Sprintf("C%d", i), phoenixType: draw(func(phoenixType) bool { return true })}
		def := c.name + " " + c.phoenixType.name
		if families {
			def = []string{"", "A.", "B."}[r.IntN(3)] + def
		}
		if len(c.defaults) > 0 && chance(50) {
			def += " DEFAULT " + c.defaults[r.IntN(len(c.defaults))]
		}
		cols, defs = append(cols, c), append(defs, def)
	}
	var opts []string
	add := func(format string, args ...any) { opts = append(opts, fmt.Sprintf(format, args...)) }
	if n := []int{0, 0, 1, 4, 5, 16}[r.IntN(6)]; n > 0 {
		add("SALT_BUCKETS=%d", n)
	}
	encoded := r.IntN(6) - 1
	switch {
	case packed:
		add("IMMUTABLE_ROWS=true, IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS")
		if encoded == 0 {
			encoded = -1
		}
	case chance(15):
		add("IMMUTABLE_ROWS=true, IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN")
	}
	if encoded >= 0 {
		add("COLUMN_ENCODED_BYTES=%d", encoded)
	}
	if chance(30) {
		add("STORE_NULLS=true")
	}
	if chance(15) {
		add("DEFAULT_COLUMN_FAMILY='F1'")
	}
	p := &phoenixTable{name: name, create: strings.TrimSpace(fmt.Sprintf("%s (%s CONSTRAINT PK PRIMARY KEY (%s)) %s",
		name, strings.Join(defs, ", "), strings.Join(order, ", "), strings.Join(opts, ", ")))}
	var upserts []string
	for range rows {
		var names, vals []string
		for _, c := range key {
			v := c.value(r)
			if !c.notNull && chance(35) {
				v = "NULL"
			}
			names, vals = append(names, c.name), append(vals, v)
		}
		for _, c := range cols {
			if chance(25) {
				continue
			}
			v := c.value(r)
			if chance(25) {
				v = "NULL"
			}
			names, vals = append(names, c.name), append(vals, v)
		}
		upserts = append(upserts, fmt.Sprintf("UPSERT INTO %s (%s) VALUES (%s)", name, strings.Join(names, ", "), strings.Join(vals, ", ")))
	}
	return p, upserts
}
