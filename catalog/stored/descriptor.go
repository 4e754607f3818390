package stored

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Long because the stored form of a table is in one place, both ways.

type descJSON struct {
	Format  int    `json:"format"`
	Kind    string `json:"kind"`
	ID      uint32 `json:"id"`
	Version uint64 `json:"version,omitempty"`
	State   string `json:"state"`
	Schema  string `json:"schema,omitempty"`
	Name    string `json:"name"`
	Comment string `json:"comment,omitempty"`
	ownedJSON

	Role     *roleJSON     `json:"role,omitempty"`
	Table    *tableJSON    `json:"table,omitempty"`
	View     *viewJSON     `json:"view,omitempty"`
	Sequence *sequenceJSON `json:"sequence,omitempty"`
	Enum     *enumJSON     `json:"enum,omitempty"`
	Domain   *domainJSON   `json:"domain,omitempty"`
}

type tableJSON struct {
	Physical       string               `json:"physical"`
	Columns        []columnJSON         `json:"columns"`
	PrimaryKey     []int                `json:"primary_key"` // column IDs
	PrimaryKeyName string               `json:"primary_key_name"`
	KeyByOption    bool                 `json:"key_by_option,omitempty"`
	KeyComment     string               `json:"key_comment,omitempty"`
	KeyIndex       string               `json:"key_index_comment,omitempty"`
	SaltByDefault  bool                 `json:"salt_by_default,omitempty"`
	Checks         []checkJSON          `json:"checks,omitempty"`
	Indexes        []indexJSON          `json:"indexes,omitempty"`
	ForeignKeys    []catalog.ForeignKey `json:"foreign_keys,omitempty"`
	Options        optionsJSON          `json:"options"`
	NextQualifier  int                  `json:"next_qualifier"`
	NextColumnID   int                  `json:"next_column_id"`
	Dropped        []droppedJSON        `json:"dropped,omitempty"`
	Families       []string             `json:"families"`
	Adopted        bool                 `json:"adopted,omitempty"`
	Maps           []columnJSON         `json:"maps,omitempty"`
	KeyFormat      *keyform.Format      `json:"key_format,omitempty"`
	WriteVersion   uint64               `json:"write_version,omitempty"`
	Frozen         bool                 `json:"frozen,omitempty"`
	Truncating     bool                 `json:"truncating,omitempty"`
	WholeRows      bool                 `json:"whole_rows,omitempty"`
	ExpiredBefore  int64                `json:"expired_before,omitempty"`
	Epochs         *epochsJSON          `json:"epochs,omitempty"`
	Rewrite        *rewriteJSON         `json:"rewrite,omitempty"`
	Retired        []catalog.Retired    `json:"retired,omitempty"`
	SwitchedAt     uint64               `json:"switched_at,omitempty"`
	Materialized   *materializedJSON    `json:"materialized,omitempty"`
}

type epochsJSON struct {
	Column int         `json:"column"` // its ID
	List   []epochJSON `json:"list"`
}

type epochJSON struct {
	From        []byte   `json:"from,omitempty"`
	Physical    string   `json:"physical"`
	SaltBuckets int      `json:"salt_buckets"`
	SaltColumns []string `json:"salt_columns,omitempty"`
}

type rewriteJSON struct {
	ID          uint32   `json:"id"`
	State       string   `json:"state"`
	Physical    string   `json:"physical"`
	Log         string   `json:"log"`
	SaltBuckets int      `json:"salt_buckets"`
	SaltColumns []string `json:"salt_columns,omitempty"`
	Rate        int      `json:"rate,omitempty"`
	Started     int64    `json:"started"` // ms since the Unix epoch

	Indexes map[uint32]string `json:"indexes,omitempty"`
	Empty   bool              `json:"empty,omitempty"`
}

