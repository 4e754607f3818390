package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Long because all that is said of a table option is in one list.

// DefaultHash is the salt's hash of new tables.
const DefaultHash = "phoenix31"

const (
	layoutPlain  = "ONE_CELL_PER_COLUMN"
	layoutPacked = "SINGLE_CELL_ARRAY_WITH_OFFSETS"
)

// Option describes one table option: what SHOW and the manual say of it.
type Option struct {
	Name  string // upper case
	Kind  string // "integer", "boolean", "name", "names", "word", "seconds"
	Range string // of the values, as messages print it
	Doc   string

	Set  func(o *OptionSet, v OptionDef) error
	Show func(t *Table) string // "" where the value is the default
	// Reset puts it back to the default; nil where ALTER TABLE may not change it.
	Reset func(o *Options)
	// bare is Show without quotes, where they differ.
	bare func(t *Table) string
}

// OptionSet is Options in the making: which were named matters for defaults
// that depend on others.
type OptionSet struct {
	Options
	layoutSet, encodedSet, immutableSet bool
}

// TableOptions is every option of CREATE TABLE, in the order they are shown.
var TableOptions = []Option{
	{
		Name: "SALT_BUCKETS", Kind: "integer", Range: "0 to 256",
		Doc: "spreads rows over n ranges of the store by a hash of the key; 0 is unsalted",
		Set: func(o *OptionSet, v OptionDef) error {
			if strings.EqualFold(v.Value, "auto") {
				return sqlerr.Unsupported("SALT_BUCKETS = AUTO is not supported",
					"Write a number: ALTER TABLE ... SET SALT_BUCKETS = n FORWARD changes it for new rows, and copies none.").At(v.Pos)
			}
			return v.intInto(&o.SaltBuckets, 0, 256, "0 to 256")
		},
		Show: func(t *Table) string {
			if t.KeyFormat != nil {
				return "" // it says so
			}
			return showInt(t.Options.SaltBuckets, 0)
		},
	},
	{
		Name: "SALT_COLUMNS", Kind: "names", Range: "columns of the primary key",
		Doc: "hashes these key columns instead of the whole key, so that rows that share them share a bucket",
		Set: setSaltColumns,
		Show: func(t *Table) string {
			if len(t.Options.SaltColumns) == 0 || t.KeyFormat != nil {
				return ""
			}
			quoted := make([]string, len(t.Options.SaltColumns))
			for i, c := range t.Options.SaltColumns {
				quoted[i] = ident.Quote(c)
			}
			return "(" + strings.Join(quoted, ", ") + ")"
		},
	},
	{
		Name: "TTL", Kind: "seconds", Range: "1 to 2147483646 seconds, or FOREVER", Reset: func(o *Options) { o.TTL = 0 },
		Doc: "rows not written for so long are gone",
		Set: setTTL,
		Show: func(t *Table) string {
			if t.Options.TTL == 0 {
				return ""
			}
			return strconv.FormatInt(int64(t.Options.TTL/time.Second), 10)
		},
	},
	{
		Name: "VERSIONS", Kind: "integer", Range: "1 to 10000", Reset: func(o *Options) { o.Versions = 1 },
		Doc:  "how many versions of a cell the store keeps",
		Set:  func(o *OptionSet, v OptionDef) error { return v.intInto(&o.Versions, 1, 10000, "1 to 10000") },
		Show: func(t *Table) string { return showInt(t.Options.Versions, 1) },
	},
	{
		Name: "TRANSACTIONAL", Kind: "boolean", Range: "true or false",
		Doc: "rows take part in transactions over several rows and tables on Bigtable too; embedded stores have them for all tables",
		Set: func(o *OptionSet, v OptionDef) error { return v.boolInto(&o.Transactional) },
		Show: func(t *Table) string {
			if t.Options.Transactional {
				return "true"
			}
			return ""
		},
	},
	{
		Name: "IMMUTABLE_ROWS", Kind: "boolean", Range: "true or false",
		Doc: "says that rows are written once; packs a row's columns into one cell unless IMMUTABLE_STORAGE_SCHEME says otherwise",
		Set: func(o *OptionSet, v OptionDef) error {
			o.immutableSet = true
			return v.boolInto(&o.ImmutableRows)
		},
		Show: func(t *Table) string {
			if t.Options.ImmutableRows {
				return "true"
			}
			return ""
		},
	},
	{
		Name: "IMMUTABLE_STORAGE_SCHEME", Kind: "word", Range: layoutPlain + " or " + layoutPacked,
		Doc: "one cell per column, or one cell per column family (needs IMMUTABLE_ROWS = true)",
		Set: setLayout,
		Show: func(t *Table) string {
			if t.Options.Layout == defaultLayout(&t.Options) {
				return ""
			}
			return LayoutName(t.Options.Layout)
		},
	},
	{
		Name: "COLUMN_ENCODED_BYTES", Kind: "integer", Range: "0 to 4",
		Doc: "width of column qualifiers in bytes; 0 uses the columns' names, readable by other programs",
		Set: func(o *OptionSet, v OptionDef) error {
			o.encodedSet = true
			if v.word() == "none" {
				o.ColumnEncodedBytes = 0
				return nil
			}
			return v.intInto(&o.ColumnEncodedBytes, 0, 4, "0 to 4")
		},
		Show: func(t *Table) string {
			if t.KeyFormat != nil {
				return ""
			}
			return showInt(t.Options.ColumnEncodedBytes, 2)
		},
	},
	{
		Name: "DEFAULT_COLUMN_FAMILY", Kind: "name", Range: "a column family name",
		Doc: "the family of columns that name none",
		Set: func(o *OptionSet, v OptionDef) error {
			if !v.HasValue || !validFamily(v.Value) {
				return badFamily(v.Value).At(v.Pos)
			}
			o.DefaultFamily = v.Value
			return nil
		},
		Show: func(t *Table) string {
			if t.Options.DefaultFamily == "0" {
				return ""
			}
			return quoteLiteral(t.Options.DefaultFamily)
		},
		bare: func(t *Table) string { return t.Options.DefaultFamily },
	},
}

