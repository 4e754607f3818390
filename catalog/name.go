package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/transact"
)

// Fixed names and numbers, as in Postgres.
const (
	PublicSchema   = "public"
	catalogSchema  = "pg_catalog"
	PublicSchemaID = 2200
	FirstNormalOID = 16384 // the first ID given to an object of the user
	//saltsql:limit names: bytes of a name; a longer one is cut, with a NOTICE (42622)
	MaxIdentifier = 63 // bytes of a name: NAMEDATALEN - 1
	//saltsql:limit tables: columns of a table or a view (54011)
	MaxTableColumns = 1600
)

// systemSchemas exist without descriptors and take no objects.
var systemSchemas = []string{catalogSchema, "information_schema", "pg_toast", "saltsql"}

// IsSystemSchema says whether the schema belongs to the system.
func IsSystemSchema(name string) bool { return contains(systemSchemas, name) }

// SystemColumns are Postgres's own columns of every table.
var SystemColumns = []string{"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}

// CheckIdentifier refuses what cannot be a name: 42602 for an empty one or one
// with a zero byte, 42622 for one over MaxIdentifier bytes (the SQL front
// truncates those that users write).
func CheckIdentifier(what, name string, pos int) error {
	switch {
	case name == "":
		return sqlerr.New(sqlerr.InvalidName, "%s name is empty", what).At(pos)
	case strings.IndexByte(name, 0) >= 0:
		return sqlerr.New(sqlerr.InvalidName, "%s name holds a zero byte", what).At(pos)
	case len(name) > MaxIdentifier:
		return sqlerr.New(sqlerr.NameTooLong, "identifier too long: %s name of %d bytes, the limit is %d", what, len(name), MaxIdentifier).At(pos)
	}
	return nil
}

func CheckNotSystem(schema string, n Name) error {
	if !IsSystemSchema(schema) {
		return nil
	}
	return sqlerr.New(sqlerr.InsufficientPrivilege, `permission denied to create "%s"`, n.Written()).
		WithDetail("System catalog modifications are currently disallowed.").At(n.Pos)
}

// PhysicalName makes the storage table's name: what is readable of the SQL
// name, the catalog's uid, and the ID. No two tables, of this catalog or of
// another one in the same store, have the same.
//
//	public.metrics, ID 16385  ->  metrics.k3x9qa.16385
//	app.Käse, ID 16386        ->  app.K_se.k3x9qa.16386
//
// One whose rows take part in transactions has a mark at its end: see storage/transact.
func PhysicalName(uid, schema, name string, id uint32, transactional bool) string {
	tail := fmt.Sprintf(".%s.%d", uid, id)
	if transactional {
		tail += transact.Mark
	}
	head := name
	if schema != PublicSchema {
		head = schema + "." + name
	}
	clean := make([]byte, 0, storage.MaxTableNameBytes)
	for _, r := range head {
		if len(clean)+len(tail) == storage.MaxTableNameBytes {
			break
		}
		switch {
		case len(clean) == 0 && (r == '-' || r == '.'): // Bigtable wants a word character first
			clean = append(clean, '_')
		case r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			clean = append(clean, byte(r))
		default:
			clean = append(clean, '_')
		}
	}
	return string(clean) + tail
}

// OwnsPhysical says whether a storage table's name was made by physicalName
// for the catalog of this uid, and for which ID.
func OwnsPhysical(uid, physical string) (id uint32, ok bool) {
	physical = strings.TrimSuffix(physical, transact.Mark)
	i := strings.LastIndexByte(physical, '.')
	if i < 0 || !strings.HasSuffix(physical[:i], "."+uid) {
		return 0, false
	}
	n, err := strconv.ParseUint(physical[i+1:], 10, 32)
	return uint32(n), err == nil
}

func validFamily(name string) bool {
	return storage.CheckTableSpec("create table", &storage.TableSpec{
		Name: "t", Families: []storage.FamilySpec{{Name: name}},
	}) == nil
}