type materializedJSON struct {
	Text      string                  `json:"text"`
	Pretty    string                  `json:"pretty,omitempty"`
	Items     []catalog.ViewItem      `json:"items,omitempty"`
	Around    []int                   `json:"around,omitempty"`
	DependsOn []uint32                `json:"depends_on,omitempty"`
	Uses      []catalog.ViewColumnUse `json:"uses,omitempty"`
	Populated bool                    `json:"populated,omitempty"`
}

type typeJSON struct {
	Type string `json:"type"`
	Mod  *int32 `json:"mod,omitempty"`
}

type columnJSON struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	typeJSON
	Store       string          `json:"store"`
	Elem        string          `json:"elem,omitempty"`
	Width       int             `json:"width,omitempty"`
	NotNull     bool            `json:"not_null,omitempty"`
	Default     string          `json:"default,omitempty"`
	DefaultExpr json.RawMessage `json:"default_expr,omitempty"`
	Identity    string          `json:"identity,omitempty"`
	Sequence    uint32          `json:"sequence,omitempty"`
	Uses        []uint32        `json:"default_uses,omitempty"`
	Generated   json.RawMessage `json:"generated,omitempty"`
	From        []int           `json:"generated_from,omitempty"`
	Comment     string          `json:"comment,omitempty"`
	Hidden      bool            `json:"hidden,omitempty"`
	Desc        bool            `json:"desc,omitempty"`
	Family      string          `json:"family,omitempty"`
	Qualifier   []byte          `json:"qualifier,omitempty"`
	Number      int             `json:"number,omitempty"`
	Missing     *[]byte         `json:"missing,omitempty"`
	Rights      *[]itemJSON     `json:"rights,omitempty"`
}

type checkJSON struct {
	Name     string          `json:"name"`
	Cond     json.RawMessage `json:"cond,omitempty"`
	Text     string          `json:"text,omitempty"`
	Columns  []int           `json:"columns,omitempty"`
	NotValid bool            `json:"not_valid,omitempty"`
	Comment  string          `json:"comment,omitempty"`
}

type droppedJSON struct {
	ID        int    `json:"id"`
	Family    string `json:"family,omitempty"`
	Qualifier []byte `json:"qualifier,omitempty"`
	Number    int    `json:"number,omitempty"`
}

type optionsJSON struct {
	SaltBuckets        int      `json:"salt_buckets"`
	SaltColumns        []string `json:"salt_columns,omitempty"`
	Hash               string   `json:"hash"`
	ColumnEncodedBytes int      `json:"column_encoded_bytes"`
	Layout             string   `json:"immutable_storage_scheme"`
	ImmutableRows      bool     `json:"immutable_rows,omitempty"`
	DefaultFamily      string   `json:"default_column_family"`
	TTLMillis          int64    `json:"ttl_ms,omitempty"`
	Versions           int      `json:"versions"`
	Splits             [][]byte `json:"splits,omitempty"`
	Transactional      bool     `json:"transactional,omitempty"`
}

type viewJSON struct {
	Text      string                  `json:"text"`
	Pretty    string                  `json:"pretty,omitempty"`
	Items     []catalog.ViewItem      `json:"items,omitempty"`
	Around    []int                   `json:"around,omitempty"`
	Columns   []viewColumnJSON        `json:"columns"`
	DependsOn []uint32                `json:"depends_on,omitempty"`
	Uses      []catalog.ViewColumnUse `json:"uses,omitempty"`
	Check     string                  `json:"check,omitempty"`
}

type viewColumnJSON struct {
	Name string `json:"name"`
	typeJSON
	Comment string `json:"comment,omitempty"`
}

type sequenceJSON struct {
	Type        string `json:"type"`
	Start       int64  `json:"start"`
	Increment   int64  `json:"increment"`
	Min         int64  `json:"min"`
	Max         int64  `json:"max"`
	Cycle       bool   `json:"cycle,omitempty"`
	Cache       int64  `json:"cache"`
	OwnerTable  uint32 `json:"owner_table,omitempty"`
	OwnerColumn int    `json:"owner_column,omitempty"`
}

