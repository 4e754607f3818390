package types

import (
	"fmt"
	"strings"
)

// Info is what pg_type says of a kind.
type Info struct {
	Kind     Kind
	OID      uint32 // 0 where the kind has no row of its own (Array)
	ArrayOID uint32 // 0 where there are no arrays of it
	TypName  string // pg_type.typname: "int4"
	SQLName  string // as format_type prints it without a modifier: "integer"
	Len      int16  // pg_type.typlen; -1 is variable
	Category byte   // pg_type.typcategory
	// Preferred types win where a literal or a mixed pair leaves a choice.
	Preferred bool
}

// infos is indexed by Kind.
var infos = [NumKinds]Info{
	Unknown:     {OID: 705, TypName: "unknown", SQLName: "unknown", Len: -2, Category: 'X'},
	Bool:        {OID: 16, ArrayOID: 1000, TypName: "bool", SQLName: "boolean", Len: 1, Category: 'B', Preferred: true},
	Int2:        {OID: 21, ArrayOID: 1005, TypName: "int2", SQLName: "smallint", Len: 2, Category: 'N'},
	Int4:        {OID: 23, ArrayOID: 1007, TypName: "int4", SQLName: "integer", Len: 4, Category: 'N'},
	Int8:        {OID: 20, ArrayOID: 1016, TypName: "int8", SQLName: "bigint", Len: 8, Category: 'N'},
	Float4:      {OID: 700, ArrayOID: 1021, TypName: "float4", SQLName: "real", Len: 4, Category: 'N'},
	Float8:      {OID: 701, ArrayOID: 1022, TypName: "float8", SQLName: "double precision", Len: 8, Category: 'N', Preferred: true},
	Numeric:     {OID: 1700, ArrayOID: 1231, TypName: "numeric", SQLName: "numeric", Len: -1, Category: 'N'},
	Text:        {OID: 25, ArrayOID: 1009, TypName: "text", SQLName: "text", Len: -1, Category: 'S', Preferred: true},
	Varchar:     {OID: 1043, ArrayOID: 1015, TypName: "varchar", SQLName: "character varying", Len: -1, Category: 'S'},
	Bpchar:      {OID: 1042, ArrayOID: 1014, TypName: "bpchar", SQLName: "character", Len: -1, Category: 'S'},
	Name:        {OID: 19, ArrayOID: 1003, TypName: "name", SQLName: "name", Len: 64, Category: 'S'},
	Bytea:       {OID: 17, ArrayOID: 1001, TypName: "bytea", SQLName: "bytea", Len: -1, Category: 'U'},
	UUID:        {OID: 2950, ArrayOID: 2951, TypName: "uuid", SQLName: "uuid", Len: 16, Category: 'U'},
	Date:        {OID: 1082, ArrayOID: 1182, TypName: "date", SQLName: "date", Len: 4, Category: 'D'},
	Time:        {OID: 1083, ArrayOID: 1183, TypName: "time", SQLName: "time without time zone", Len: 8, Category: 'D'},
	Timestamp:   {OID: 1114, ArrayOID: 1115, TypName: "timestamp", SQLName: "timestamp without time zone", Len: 8, Category: 'D'},
	Timestamptz: {OID: 1184, ArrayOID: 1185, TypName: "timestamptz", SQLName: "timestamp with time zone", Len: 8, Category: 'D', Preferred: true},
	Interval:    {OID: 1186, ArrayOID: 1187, TypName: "interval", SQLName: "interval", Len: 16, Category: 'T', Preferred: true},
	JSON:        {OID: 114, ArrayOID: 199, TypName: "json", SQLName: "json", Len: -1, Category: 'U'},
	JSONB:       {OID: 3802, ArrayOID: 3807, TypName: "jsonb", SQLName: "jsonb", Len: -1, Category: 'U'},
	OID:         {OID: 26, ArrayOID: 1028, TypName: "oid", SQLName: "oid", Len: 4, Category: 'N', Preferred: true},
	Regclass:    {OID: 2205, ArrayOID: 2210, TypName: "regclass", SQLName: "regclass", Len: 4, Category: 'N'},
	Regtype:     {OID: 2206, ArrayOID: 2211, TypName: "regtype", SQLName: "regtype", Len: 4, Category: 'N'},
	Void:        {OID: 2278, TypName: "void", SQLName: "void", Len: 4, Category: 'P'},
	Record:      {OID: 2249, ArrayOID: 2287, TypName: "record", SQLName: "record", Len: -1, Category: 'P'},
	Array:       {TypName: "anyarray", SQLName: "anyarray", Len: -1, Category: 'A'},
	CharOne:     {OID: 18, ArrayOID: 1002, TypName: "char", SQLName: `"char"`, Len: 1, Category: 'Z'},

	Regproc:      {OID: 24, ArrayOID: 1008, TypName: "regproc", SQLName: "regproc", Len: 4, Category: 'N'},
	Regprocedure: {OID: 2202, ArrayOID: 2207, TypName: "regprocedure", SQLName: "regprocedure", Len: 4, Category: 'N'},
	Regoper:      {OID: 2203, ArrayOID: 2208, TypName: "regoper", SQLName: "regoper", Len: 4, Category: 'N'},
	Regoperator:  {OID: 2204, ArrayOID: 2209, TypName: "regoperator", SQLName: "regoperator", Len: 4, Category: 'N'},
	Regnamespace: {OID: 4089, ArrayOID: 4090, TypName: "regnamespace", SQLName: "regnamespace", Len: 4, Category: 'N'},
	Regrole:      {OID: 4096, ArrayOID: 4097, TypName: "regrole", SQLName: "regrole", Len: 4, Category: 'N'},
	Regcollation: {OID: 4191, ArrayOID: 4192, TypName: "regcollation", SQLName: "regcollation", Len: 4, Category: 'N'},
	XID:          {OID: 28, ArrayOID: 1011, TypName: "xid", SQLName: "xid", Len: 4, Category: 'U'},
	CID:          {OID: 29, ArrayOID: 1012, TypName: "cid", SQLName: "cid", Len: 4, Category: 'U'},
	TID:          {OID: 27, ArrayOID: 1010, TypName: "tid", SQLName: "tid", Len: 6, Category: 'U'},
	PgLSN:        {OID: 3220, ArrayOID: 3221, TypName: "pg_lsn", SQLName: "pg_lsn", Len: 8, Category: 'U'},
	Inet:         {OID: 869, ArrayOID: 1041, TypName: "inet", SQLName: "inet", Len: -1, Category: 'I', Preferred: true},
	ACLItem:      {OID: 1033, ArrayOID: 1034, TypName: "aclitem", SQLName: "aclitem", Len: 12, Category: 'U'},
	JSONPath:     {OID: 4072, ArrayOID: 4073, TypName: "jsonpath", SQLName: "jsonpath", Len: -1, Category: 'U'},
	Enum:         {TypName: "anyenum", SQLName: "anyenum", Len: 4, Category: 'E'},
	NodeTree:     {OID: 194, TypName: "pg_node_tree", SQLName: "pg_node_tree", Len: -1, Category: 'Z'},
	NDistinct:    {OID: 3361, TypName: "pg_ndistinct", SQLName: "pg_ndistinct", Len: -1, Category: 'Z'},
	Dependencies: {OID: 3402, TypName: "pg_dependencies", SQLName: "pg_dependencies", Len: -1, Category: 'Z'},
	MCVList:      {OID: 5017, TypName: "pg_mcv_list", SQLName: "pg_mcv_list", Len: -1, Category: 'Z'},
	Int2vector:   {OID: 22, TypName: "int2vector", SQLName: "int2vector", Len: -1, Category: 'A'},
	Oidvector:    {OID: 30, TypName: "oidvector", SQLName: "oidvector", Len: -1, Category: 'A'},
}

