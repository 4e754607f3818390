package transact

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Mark ends the names of the tables whose rows take part in transactions.
const Mark = "--tx"

// RecordTable is the store's table of transactions under way, and of the oracle.
const RecordTable = "saltsql_tx"

// Is says that rows of the table of this name take part in transactions.
func Is(table string) bool { return strings.HasSuffix(table, Mark) }

const (
	lockFamily   = "_saltsql.lock"
	statusFamily = "s" // of records
	recordFamily = "c"
	step         = 1000 // µs: cell timestamps are whole milliseconds
)

var (
	lockCol    = storage.Col{Family: lockFamily, Qualifier: []byte("l")}
	changesCol = storage.Col{Family: lockFamily, Qualifier: []byte("w")}
	undoFamily = storage.Version.Family
	imageCol   = storage.Col{Family: undoFamily, Qualifier: []byte("u")}
	statusCol  = storage.Col{Family: statusFamily, Qualifier: []byte("s")}
	pushedCol  = storage.Col{Family: recordFamily, Qualifier: []byte("m")}
	keysCol    = storage.Col{Family: recordFamily, Qualifier: []byte("k")}
	timeCol    = storage.Col{Family: recordFamily, Qualifier: []byte("ts")}
	timeKey    = []byte{0}
)

const (
	// Window is how old a snapshot may be that is read: older ones are CodeTooOld.
	Window = time.Hour
	// keepImages is for how long the store keeps images: a margin over Window for the clocks.
	keepImages = 2 * Window
	// Expiry is how long a lock stands that nobody decides, and for each row 2 ms more.
	Expiry = 10 * time.Second
)

// families are those that a transactional table has beside its data's.
func families() []storage.FamilySpec {
	return []storage.FamilySpec{{Name: lockFamily, MaxVersions: 1}, {Name: undoFamily, MaxVersions: math.MaxInt32, TTL: keepImages}}
}

// internal says that a family is not of the data.
func internal(family string) bool { return family == lockFamily || family == undoFamily }

// noColumn is a qualifier that no column has: names have no zero byte, and numbers are shorter.
var noColumn = []byte("\x00saltsql.none")

type familyName struct{ table, family string }

// untested gives the families that a change writes and that no lock has tested yet: a cell that is not
// there is deleted of each. A table that lacks one refuses the lock then, and not a change
// that is decided. Tables lose no family.
func (s *Store) untested(c *change) (list []string) {
	for i := range c.muts {
		if f := c.muts[i].Family; c.muts[i].Op != storage.DeleteRow && !slices.Contains(list, f) {
			if _, tested := s.families.Load(familyName{c.t.name, f}); !tested {
				list = append(list, f)
			}
		}
	}
	return list
}