// Encode gives the stored form.
func Encode(d catalog.Descriptor, st catalog.State) ([]byte, error) {
	j := descJSON{Format: plainFormat, State: catalog.StateNames[st]}
	switch d := d.(type) {
	case *catalog.Schema:
		j.Kind, j.ID, j.Name, j.Comment = "schema", d.ID, d.Name, d.Comment
	case *catalog.Table:
		j.Kind, j.ID, j.Version, j.Schema, j.Name, j.Comment = "table", d.ID, d.Version, d.Schema, d.Name, d.Comment
		j.Table = tableToJSON(d)
		switch {
		case len(d.Jobs()) > 0:
			j.Format = copiedFormat
		case hasColumnRights(d):
			j.Format = ownedFormat
		case len(d.Indexes) > 0, len(d.ForeignKeys) > 0, d.HiddenKey() != nil, slices.ContainsFunc(d.Columns, func(c catalog.Column) bool { return c.Missing != nil }):
			j.Format = indexedFormat
		case keepsBound(d):
			j.Format = boundFormat
		}
	case *catalog.View:
		j.Kind, j.ID, j.Version, j.Schema, j.Name, j.Comment = "view", d.ID, d.Version, d.Schema, d.Name, d.Comment
		j.Format = viewFormat
		v := &viewJSON{Text: d.Query.Text, Pretty: d.Query.Pretty, Items: d.Query.Items, Around: d.Query.Around,
			DependsOn: d.DependsOn, Uses: d.Uses, Check: d.Check}
		for _, c := range d.Columns {
			v.Columns = append(v.Columns, viewColumnJSON{c.Name, typeToJSON(c.Type), c.Comment})
		}
		j.View = v
	case *catalog.Sequence:
		j.Kind, j.ID, j.Version, j.Schema, j.Name, j.Comment = "sequence", d.ID, d.Version, d.Schema, d.Name, d.Comment
		j.Sequence = &sequenceJSON{
			Type: types.Of(d.Type).TypName(), Start: d.Start, Increment: d.Increment, Min: d.Min, Max: d.Max,
			Cycle: d.Cycle, Cache: d.Cache, OwnerTable: d.OwnerTable, OwnerColumn: d.OwnerColumn,
		}
	case *catalog.Type:
		j.Kind, j.ID, j.Version, j.Schema, j.Name, j.Comment = "type", d.ID, d.Version, d.Schema, d.Name, d.Comment
		if d.Domain != nil {
			j.Format, j.Domain = domainFormat, domainToJSON(d)
			break
		}
		j.Format, j.Enum = typedFormat, &enumJSON{ArrayID: d.ArrayID, ArrayName: d.ArrayName}
		for _, l := range d.Labels {
			j.Enum.Labels = append(j.Enum.Labels, labelJSON{ID: l.ID, Code: l.Code, Text: l.Text, Pending: l.Pending})
		}
	case *catalog.Role:
		j.Kind, j.ID, j.Name, j.Comment = "role", d.ID, d.Name, d.Comment
		j.Format, j.Role = ownedFormat, roleToJSON(d)
	case *catalog.Database:
		j.Kind, j.ID, j.Name = "database", d.ID, "database"
	default:
		return nil, fmt.Errorf("catalog: no stored form of %T", d)
	}
	if o, ok := d.(catalog.Ownable); ok && !o.Ownership().IsOld(j.ID) {
		j.Format, j.ownedJSON = max(j.Format, ownedFormat), toJSON(o.Ownership())
	}
	if t, ok := d.(*catalog.Table); ok && t.NamesUserType() {
		j.Format = typedFormat
	}
	if t, ok := d.(*catalog.Table); ok && t.HasGenerated() {
		j.Format = generatedFormat
	}
	if t, ok := d.(*catalog.Table); ok && t.NamesDomain() {
		j.Format = domainFormat
	}
	if t, ok := d.(*catalog.Table); ok && storesWide(t) {
		j.Format = wideFormat
	}
	if t, ok := d.(*catalog.Table); ok && t.Materialized != nil {
		j.Format = materializedFormat
	}
	if t, ok := d.(*catalog.Table); ok && t.Epochs != nil {
		j.Format = epochsFormat
	}
	if v, ok := d.(*catalog.View); ok && slices.ContainsFunc(v.Columns, func(c catalog.ViewColumn) bool { return c.Type.Domain() != nil }) {
		j.Format = domainFormat
	}
	return json.Marshal(&j)
}

