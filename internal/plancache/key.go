package plancache

import (
	"strings"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/planner"
)

// Key is everything that a plan depends on, but what is known of its tables' rows: of that each
// plan knows the version that it was made with. Planning may see no more of a session than
// stands here: what a session lets the planner know is made of its key.
type Key struct {
	Text        string
	declared    [declaredTypes]types.T // by the client
	more        string                 // of these, what does not fit
	Catalog     uint64
	Temp        uint64 // of the session's temporary tables; 0 where it has none
	Path        string // schemas, quoted, with $user resolved; the catalog says which exist
	User        string // the role, as current_user tells it; names are looked up with its rights
	SessionUser string
	Database    string
	Zone        string       // literals of time zone types are read at planning
	Literals    *types.IOEnv // by which literals are read that a statement has had since other settings; nil: these
	Digits      int          // extra_float_digits
	Escape      bool         // bytea_output
	Style       datetime.Style
	Hints       planner.Hints
	RulesOff    bool
}

// declaredTypes is how many declared types a Key holds without a text.
const declaredTypes = 6

// Declare notes the parameters' types that the client declared.
func (k *Key) Declare(hints []types.T) {
	if rest := hints[copy(k.declared[:], hints):]; len(rest) > 0 {
		var b strings.Builder
		for _, h := range rest {
			b.WriteString(h.String())
			b.WriteByte(',')
		}
		k.more = b.String()
	}
}
