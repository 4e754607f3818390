package pgcatalog

import (
	"hash/fnv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

// OIDs of what PostgreSQL has made since its beginning.
const (
	catalogSchema = 11 // pg_catalog
	publicSchema  = 2200
	toastSchema   = 99
	infoSchema    = 13207 // information_schema
	saltsqlSchema = firstOwn

	databaseOID      = 5
	superuserOID     = 10
	defaultSpace     = 1663
	globalSpace      = 1664
	heapAM           = 2
	btreeAM          = 403
	defaultCollation = 100
	cCollation       = 950
	posixCollation   = 951
	internalLanguage = 12
	sqlLanguage      = 14
	cLanguage        = 13

	classClass      = 1259
	classType       = 1247
	classProc       = 1255
	classNamespace  = 2615
	classConstraint = 2606
	classAttrdef    = 2604
	classDatabase   = 1262
	classOperator   = 2617
	classAuthid     = 1260
)

// OIDs of what saltsql alone has lie above those that PostgreSQL gives out and below those
// of users.
const (
	firstOwn         = 15000
	firstOwnRelation = 15010
	firstOwnProc     = 15100
	firstOwnOperator = 15800
	firstUser        = 16384
)

// OwnSchema is the schema of the relations that PostgreSQL does not have.
const OwnSchema = "saltsql"

// The parts of a table have no IDs of their own in the catalog. Their OIDs follow from
// the table's ID and a number within it:
//
//	10 iiiiiiiiiiiiiiiiiii nnnnnnnnnnn    ID - 16384 under 2^19, number under 2^11
//	11 hhhhhhhhhhhhhhhhhhhhhhhhhhhhhh     a hash of both, beyond that
//
// The objects of users, which count from 16384, do not reach the upper half.
const (
	partBit   = 1 << 31
	hashedBit = 1 << 30
	partBits  = 11
	ownerBits = 19
)

// Numbers of parts.
const (
	partKeyIndex      = 0 // the primary key's index
	partKeyConstraint = 1
	partDefault       = 2    // + attnum
	partCheck         = 1700 // + the place among the checks
	partRowType       = 2046
	partRowArray      = 2047
	partForeignKey    = 4096 // + the place among the foreign keys
)

func partOID(owner uint32, part int) uint32 {
	if n := owner - firstUser; owner >= firstUser && n < 1<<ownerBits && part < 1<<partBits {
		return partBit | n<<partBits | uint32(part)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte{byte(owner), byte(owner >> 8), byte(owner >> 16), byte(owner >> 24), byte(part), byte(part >> 8), byte(part >> 16)})
	return partBit | hashedBit | h.Sum32()>>2
}

// ownerOf gives the table that a part's OID is of, where it tells.
func ownerOf(oid uint32) (owner uint32, part int, ok bool) {
	if oid&partBit == 0 || oid&hashedBit != 0 {
		return 0, 0, false
	}
	return oid>>partBits&(1<<ownerBits-1) + firstUser, int(oid & (1<<partBits - 1)), true
}

// findPart finds the table of a part by the part's OID; has says whether a table has it.
func findPart(s *catalog.Snapshot, oid uint32, has func(t *catalog.Table) bool) *catalog.Table {
	if owner, _, ok := ownerOf(oid); ok {
		t := s.TableByID(owner)
		if t == nil {
			t, _ = s.IndexByID(owner) // of a constraint that is an index
		}
		if t != nil && has(t) {
			return t
		}
		return nil
	}
	if oid&partBit == 0 {
		return nil
	}
	for _, t := range s.Tables() {
		if has(t) {
			return t
		}
	}
	return nil
}

// SchemaOID gives a schema's OID; 0 if there is none.
func SchemaOID(s *catalog.Snapshot, name string) uint32 {
	for _, sys := range systemSchemas {
		if sys.name == name {
			return sys.oid
		}
	}
	if sc := s.Schema(name); sc != nil {
		return sc.ID
	}
	return 0
}

// systemSchema is a schema that is there from the start and is no user's.
type systemSchema struct {
	oid  uint32
	name string
}

// rights are what everybody has on it; nil is the default.
func (s systemSchema) rights() *acl.List {
	if s.oid == toastSchema {
		return nil
	}
	rights := acl.Default(acl.Schema, superuserOID)
	rights.Items = append(rights.Items, acl.Item{Grantor: superuserOID, Rights: acl.Usage})
	return rights
}

var systemSchemas = []systemSchema{{catalogSchema, "pg_catalog"}, {toastSchema, "pg_toast"}, {infoSchema, "information_schema"}, {saltsqlSchema, OwnSchema}}