func tableToJSON(t *catalog.Table) *tableJSON {
	j := &tableJSON{
		Physical: t.Physical, PrimaryKeyName: t.PrimaryKeyName, KeyByOption: t.KeyByOption, KeyComment: t.KeyComment, KeyIndex: t.KeyIndexComment, SaltByDefault: t.SaltByDefault, NextQualifier: t.NextQualifier,
		NextColumnID: t.NextColumnID, Families: t.Families(), Adopted: t.Adopted, KeyFormat: t.KeyFormat, WriteVersion: t.WriteVersion, Frozen: t.Frozen, Truncating: t.Truncating,
		WholeRows: t.WholeRows, ExpiredBefore: t.ExpiredBefore, Retired: t.Retired, SwitchedAt: t.SwitchedAt,
		Options: optionsJSON{
			SaltBuckets: t.Options.SaltBuckets, SaltColumns: t.Options.SaltColumns, Hash: t.Options.Hash,
			ColumnEncodedBytes: t.Options.ColumnEncodedBytes, Layout: catalog.LayoutName(t.Options.Layout),
			ImmutableRows: t.Options.ImmutableRows, DefaultFamily: t.Options.DefaultFamily,
			TTLMillis: t.Options.TTL.Milliseconds(), Versions: t.Options.Versions, Splits: t.Options.Splits, Transactional: t.Options.Transactional,
		},
	}
	if e := t.Epochs; e != nil {
		j.Epochs = &epochsJSON{Column: e.Column}
		for _, x := range e.List {
			j.Epochs.List = append(j.Epochs.List, epochJSON(x))
		}
	}
	if r := t.Rewrite; r != nil {
		j.Rewrite = &rewriteJSON{
			ID: r.ID, State: r.State.String(), Physical: r.Physical, Log: r.Log, SaltBuckets: r.SaltBuckets, SaltColumns: r.SaltColumns,
			Rate: r.Rate, Started: r.Started.UnixMilli(), Indexes: r.Indexes, Empty: r.Empty,
		}
	}
	if m := t.Materialized; m != nil {
		j.Materialized = &materializedJSON{
			Text: m.Query.Text, Pretty: m.Query.Pretty, Items: m.Query.Items, Around: m.Query.Around,
			DependsOn: m.DependsOn, Uses: m.Uses, Populated: m.Populated,
		}
	}
	for i := range t.Columns {
		j.Columns = append(j.Columns, columnToJSON(&t.Columns[i]))
	}
	for i := range t.Maps {
		j.Maps = append(j.Maps, columnToJSON(&t.Maps[i]))
	}
	for _, i := range t.PrimaryKey {
		j.PrimaryKey = append(j.PrimaryKey, t.Columns[i].ID)
	}
	for _, c := range t.Checks {
		j.Checks = append(j.Checks, checkJSON{Name: c.Name, Cond: json.RawMessage(c.Cond), Text: c.Text, Columns: c.Columns, NotValid: c.NotValid, Comment: c.Comment})
	}
	j.ForeignKeys = t.ForeignKeys
	for i := range t.Indexes {
		j.Indexes = append(j.Indexes, indexToJSON(&t.Indexes[i]))
	}
	for _, d := range t.Dropped {
		j.Dropped = append(j.Dropped, droppedJSON(d))
	}
	return j
}