var (
	kindByOID  = map[uint32]Kind{}
	elemByOID  = map[uint32]Kind{}
	kindByName = map[string]Kind{}
)

func init() {
	for k := range infos {
		in := &infos[k]
		in.Kind = Kind(k)
		if in.OID != 0 {
			kindByOID[in.OID] = in.Kind
			kindByName[in.TypName] = in.Kind
		}
		if in.ArrayOID != 0 {
			elemByOID[in.ArrayOID] = in.Kind
		}
	}
}

// Info gives what pg_type says of k.
func (k Kind) Info() *Info {
	if k >= NumKinds {
		return &infos[Unknown]
	}
	return &infos[k]
}

func (k Kind) String() string { return k.Info().SQLName }

// Kinds lists every kind that has a row in pg_type, in no promised order.
func Kinds() []Kind {
	var ks []Kind
	for k := range NumKinds {
		if infos[k].OID != 0 {
			ks = append(ks, k)
		}
	}
	return ks
}

// anyArrayOID is the type of columns that hold arrays of any element type, those of
// pg_stats; T of an Array of Unknown.
const anyArrayOID = 2277

// OID is the type's pg_type OID.
func (t T) OID() uint32 {
	switch {
	case t.User() != nil && t.Kind == Array:
		return t.User().Def().ArrayID
	case t.User() != nil:
		return t.User().ID
	case t.IsVector():
		return t.Elem.Info().OID
	case t.Kind == Array && t.Elem == Unknown:
		return anyArrayOID
	case t.Kind == Array:
		return t.Elem.Info().ArrayOID
	}
	return t.Kind.Info().OID
}

