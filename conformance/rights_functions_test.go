package conformance

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// functionRoles are those that TestRightsOfFunctions asks as.
var functionRoles = []string{"r_out", "r_none", "r_select", "r_update", "r_usage", "own"}

// functionObjects gives each function the objects that it may be asked about, by a query of their OID.
var functionObjects = []string{"'app.t'::regclass", "'app.v'::regclass", "'app.m'::regclass", "'app.s'::regclass", "'app.t_a'::regclass",
	"'app.e'::regtype", "'app.d'::regtype", "'app'::regnamespace", "'own'::regrole"}

// notCalled are functions that wait, end or change something else than a test's objects.
var notCalled = []string{"pg_advisory", "pg_try_advisory", "lo_", "pg_terminate", "pg_cancel", "binary_upgrade", "pg_stat_reset", "hash", "pg_replication", "pg_wal", "pg_extension_config_dump"}

// TestRightsOfFunctions calls every function of pg_proc that takes an OID, with objects of each kind, as
// roles of each kind, here and on PostgreSQL: who is refused must be the same, in the same words, and
// what PostgreSQL does not tell (NULL) is not told here.
func TestRightsOfFunctions(t *testing.T) {
	seeds.Sometimes(t)
	pg, ours := rightsServers(t, 4)
	makeRoles(t, pg, ours)
	for _, s := range tableObjects {
		onBoth(t, pg, ours, s[0], s[1], false)
	}
	oids := map[*rightsClient][]string{}
	for _, c := range []*rightsClient{pg, ours} {
		for _, o := range functionObjects {
			answer := c.answer("-", "SELECT "+o+"::oid")
			oid, _, ok := strings.Cut(answer, ";")
			if !ok {
				t.Fatal(answer)
			}
			oids[c] = append(oids[c], oid)
		}
	}
	other := map[string]string{"text": "'select'", "name": "'x'", "bool": "true", "int2": "1::int2", "int4": "1", "int8": "1", "regtype": "'int4'::regtype", "char": "'r'::\"char\""}
	functions := functionsOfOIDs(t, ours)
	calls := 0
	for _, f := range functions {
		name, args, _ := strings.Cut(f, " ")
		if slices.ContainsFunc(notCalled, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		for i := range functionObjects {
			text := func(c *rightsClient) (string, bool) {
				var list []string
				given := false
				for _, a := range strings.Fields(args) {
					switch v := other[a]; {
					case (a == "oid" || a == "regclass") && !given:
						given = true
						list = append(list, oids[c][i]+"::"+a)
					case a == "oid":
						list = append(list, oids[c][len(functionObjects)-1]+"::oid")
					case v != "":
						list = append(list, v)
					default:
						return "", false
					}
				}
				return "SELECT " + name + "(" + strings.Join(list, ", ") + ")", true
			}
			there, ok := text(pg)
			if !ok {
				break
			}
			here, _ := text(ours)
			for _, role := range functionRoles {
				want, got := pg.answer(role, there), ours.answer(role, here)
				calls++
				denied := strings.HasPrefix(want, "42501")
				switch {
				case strings.HasPrefix(want, "42883") || strings.HasPrefix(got, "0A000"): // PostgreSQL has it not, or we
				case denied != strings.HasPrefix(got, "42501"), denied && want != got,
					strings.HasPrefix(want, "NULL;") && !isError(got) && !strings.HasPrefix(got, "NULL;"):
					t.Errorf("%s| %s of %s\nPostgreSQL: %.200s\nsaltsql:    %.200s", role, here, functionObjects[i], want, got)
				}
			}
		}
	}
	if t.Logf("%d functions, %d calls", len(functions), calls); calls < 1000 {
		t.Error("hardly any calls")
	}
}

// functionsOfOIDs lists our functions that take an OID or a relation, with their arguments' types.
func functionsOfOIDs(t *testing.T, c *rightsClient) []string {
	r := c.conn.ExecParams(context.Background(), `SELECT DISTINCT proname || (SELECT string_agg(' ' || typname, '' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY a(o, n) JOIN pg_type y ON y.oid = o)
		FROM pg_proc p WHERE prokind = 'f' AND oid < 16384 AND (26 = ANY (proargtypes) OR 2205 = ANY (proargtypes)) ORDER BY 1`, nil, nil, nil, nil).Read()
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	set := map[string]bool{}
	for _, row := range r.Rows {
		set[string(row[0])] = true
	}
	return slices.Sorted(maps.Keys(set))
}