func columnToJSON(c *catalog.Column) columnJSON {
	cj := columnJSON{
		ID: c.ID, Name: c.Name, typeJSON: typeToJSON(c.Type), Store: c.Store.Type.String(), Width: c.Store.Width,
		NotNull: c.NotNull, Default: c.Default, DefaultExpr: json.RawMessage(c.DefaultExpr), Sequence: c.Sequence, Uses: c.DefaultUses, Generated: json.RawMessage(c.Generated), From: c.GeneratedFrom, Comment: c.Comment, Hidden: c.Hidden, Desc: c.Desc,
		Family: c.Family, Qualifier: c.Qualifier, Number: c.Number, Rights: listToJSON(c.Rights),
	}
	if c.Missing != nil {
		cj.Missing = &c.Missing
	}
	if c.Store.Elem != rowcodec.Invalid {
		cj.Elem = c.Store.Elem.String()
	}
	if c.Identity != 0 {
		cj.Identity = string(rune(c.Identity))
	}
	return cj
}

// Decode reads the stored form. It checks all it reads: a row that
// another program has touched is XX001, never a panic later.
func Decode(key string, b []byte, users *types.Users) (catalog.Descriptor, catalog.State, error) {
	var j descJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return nil, 0, catalog.Corrupt(key, "%v", err)
	}
	if j.Format < 1 || j.Format > descriptorFormat {
		return nil, 0, catalog.Corrupt(key, "format %d; this program reads formats 1 to %d", j.Format, descriptorFormat)
	}
	st := slices.Index(catalog.StateNames, j.State)
	if st < 0 {
		return nil, 0, catalog.Corrupt(key, "state %q is unknown", j.State)
	}
	if j.ID == 0 || j.Name == "" {
		return nil, 0, catalog.Corrupt(key, "no ID or no name")
	}
	var d catalog.Descriptor
	var err error
	switch {
	case j.Kind == "schema":
		d = &catalog.Schema{ID: j.ID, Name: j.Name, Comment: j.Comment}
	case j.Kind == "table" && j.Table != nil:
		d, err = tableFromJSON(&j, users)
	case j.Kind == "view" && j.View != nil:
		d, err = viewFromJSON(&j, users)
	case j.Kind == "sequence" && j.Sequence != nil:
		d, err = sequenceFromJSON(&j)
	case j.Kind == "type" && j.Enum != nil:
		d, err = enumFromJSON(&j)
	case j.Kind == "type" && j.Domain != nil:
		d, err = domainFromJSON(&j, users)
	case j.Kind == "role" && j.Role != nil:
		d, err = roleFromJSON(&j)
	case j.Kind == "database":
		d = &catalog.Database{ID: j.ID}
	default:
		err = fmt.Errorf("kind %q has no body or is unknown", j.Kind)
	}
	if err != nil {
		return nil, 0, catalog.Corrupt(key, "%v", err)
	}
	if o, ok := d.(catalog.Ownable); ok {
		*o.Ownership() = j.owned()
		o.Ownership().OfOld(j.ID)
	}
	return d, catalog.State(st), nil
}