func showInt(v, def int) string {
	if v == def {
		return ""
	}
	return strconv.Itoa(v)
}

// OptionByName finds an option; any case.
func OptionByName(name string) *Option {
	for i := range TableOptions {
		if strings.EqualFold(TableOptions[i].Name, name) {
			return &TableOptions[i]
		}
	}
	return nil
}

// optionNames lists the options for messages.
func optionNames() []string {
	names := make([]string, len(TableOptions))
	for i := range TableOptions {
		names[i] = TableOptions[i].Name
	}
	return names
}

// ParseOptions checks the options of CREATE TABLE and fills in defaults. Errors
// are 22023 (unknown name, bad value), 0A000 (a promise of Phoenix, HBase or Postgres
// that is not kept here), 42601 (an option twice). Options of theirs without effect are
// NOTICEs.
func ParseOptions(defs []OptionDef) (Options, Notices, error) {
	s := OptionSet{Options: Options{Hash: DefaultHash, ColumnEncodedBytes: 2, DefaultFamily: "0", Versions: 1}}
	seen := make(map[string]bool, len(defs))
	var notices Notices
	for _, d := range defs {
		if n, ok := d.Idle(); ok {
			if n != nil {
				notices.Add(n)
			}
			continue
		}
		opt, err := FindOption(d)
		if err != nil {
			return s.Options, nil, err
		}
		if seen[opt.Name] {
			return s.Options, nil, sqlerr.New(sqlerr.SyntaxError, "table option %s specified more than once", opt.Name).At(d.Pos)
		}
		seen[opt.Name] = true
		if err := opt.Set(&s, d); err != nil {
			return s.Options, nil, err
		}
	}
	if !s.layoutSet {
		s.Layout = defaultLayout(&s.Options)
	}
	return s.Options, notices, s.check()
}

// defaultLayout packs rows that are written once, as Phoenix does; packed
// cells hold columns by number, so plain names exclude them.
func defaultLayout(o *Options) rowcodec.Layout {
	if o.ImmutableRows && o.ColumnEncodedBytes != 0 {
		return rowcodec.SingleCellArrayWithOffsets
	}
	return rowcodec.OneCellPerColumn
}

func (s *OptionSet) check() error {
	if s.Layout == rowcodec.SingleCellArrayWithOffsets {
		if !s.ImmutableRows {
			return sqlerr.New(sqlerr.InvalidParameterValue, "IMMUTABLE_STORAGE_SCHEME = %s needs IMMUTABLE_ROWS = true", layoutPacked).
				WithHint("Add IMMUTABLE_ROWS = true, or leave the scheme out.")
		}
		if s.ColumnEncodedBytes == 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "IMMUTABLE_STORAGE_SCHEME = %s does not go with COLUMN_ENCODED_BYTES = 0", layoutPacked).
				WithHint("Packed cells hold columns by number: leave COLUMN_ENCODED_BYTES out, or use %s.", layoutPlain)
		}
	}
	if s.Transactional && s.Versions > 1 {
		return sqlerr.Unsupported("VERSIONS above 1 is not supported with TRANSACTIONAL = true",
			"Leave VERSIONS out: a transaction reads rows as they were at its snapshot.")
	}
	if len(s.SaltColumns) > 0 && s.SaltBuckets == 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "SALT_COLUMNS needs SALT_BUCKETS").
			WithHint("Add SALT_BUCKETS = n, 1 to 256.")
	}
	return nil
}