// ArrayOID is the OID of the array type over t; 0 if there is none.
func (t T) ArrayOID() uint32 {
	if t.Kind == Array {
		return t.OID()
	}
	if t.User() != nil {
		return t.User().Def().ArrayID
	}
	return t.Kind.Info().ArrayOID
}

// Len is pg_type.typlen: bytes, or -1 for types of variable length.
func (t T) Len() int16 { return t.Kind.Info().Len }

// Category is pg_type.typcategory.
func (t T) Category() byte { return t.Kind.Info().Category }

// Preferred is pg_type.typispreferred.
func (t T) Preferred() bool { return t.Kind.Info().Preferred }

// TypName is pg_type.typname: "int4", "_text".
func (t T) TypName() string {
	switch {
	case t.User() != nil && t.Kind == Array:
		return t.User().Def().ArrayName
	case t.User() != nil:
		return t.User().Def().Name
	case t.IsVector():
		return t.Elem.Info().TypName
	case t.Kind == Array && t.Elem == Unknown:
		return "anyarray"
	case t.Kind == Array:
		return "_" + t.Elem.Info().TypName
	}
	return t.Kind.Info().TypName
}

// FromTypName finds a type by its pg_type.typname, without modifier.
func FromTypName(name string) (T, bool) {
	if k, ok := kindByName[name]; ok {
		return Of(k), true
	}
	if name == "anyarray" {
		return ArrayOf(Of(Unknown)), true
	}
	elem, under := strings.CutPrefix(name, "_")
	k, ok := kindByName[elem]
	if !under || !ok || Of(k).ArrayOID() == 0 {
		return T{}, false
	}
	return ArrayOf(Of(k)), true
}

// IsString says that values of t are character strings.
func (t T) IsString() bool {
	switch t.Kind {
	case Text, Varchar, Bpchar, Name:
		return true
	}
	return false
}

// Base gives t without its modifier, and the type under a domain; a record keeps its shape.
func (t T) Base() T { t.mod = 0; return t.Plain() }

// FromOID finds a type by its pg_type OID; typmod is -1 for none.
func FromOID(oid uint32, typmod int32) (T, bool) {
	if k, ok := kindByOID[oid]; ok {
		return Of(k).WithTypmod(typmod), true
	}
	if k, ok := elemByOID[oid]; ok {
		return ArrayOf(Of(k).WithTypmod(typmod)), true
	}
	if oid == anyArrayOID {
		return ArrayOf(Of(Unknown)), true
	}
	return T{}, false
}

// String gives the type's name as format_type prints it.
func (t T) String() string {
	if t.Domain() != nil {
		return t.Domain().Def().Written()
	}
	if t.IsVector() {
		return t.Elem.Info().SQLName
	}
	if t.Kind == Array {
		if t.Elem == Unknown {
			return "anyarray"
		}
		return t.ElemType().String() + "[]"
	}
	if t.Shape() != nil && t.Shape().Name != "" {
		return t.Shape().Name
	}
	if t.User() != nil {
		return t.User().Def().Written()
	}
	name := t.Kind.Info().SQLName
	m := t.Typmod()
	if m < 0 {
		return name
	}
	switch t.Kind {
	case Varchar, Bpchar:
		return fmt.Sprintf("%s(%d)", name, m-4)
	case Numeric:
		if p, s, ok := t.Precision(); ok {
			return fmt.Sprintf("numeric(%d,%d)", p, s)
		}
	case Time:
		return fmt.Sprintf("time(%d) without time zone", m)
	case Timestamp:
		return fmt.Sprintf("timestamp(%d) without time zone", m)
	case Timestamptz:
		return fmt.Sprintf("timestamp(%d) with time zone", m)
	case Interval:
		if f := t.IntervalFields().String(); f != "" {
			name += " " + f
		}
		if p := m & 0xffff; p <= MaxTimePrecision {
			name += fmt.Sprintf("(%d)", p)
		}
	}
	return name
}

// Label is String, but for a char without a length, which it calls bpchar:
// character alone would mean character(1).
func (t T) Label() string {
	if t.Typmod() < 0 {
		switch {
		case t.Kind == Bpchar:
			return "bpchar"
		case t.Kind == Array && t.Elem == Bpchar:
			return "bpchar[]"
		}
	}
	return t.String()
}