func tableFromJSON(j *descJSON, users *types.Users) (*catalog.Table, error) {
	b := j.Table
	o := &b.Options
	layout, ok := catalog.LayoutByName(o.Layout)
	if !ok {
		return nil, fmt.Errorf("row layout %q is unknown", o.Layout)
	}
	t := &catalog.Table{
		ID: j.ID, Schema: j.Schema, Name: j.Name, Version: j.Version, Physical: b.Physical, Comment: j.Comment,
		PrimaryKeyName: b.PrimaryKeyName, KeyByOption: b.KeyByOption, KeyComment: b.KeyComment, KeyIndexComment: b.KeyIndex, SaltByDefault: b.SaltByDefault, NextQualifier: b.NextQualifier, NextColumnID: b.NextColumnID,
		WriteVersion: b.WriteVersion, Frozen: b.Frozen, Truncating: b.Truncating, WholeRows: b.WholeRows, ExpiredBefore: b.ExpiredBefore, Retired: b.Retired, SwitchedAt: b.SwitchedAt,
		FamilyOrder: b.Families, Adopted: b.Adopted, KeyFormat: b.KeyFormat, Types: users,
		Options: catalog.Options{
			SaltBuckets: o.SaltBuckets, SaltColumns: o.SaltColumns, Hash: o.Hash, ColumnEncodedBytes: o.ColumnEncodedBytes,
			Layout: layout, ImmutableRows: o.ImmutableRows, DefaultFamily: o.DefaultFamily,
			TTL: time.Duration(o.TTLMillis) * time.Millisecond, Versions: o.Versions, Splits: o.Splits, Transactional: o.Transactional,
		},
	}
	for i := range b.Columns {
		c, err := columnFromJSON(&b.Columns[i], users)
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, c)
	}
	for i := range b.Maps {
		c, err := columnFromJSON(&b.Maps[i], users)
		if err != nil {
			return nil, err
		}
		t.Maps = append(t.Maps, c)
	}
	for pos, id := range b.PrimaryKey {
		i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.ID == id })
		if i < 0 || t.Columns[i].KeyPos >= 0 {
			return nil, fmt.Errorf("key column %d is unknown or named twice", id)
		}
		t.Columns[i].KeyPos = pos
		t.PrimaryKey = append(t.PrimaryKey, i)
	}
	for _, c := range b.Checks {
		t.Checks = append(t.Checks, catalog.Check{Name: c.Name, Cond: expr.Stored(c.Cond), Text: c.Text, Columns: c.Columns, NotValid: c.NotValid, Comment: c.Comment})
	}
	for _, d := range b.Dropped {
		t.Dropped = append(t.Dropped, catalog.DroppedColumn(d))
	}
	t.ForeignKeys = b.ForeignKeys
	if e := b.Epochs; e != nil {
		t.Epochs = &catalog.Epochs{Column: e.Column}
		for _, x := range e.List {
			t.Epochs.List = append(t.Epochs.List, catalog.Epoch(x))
		}
	}
	if r := b.Rewrite; r != nil {
		st := slices.Index(catalog.RewriteStateNames, r.State)
		if st < 0 {
			return nil, fmt.Errorf("rewrite state %q is unknown", r.State)
		}
		t.Rewrite = &catalog.Rewrite{
			ID: r.ID, State: catalog.RewriteState(st), Physical: r.Physical, Log: r.Log, SaltBuckets: r.SaltBuckets, SaltColumns: r.SaltColumns,
			Rate: r.Rate, Started: time.UnixMilli(r.Started), Indexes: r.Indexes, Empty: r.Empty,
		}
	}
	if m := b.Materialized; m != nil {
		t.Materialized = &catalog.Materialized{
			Query:     catalog.ViewQuery{Text: m.Text, Pretty: m.Pretty, Items: m.Items, Around: m.Around},
			DependsOn: m.DependsOn, Uses: m.Uses, Populated: m.Populated,
		}
	}
	for i := range b.Indexes {
		ix, err := indexFromJSON(&b.Indexes[i], users)
		if err != nil {
			return nil, err
		}
		t.Indexes = append(t.Indexes, ix)
	}
	if err := t.Finish(); err != nil {
		return nil, err
	}
	return t, nil
}

