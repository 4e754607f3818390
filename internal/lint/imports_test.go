package lint

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/saltsql/saltsql"

// leaves, with the folders below them, may be imported by any package: they
// import nothing above themselves.
var leaves = []string{"internal/guard", "internal/longlock", "internal/ident", "internal/poison", "internal/race", "internal/sqlerr", "internal/memory",
	"internal/expr/regex", // reading a jsonpath compiles its patterns
	"internal/types", "internal/vec"}

// mayImport lists, for each folder, the folders of this module that its code
// may import besides leaves. A folder not listed may import only leaves. A line
// "x/..." also stands for the folders below x. Add a line only with a reason.
var mayImport = map[string][]string{
	"cmd/saltsql/...": {".", "wire", "console", "storage", "storage/pebble", "storage/pebble/backup", "storage/bigtable", "storage/bigtable/backup", "storage/mem", "internal/...", "catalog", "catalog/live", "catalog/versions"},
	// The embedding API hides what the protocol needs of a session.
	"wire":                     {".", "internal/session", "internal/copyfmt", "internal/verifier"},
	"console":                  {".", "internal/verifier"},
	".":                        {"internal/goapi", "internal/session", "internal/ddl", "internal/dialect", "storage"}, // ddl and dialect read types' names
	"internal/session":         {"planner/advise", "planner", "planner/explain", "planner/plan", "exec", "exec/op", "exec/spill", "exec/write", "planner/keyspan", "catalog", "catalog/ctid", "catalog/part", "catalog/acl", "catalog/live", "catalog/versions", "catalog/pgcatalog", "catalog/infoschema", "catalog/rowcodec", "catalog/serverlocks", "storage", "storage/spliced", "storage/transact", "storage/txn", "internal/..."},
	"planner":                  {"planner/...", "catalog", "catalog/part", "catalog/rowcodec", "internal/dialect", "internal/dialect/tree", "internal/expr/...", "internal/histogram", "internal/colstats"},
	"planner/advise":           {"planner", "planner/keyspan", "catalog/rowcodec", "planner/estimate", "planner/keycond", "planner/keyorder", "planner/walk", "planner/plan", "catalog", "internal/dialect/tree", "internal/expr", "internal/histogram", "internal/colstats"},
	"planner/logical":          {"planner/plan", "catalog", "catalog/rowcodec", "internal/expr/..."},
	"planner/bind":             {"planner/bind/query", "planner/bind/scope", "planner/bind/viewtarget", "planner/keycond", "planner/fail", "planner/logical", "planner/plan", "catalog", "catalog/acl", "catalog/rowcodec", "internal/dialect", "internal/dialect/tree", "internal/expr/..."},
	"planner/bind/query":       {"planner/bind/traversal", "planner/bind/grouping", "planner/bind/rowlock", "planner/bind/scope", "planner/fail", "planner/logical", "planner/plan", "catalog", "catalog/ctid", "catalog/part", "catalog/acl", "internal/dialect", "internal/dialect/tree", "internal/expr/..."},
	"planner/bind/scope":       {"planner/logical", "planner/plan", "catalog", "internal/dialect/tree", "internal/expr"},
	"planner/bind/grouping":    {"planner/bind/scope", "planner/fail", "planner/logical", "planner/plan", "internal/expr", "internal/expr/builtin"},
	"planner/bind/traversal":   {"planner/bind/scope", "planner/fail", "planner/logical", "internal/dialect/tree", "internal/expr", "internal/expr/builtin"},
	"planner/bind/rowlock":     {"planner/bind/scope", "planner/logical", "planner/plan", "catalog/acl", "internal/dialect/tree", "internal/expr"},
	"planner/bind/viewtarget":  {"planner/bind/query", "planner/bind/scope", "planner/fail", "planner/logical", "catalog", "catalog/acl", "internal/dialect/tree", "internal/expr"},
	"planner/bind/viewtext":    {"planner/bind/query", "planner/bind/scope", "planner/fail", "planner/logical", "planner/plan", "catalog", "internal/dialect/tree", "internal/expr/..."},
	"planner/norm":             {"planner/fail", "planner/logical", "planner/plan", "catalog", "catalog/rowcodec", "internal/expr/..."},
	"planner/physical":         {"planner/logical", "planner/norm", "planner/plan", "catalog", "catalog/rowcodec", "internal/expr/...", "internal/histogram"},
	"planner/lower":            {"planner/fail", "planner/logical", "planner/physical", "planner/plan", "catalog", "catalog/rowcodec", "internal/expr/..."},
	"planner/plan":             {"catalog", "catalog/acl", "catalog/rowcodec", "internal/expr/..."},
	"planner/explain":          {"planner/keyspan", "planner/plan", "catalog", "internal/expr"},
	"exec":                     {"exec/op", "exec/scan", "exec/relational", "exec/join", "exec/window", "exec/spill", "exec/write", "planner/plan"},
	"exec/op":                  {"planner/plan", "catalog", "catalog/rowcodec", "catalog/rowcodec/keyform", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"exec/entry":               {"catalog", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."}, // below scan and write
	"exec/scan":                {"exec/entry", "exec/op", "exec/spill", "planner/keyspan", "planner/walk", "planner/plan", "catalog", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"exec/relational":          {"exec/op", "exec/spill", "planner/plan", "catalog", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"exec/join":                {"exec/op", "exec/scan", "exec/spill", "planner/keyspan", "planner/plan", "catalog", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"exec/window":              {"exec/op", "exec/spill", "planner/plan", "catalog", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"exec/spill":               {"exec/op", "planner/plan", "catalog", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"planner/walk":             {"planner/plan", "internal/expr"},
	"planner/keyorder":         {"planner/keycond", "planner/walk", "planner/plan", "catalog", "internal/expr"},
	"planner/estimate":         {"planner/keycond", "planner/keyorder", "planner/walk", "planner/logical", "planner/plan", "catalog", "internal/expr", "internal/expr/eval", "internal/histogram", "internal/colstats"},
	"planner/keycond":          {"planner/walk", "planner/plan", "catalog", "catalog/rowcodec", "internal/expr/..."},
	"exec/write":               {"exec/entry", "exec/op", "exec/scan", "exec/spill", "planner/plan", "catalog", "catalog/versions", "catalog/rowcodec", "storage", "storage/txn", "internal/expr/...", "internal/..."},
	"planner/keyspan":          {"planner/plan", "catalog", "catalog/part", "catalog/rowcodec", "storage", "internal/expr/...", "internal/histogram"},                                       // below planner and exec
	"catalog":                  {"catalog/acl", "catalog/rowcodec", "catalog/rowcodec/keyform", "storage", "storage/spliced", "storage/transact", "internal/expr", "internal/expr/builtin"}, // it keeps bound expressions
	"catalog/stored":           {"catalog", "catalog/acl", "catalog/rowcodec", "catalog/rowcodec/keyform", "internal/expr"},
	"catalog/versions":         {"catalog", "storage", "catalog/stored"},
	"catalog/serverlocks":      {"catalog", "catalog/versions", "storage"}, // it knows neither sessions nor keys
	"catalog/jobs":             {"catalog", "catalog/versions", "storage", "storage/changelog"},
	"catalog/change":           {"catalog", "catalog/acl", "catalog/versions"},
	"catalog/authz":            {"catalog", "catalog/acl", "catalog/change"},
	"catalog/usertype":         {"catalog", "catalog/change", "catalog/versions"},
	"catalog/live":             {"catalog", "catalog/acl", "catalog/authz", "catalog/change", "catalog/jobs", "catalog/rowcodec", "catalog/versions", "storage", "storage/transact", "storage/changelog", "catalog/usertype"}, // DDL: nothing that plans or runs knows it
	"catalog/acl":              {},
	"catalog/ctid":             {"catalog", "catalog/part", "catalog/rowcodec", "storage", "internal/expr"},                                                                                                                              // conditions, as parts are
	"catalog/part":             {"catalog", "catalog/rowcodec", "storage", "internal/expr"},                                                                                                                                              // below the planner, whose condition it is
	"catalog/pgcatalog":        {"catalog", "catalog/ctid", "catalog/part", "catalog/acl", "catalog/rowcodec", "internal/colstats", "internal/heat", "internal/heatmap", "internal/saltmodel", "internal/expr", "internal/expr/builtin"}, // what there is, and what is built in
	"catalog/infoschema":       {"catalog", "catalog/acl", "catalog/pgcatalog"},
	"catalog/rowcodec":         {"catalog/rowcodec/bound", "catalog/rowcodec/decimal", "catalog/rowcodec/keyform", "catalog/rowcodec/keyhash", "storage"},
	"catalog/rowcodec/bound":   {},
	"catalog/rowcodec/decimal": {"catalog/rowcodec/bound"},
	"catalog/rowcodec/keyform": {"catalog/rowcodec/bound", "catalog/rowcodec/keyhash"},
	"catalog/rowcodec/keyhash": {},
	"storage":                  {},
	"storage/mem":              {"storage", "storage/rowstate"},
	"storage/overlay":          {"storage"},
	"storage/spliced":          {"storage"},
	"storage/transact":         {"storage", "storage/rowstate", "internal/guard"},
	"storage/pebble":           {"storage", "storage/pebble/rowpack", "storage/pebble/sortedrun"},
	"storage/pebble/rowpack":   {"storage"},
	"storage/pebble/sortedrun": {},
	"storage/bigtable":         {"storage"},
	"storage/fault":            {"storage"},
	"storage/rowstate":         {"storage"},
	"storage/txn":              {"storage", "storage/changelog", "storage/rowstate"},
	"storage/changelog":        {"storage"},
	"internal/dialect/...":     {"internal/dialect/..."},
	// The tree knows nothing of what makes it; who reads queries knows nothing of the rest.
	"internal/dialect/tree":      {},
	"internal/dialect/cursor":    {"internal/dialect/lex", "internal/dialect/tree"},
	"internal/dialect/plpgsql":   {"internal/dialect/lex"},
	"internal/dialect/translate": {"internal/dialect/cursor", "internal/dialect/lex", "internal/dialect/marker", "internal/dialect/tree", "internal/dialect/typename"},
	"internal/expr/...":          {"internal/expr/..."},
	// The tree does not know who computes it, nor computing what there is to call.
	"internal/expr":          {},
	"internal/expr/eval":     {"internal/expr"},
	"internal/expr/timefunc": {"internal/expr"},
	"internal/expr/jsonfunc": {"internal/expr", "internal/expr/eval", "internal/expr/jsonpath"},
	"internal/expr/builtin":  {"internal/expr/timefunc", "internal/expr/jsonfunc", "internal/expr", "internal/expr/eval", "internal/expr/jsonpath", "internal/expr/regex", "internal/expr/tochar", "internal/expr/javatime", "internal/expr/javanum"},
	"internal/copyfmt":       {},
	"internal/histogram":     {"catalog/rowcodec", "storage"},
	"internal/colstats":      {},
	// Measuring reads the store, and asks exec which spans a condition has, as a scan does.
	"internal/activity":        {"catalog/acl", "catalog/pgcatalog", "planner/plan", "storage/txn"},
	"internal/feed":            {},
	"internal/heat":            {}, // it knows no tables
	"internal/heatmap":         {}, // it draws what it is given
	"internal/saltmodel":       {}, // it knows neither tables nor stores: keys are bytes
	"internal/stats":           {"planner/plan", "exec", "exec/op", "planner/keyspan", "catalog", "catalog/rowcodec", "storage", "internal/expr", "internal/expr/eval", "internal/histogram", "internal/colstats"},
	"internal/settings":        {"planner"}, // which knows what hints there are
	"internal/settings/parsed": {"internal/settings", "internal/plancache", "planner", "exec/op"},
	"internal/govalue":         {},
	"internal/goapi":           {"internal/session", "internal/copyfmt", "internal/govalue", "exec/op"}, // the error of a statement that was canceled
	// DDL binds defaults and checks, and has checks of rows that are there run by its caller.
	"internal/ddl":          {"planner", "planner/plan", "catalog", "catalog/authz", "catalog/live", "catalog/pgcatalog", "catalog/versions", "catalog/acl", "catalog/rowcodec", "catalog/rowcodec/keyform", "internal/dialect", "internal/dialect/tree", "internal/settings", "internal/verifier", "catalog/usertype"}, // Phoenix's catalog has texts
	"internal/verifier":     {},
	"internal/identity":     {"planner/plan", "catalog", "catalog/acl", "internal/dialect/tree"},
	"internal/idle":         {}, // it knows neither plans nor operators
	"internal/rowid":        {},
	"internal/advisory":     {}, // it knows neither sessions nor keys
	"internal/maintenance":  {"catalog", "catalog/live", "exec/op", "exec/write", "storage", "storage/txn", "internal/dialect/tree", "internal/expr", "internal/identity", "internal/stats"},
	"internal/hypothetical": {"catalog"},
	"internal/indexadvice":  {"planner", "planner/advise", "planner/plan", "internal/dialect/tree"},                                                                                          // advice is found by planning
	"internal/saltadvice":   {"planner", "planner/advise", "planner/estimate", "planner/plan", "catalog", "catalog/rowcodec", "internal/heat", "internal/indexadvice", "internal/saltmodel"}, // it plans, and reads no store
	"internal/notify":       {},
	"internal/notify/relay": {"internal/notify"}, // it knows neither doors nor stores
	// Temporary tables are in a store of memory that is laid over the database's.
	"internal/sequence":  {"catalog", "catalog/acl", "catalog/live", "catalog/versions", "internal/identity"},
	"internal/temporary": {"catalog", "catalog/live", "storage", "storage/mem", "storage/overlay", "storage/txn"},
	"internal/scroll":    {"exec/spill", "internal/dialect/tree"},
	"internal/plancache": {"planner", "internal/dialect", "internal/dialect/tree"}, // it parses, and knows what hints say
	"internal/types":     {},
	"internal/vec":       {},
	"internal/sqlerr":    {},

	// What an embedded store tells of itself is not in the contract.
	"internal/metrics":          {"internal/session", "internal/statements", "storage", "storage/bigtable", "storage/pebble"},
	"internal/push":             {"storage"},
	"internal/statements":       {},
	"internal/statements/peers": {"catalog/pgcatalog", "catalog/versions", "internal/statements"},
	"internal/tracing":          {"internal/statements", "planner/plan", "planner/explain"},
	"storage/pebble/backup":     {"storage/pebble"},              // which says what files a store is of
	"storage/bigtable/backup":   {"storage", "storage/bigtable"}, // whose admin service makes them
}

// knowsNoSQL says that a package may not import even the leaves, but for poison and guard, which
// are about memory and goroutines: the contract and all that is below it, adapters to come among them.
func knowsNoSQL(dir string) bool { return within(dir, "storage") }

// grammar is the module whose grammar the SQL front uses. Neither its AST nor what
// carries our constructs through it leaves internal/dialect: of that, the others see
// the package itself and the trees it makes, and the session the bodies of DO.
const grammar = "github.com/pingcap/tidb"

// bigtableClient is the client package of Cloud Bigtable. It links xDS and the metrics of Cloud
// Monitoring, for which a cold build of the server takes a minute of processor time more; and
// it repeats writes unseen. What is below it is generated code, and the emulator.
const bigtableClient = "cloud.google.com/go/bigtable"

func within(dir, parent string) bool { return dir == parent || strings.HasPrefix(dir, parent+"/") }

// TestImports reads every file's imports: the answer of `go list` would be
// cached by go test, which does not see a new import in another package.
func TestImports(t *testing.T) {
	root := "../.."
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			name := d.Name()
			if rel != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			if rel != "." && hasGoMod(path) {
				return filepath.SkipDir // a nested module answers for itself
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(rel))
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		for _, imp := range f.Imports {
			p, _ := strconv.Unquote(imp.Path.Value)
			if strings.HasPrefix(p, grammar) && !within(dir, "internal/dialect") {
				t.Errorf("%s: only internal/dialect may import %s", rel, p)
			}
			if p == bigtableClient {
				t.Errorf("%s: storage/bigtable speaks the service itself: nothing may import %s", rel, p)
			}
			if p != module && !strings.HasPrefix(p, module+"/") {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(p, module), "/")
			if to == "" {
				to = "."
			}
			if !allowed(dir, to) {
				t.Errorf("%s: %s must not import %s", rel, dir, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Fatalf("read %d files only: the walk is broken", seen)
	}
}

func hasGoMod(dir string) bool {
	m, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return len(m) > 0
}

func allowed(from, to string) bool {
	if from == to || isTestSupport(from) {
		return true
	}
	// Nobody imports the conformance suite or a command.
	if strings.HasPrefix(to, "conformance") || strings.HasPrefix(to, "cmd/") {
		return strings.HasPrefix(from, "conformance") || strings.HasPrefix(from, "cmd/") && strings.HasPrefix(to, "cmd/")
	}
	if to == "internal/dialect/plpgsql" { // whoever runs a body
		return from == "internal/session"
	}
	if within(to, "internal/dialect") && to != "internal/dialect" && to != "internal/dialect/tree" && !within(from, "internal/dialect") {
		return false
	}
	if strings.HasPrefix(from, "conformance") {
		return true
	}
	if leafOf(to) != "" && (to == "internal/poison" || to == "internal/guard" || !knowsNoSQL(from)) {
		return leafOrder(from, to)
	}
	return has(lookup(from), to)
}

// leafOf gives the leaf that p is or lies below; "" if it is none.
func leafOf(p string) string {
	for _, l := range leaves {
		if p == l || strings.HasPrefix(p, l+"/") {
			return l
		}
	}
	return ""
}

// leafOrder keeps the leaves themselves acyclic: poison < sqlerr < regex < types < vec.
func leafOrder(from, to string) bool {
	rank := func(p string) int {
		for i, l := range leaves {
			if l == leafOf(p) {
				return i
			}
		}
		return len(leaves)
	}
	return rank(to) < rank(from) || leafOf(from) == leafOf(to)
}

// isTestSupport names packages that only tests import.
func isTestSupport(dir string) bool {
	return strings.HasPrefix(dir, "storage/storagetest") || dir == "internal/pgtest" || within(dir, "internal/childproc") || dir == "internal/expr/exprtest" || dir == "planner/plannertest" || dir == "planner/plan/plantest" || dir == "internal/session/sessiontest" || dir == "exec/exectest" || dir == "conformance/harness" || dir == "internal/seeds" || dir == "internal/lint"
}

func lookup(dir string) []string {
	if l, ok := mayImport[dir]; ok {
		return l
	}
	for d := dir; ; {
		if l, ok := mayImport[d+"/..."]; ok {
			return l
		}
		i := strings.LastIndexByte(d, '/')
		if i < 0 {
			return nil
		}
		d = d[:i]
	}
}

func has(list []string, p string) bool {
	for _, l := range list {
		if l == p || strings.HasSuffix(l, "/...") && (p == l[:len(l)-4] || strings.HasPrefix(p, l[:len(l)-3])) {
			return true
		}
	}
	return false
}

// TestAllowed pins arrows that must never be.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"exec", "planner", false},
		{"exec/op", "exec/scan", false},
		{"exec/scan", "exec", false},
		{"exec/relational", "exec/scan", false},
		{"exec/spill", "exec/relational", false},
		{"exec/scan", "planner/keyspan", true},
		{"planner/keyspan", "exec/op", false},
		{"exec", "planner/plan", true},
		{"planner", "exec", false},
		{"planner", "storage", false},
		{"planner", "storage/pebble", false},
		{"storage", "internal/types", false},
		{"storage/pebble", "storage", true},
		{"wire", "planner", false},
		{"wire", ".", true},
		{"console", ".", true},
		{"console", "internal/session", false},
		{".", "planner", false},
		{"internal/session", ".", false},
		{".", "storage/pebble", false},
		{"catalog", "internal/dialect", false},
		{"catalog/jobs", "catalog/live", false},
		{"catalog", "catalog/stored", false},
		{"catalog/change", "catalog/live", false},
		{"catalog/change", "storage", false},
		{"planner", "internal/dialect/tree", true},
		{"planner", "internal/dialect/marker", false},
		{"planner", "internal/dialect/plpgsql", false},
		{".", "internal/dialect/literal", false},
		{"internal/dialect/tree", "internal/dialect/lex", false},
		{"internal/dialect/marker", "internal/dialect/tree", true},
		{"internal/types", "internal/vec", false},
		{"internal/vec", "internal/types", true},
		{"cmd/saltsql", "storage/bigtable", true},
		{"planner", "conformance", false},
		{"internal/expr", "internal/expr/eval", false},
		{"internal/expr", "internal/expr/builtin", false},
		{"internal/expr/eval", "internal/expr/builtin", false},
		{"internal/expr/builtin", "internal/expr/eval", true},
	} {
		if got := allowed(c.from, c.to); got != c.ok {
			t.Errorf("%s -> %s: allowed = %v, want %v", c.from, c.to, got, c.ok)
		}
	}
}
