package settings

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Unknown is 42704 for the name of no parameter, with a hint where one is near, or where
// PostgreSQL has a parameter for what is told in another way here.
func Unknown(name string) *sqlerr.Error {
	e := sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
	key := strings.ToLower(name)
	names := make([]string, 0, len(All()))
	for _, p := range All() {
		names = append(names, p.Name)
	}
	if near := sqlerr.Nearest(key, names); near != "" {
		e.WithHint("Perhaps you meant the parameter %q.", near)
	} else if hint := instead(key); hint != "" {
		e.WithHint("%s", hint)
	}
	return e
}

// instead says what does here what a parameter of PostgreSQL does there; "" if nothing does.
func instead(key string) string {
	switch {
	case strings.HasPrefix(key, "enable_") || strings.HasSuffix(key, "_cost"):
		return "Plans are chosen by what reading the store costs; saltsql.hints, or hints in a comment, and saltsql.join_order choose others."
	case strings.Contains(key, "parallel"):
		return "Buckets are read in parallel by as many workers as there are processors; the hint SERIAL has one statement do without."
	case strings.HasSuffix(key, "_mem") || strings.HasSuffix(key, "_buffers"):
		return "What a statement may hold is work_mem; what all may is the server's --memory."
	}
	return ""
}