// FindOption resolves a written option, or says why there is none.
func FindOption(d OptionDef) (*Option, error) {
	name := strings.ToUpper(d.Name)
	if d.Namespace != "" {
		full := d.Namespace + "." + d.Name
		if OptionByName(name) == nil && foreignOptions[name] == "" {
			return nil, unknownOption(full, d.Pos)
		}
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, `table option "%s" cannot be set for a part of the table`, full).
			WithHint("Options hold for the whole table: write %s without a prefix.", name).At(d.Pos)
	}
	if opt := OptionByName(name); opt != nil {
		return opt, nil
	}
	if why := foreignOptions[name]; why != "" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "table option %s is not supported", name).WithHint("%s", why).At(d.Pos)
	}
	return nil, unknownOption(d.Name, d.Pos)
}

func unknownOption(name string, pos int) error {
	e := sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized table option "%s"`, name).At(pos)
	if near := sqlerr.Nearest(name, optionNames()); near != "" {
		return e.WithHint("Perhaps you meant the option %s.", near)
	}
	return e.WithHint("Table options are %s.", strings.Join(optionNames(), ", "))
}

func (d OptionDef) word() string { return strings.ToLower(strings.TrimSpace(d.Value)) }

func (d OptionDef) badValue(what string) error {
	shown := d.Value
	if len(d.List) > 0 {
		shown = "(" + strings.Join(d.List, ", ") + ")"
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for table option %s: %s", strings.ToUpper(d.Name), quoteLiteral(shown)).
		WithDetail("Valid values are %s.", what).At(d.Pos)
}

func (d OptionDef) intInto(dst *int, lo, hi int, what string) error {
	n, err := strconv.Atoi(strings.TrimSpace(d.Value))
	if !d.HasValue || len(d.List) > 0 || err != nil && !strings.Contains(err.Error(), "range") {
		return d.badValue(what)
	}
	if err != nil || n < lo || n > hi {
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s = %s is out of range: %s is %s",
			strings.ToUpper(d.Name), strings.TrimSpace(d.Value), strings.ToUpper(d.Name), what).At(d.Pos)
	}
	*dst = n
	return nil
}

func (d OptionDef) boolInto(dst *bool) error {
	if !d.HasValue && len(d.List) == 0 {
		*dst = true
		return nil
	}
	switch d.word() {
	case "true", "on", "yes", "1":
		*dst = true
	case "false", "off", "no", "0":
		*dst = false
	default:
		return d.badValue("true and false")
	}
	return nil
}

func setSaltColumns(o *OptionSet, d OptionDef) error {
	names := d.List
	if len(names) == 0 && d.HasValue {
		// WITH (salt_columns = 'a, b'): a list has no other spelling there.
		names = strings.Split(d.Value, ",")
	}
	o.SaltColumns = nil
	for _, n := range names {
		n = strings.TrimSpace(n)
		if n == "" || slices.Contains(o.SaltColumns, n) {
			return d.badValue("different columns of the primary key, as in SALT_COLUMNS = (a, b)")
		}
		o.SaltColumns = append(o.SaltColumns, n)
	}
	if len(o.SaltColumns) == 0 {
		return d.badValue("columns of the primary key, as in SALT_COLUMNS = (a, b)")
	}
	return nil
}

func setTTL(o *OptionSet, d OptionDef) error {
	switch d.word() {
	case "forever", "none":
		o.TTL = 0
		return nil
	}
	const forever = 1<<31 - 1 // HBase's number for it
	var n int
	if err := d.intInto(&n, 1, forever, "1 to 2147483646 seconds, or FOREVER"); err != nil {
		return err
	}
	o.TTL = time.Duration(n) * time.Second
	if n == forever {
		o.TTL = 0
	}
	return nil
}

func setLayout(o *OptionSet, d OptionDef) error {
	l, ok := LayoutByName(strings.ToUpper(d.word()))
	if !ok {
		return d.badValue(layoutPlain + " and " + layoutPacked)
	}
	o.Layout, o.layoutSet = l, true
	return nil
}

func LayoutName(l rowcodec.Layout) string {
	if l == rowcodec.SingleCellArrayWithOffsets {
		return layoutPacked
	}
	return layoutPlain
}

func LayoutByName(name string) (rowcodec.Layout, bool) {
	switch name {
	case layoutPlain:
		return rowcodec.OneCellPerColumn, true
	case layoutPacked:
		return rowcodec.SingleCellArrayWithOffsets, true
	}
	return 0, false
}

// OptionText gives the options that are not at their default, in Phoenix's
// spelling: `SALT_BUCKETS = 8, TTL = 86400`.
func (t *Table) OptionText() string { return t.optionText(false) }

// optionText is OptionText, with said without the buckets of which nothing was said.
func (t *Table) optionText(said bool) string {
	var parts []string
	for i := range TableOptions {
		if said && t.SaltByDefault && TableOptions[i].Name == "SALT_BUCKETS" {
			continue
		}
		if v := TableOptions[i].Show(t); v != "" {
			parts = append(parts, fmt.Sprintf("%s = %s", TableOptions[i].Name, v))
		}
	}
	return strings.Join(parts, ", ")
}