func columnFromJSON(j *columnJSON, users *types.Users) (catalog.Column, error) {
	c := catalog.Column{
		ID: j.ID, Name: j.Name, NotNull: j.NotNull, Default: j.Default, DefaultExpr: expr.Stored(j.DefaultExpr), Sequence: j.Sequence, DefaultUses: j.Uses, Generated: expr.Stored(j.Generated), GeneratedFrom: j.From, Comment: j.Comment, Hidden: j.Hidden,
		KeyPos: -1, Desc: j.Desc, Family: j.Family, Qualifier: j.Qualifier, Number: j.Number,
		Rights: listFromJSON(j.Rights),
	}
	if j.Missing != nil {
		c.Missing = *j.Missing
	}
	if c.Sequence != 0 {
		c.Default = "" // older servers wrote it out
	}
	var err error
	if c.Type, err = typeFromJSON(j.typeJSON, users); err != nil {
		return c, err
	}
	c.Store = rowcodec.Column{Width: j.Width, SQL: c.Type}
	if c.Store.Type, err = storeByName(j.Store); err != nil {
		return c, err
	}
	if j.Elem != "" {
		if c.Store.Elem, err = storeByName(j.Elem); err != nil {
			return c, err
		}
	}
	switch j.Identity {
	case "":
	case "a", "d":
		c.Identity = j.Identity[0]
	default:
		return c, fmt.Errorf("identity %q is unknown", j.Identity)
	}
	return c, nil
}

func viewFromJSON(j *descJSON, users *types.Users) (*catalog.View, error) {
	v := &catalog.View{
		ID: j.ID, Schema: j.Schema, Name: j.Name, Version: j.Version, Comment: j.Comment,
		Query:     catalog.ViewQuery{Text: j.View.Text, Pretty: j.View.Pretty, Items: j.View.Items, Around: j.View.Around},
		DependsOn: j.View.DependsOn, Uses: j.View.Uses, Check: j.View.Check,
	}
	for _, c := range j.View.Columns {
		t, err := typeFromJSON(c.typeJSON, users)
		if err != nil {
			return nil, err
		}
		v.Columns = append(v.Columns, catalog.ViewColumn{Name: c.Name, Type: t, Comment: c.Comment})
	}
	return v, nil
}

func sequenceFromJSON(j *descJSON) (*catalog.Sequence, error) {
	q := j.Sequence
	t, err := typeFromJSON(typeJSON{Type: q.Type}, nil)
	if err != nil {
		return nil, err
	}
	s := &catalog.Sequence{
		ID: j.ID, Schema: j.Schema, Name: j.Name, Version: j.Version, Comment: j.Comment, Type: t.Kind,
		Start: q.Start, Increment: q.Increment, Min: q.Min, Max: q.Max, Cycle: q.Cycle, Cache: q.Cache,
		OwnerTable: q.OwnerTable, OwnerColumn: q.OwnerColumn,
	}
	if s.Increment == 0 || s.Min >= s.Max || s.Start < s.Min || s.Start > s.Max || s.Cache < 1 {
		return nil, fmt.Errorf("the sequence's bounds make no sense")
	}
	return s, nil
}

func typeToJSON(t types.T) typeJSON {
	j := typeJSON{Type: t.Stored()}
	if m := t.Typmod(); m >= 0 {
		j.Mod = &m
	}
	return j
}

func typeFromJSON(j typeJSON, users *types.Users) (types.T, error) {
	t, ok := users.FromStored(j.Type)
	if !ok {
		return t, fmt.Errorf("type %q is unknown", j.Type)
	}
	if j.Mod != nil {
		if *j.Mod < 0 || *j.Mod == 1<<31-1 {
			return t, fmt.Errorf("modifier %d of type %q is out of range", *j.Mod, j.Type)
		}
		t = t.WithTypmod(*j.Mod)
	}
	return t, nil
}

// storeByName is rowcodec.ParseType with an error for stored descriptors.
func storeByName(name string) (rowcodec.Type, error) {
	if name == rowcodec.Array.String() {
		return rowcodec.Array, nil
	}
	if t, ok := rowcodec.ParseType(name); ok {
		return t, nil
	}
	return rowcodec.Invalid, fmt.Errorf("storage type %q is unknown", name)
}
