package acl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// members are roles and the roles that they inherit from.
type members map[uint32][]uint32

func (m members) HasPrivsOf(member, role uint32) bool {
	return member == role || slices.ContainsFunc(m[member], func(r uint32) bool { return m.HasPrivsOf(r, role) })
}

// reach lists the roles whose rights a role has, itself first.
func (m members) reach(role uint32) []uint32 {
	list := []uint32{role}
	for i := 0; i < len(list); i++ {
		list = append(list, m[list[i]]...)
	}
	return list
}

// TestPostgres grants and revokes at random beside PostgreSQL, in which the same roles do it:
// the SQLSTATE of each statement is the same, and so is the list that it leaves.
func TestPostgres(t *testing.T) {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	run := func(sql string) (out string, state string) {
		res, err := conn.Exec(ctx, sql).ReadAll()
		if e, ok := err.(*pgconn.PgError); ok {
			return "", e.Code
		} else if err != nil {
			t.Fatal(sql, err)
		}
		for _, row := range res[len(res)-1].Rows {
			out += string(row[0]) + " "
		}
		return out, "00000"
	}
	const owner, roles = 1, 5
	roleNames := func(id uint32) (string, bool) { return fmt.Sprintf("r%d", id), true }
	m := members{4: {2}, 5: {3, 4}}
	for i := 1; i <= roles; i++ {
		run(fmt.Sprintf("CREATE ROLE r%d", i))
	}
	run("GRANT r2 TO r4; GRANT r3, r4 TO r5; GRANT CREATE ON SCHEMA public TO r1; CREATE TABLE t (); ALTER TABLE t OWNER TO r1")

	list, failed := (*List)(nil), map[string]int{}
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []Right{Select, Insert, Update}
	for n := range 1500 {
		by, to := uint32(1+r.IntN(roles)), uint32(r.IntN(roles+1))
		rights, words := None, []string(nil)
		for _, k := range kinds {
			if r.IntN(2) == 0 {
				rights |= k
				words = append(words, strings.ToUpper(k.words()))
			}
		}
		if rights == None {
			continue
		}
		option, cascade, revoke := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(5) < 2
		grantee := "PUBLIC"
		if to != Public {
			grantee, _ = roleNames(to)
		}
		var sql string
		if revoke {
			sql = "REVOKE "
			if option {
				sql += "GRANT OPTION FOR "
			}
			sql += strings.Join(words, ", ") + " ON t FROM " + grantee
			if cascade {
				sql += " CASCADE"
			}
		} else {
			sql = "GRANT " + strings.Join(words, ", ") + " ON t TO " + grantee
			if option {
				sql += " WITH GRANT OPTION"
			}
		}
		got := "00000"
		now := list.Or(Table, owner)
		grantor, options := now.Grantor(m, m.reach(by), by, owner, rights)
		it := Item{Grantee: to, Grantor: grantor, Rights: rights & options}
		have, may := now.Held(m, grantor, owner)
		switch {
		case options == None && (have|may)&Table.All() == None:
			got = sqlerr.InsufficientPrivilege.String()
		case !revoke && option && to == Public:
			got = sqlerr.InvalidGrantOperation.String()
		default:
			if revoke || option {
				it.Options = rights & options
			}
			if revoke && option {
				it.Rights = None
			}
			var next *List
			if revoke {
				next, err = now.Revoke(m, it, owner, cascade)
			} else {
				next, err = now.Grant(m, it, owner)
			}
			if err != nil {
				got = sqlerr.CodeOf(err).String()
			} else {
				list = next
			}
		}
		run(fmt.Sprintf("SET ROLE r%d", by))
		_, want := run(sql)
		run("RESET ROLE")
		if got != want {
			t.Fatalf("%d: r%d: %s: %s, in PostgreSQL %s; the list is %s", n, by, sql, got, want, text(list, roleNames))
		}
		failed[want]++
		items, state := run("SELECT a FROM (SELECT a::text COLLATE \"C\" AS a FROM pg_class c, unnest(relacl) a WHERE relname = 't') x ORDER BY a")
		if state != "00000" {
			t.Fatal(state)
		}
		if list != nil && text(list, roleNames) != items {
			t.Fatalf("%d: r%d: %s:\n got %s\nwant %s", n, by, sql, text(list, roleNames), items)
		}
	}
	for _, state := range []string{"00000", "0LP01", "2BP01", "42501"} {
		if failed[state] < 5 {
			t.Errorf("%s came %d times: the random statements are too tame", state, failed[state])
		}
	}
}

func (r Right) words() string { return words[slices.Index(Right(1<<len(words)-1).Each(), r)] }

func text(l *List, name func(uint32) (string, bool)) string {
	var all []string
	if l != nil {
		for _, it := range l.Items {
			all = append(all, it.Text(name))
		}
	}
	slices.Sort(all)
	return strings.Join(append(all, ""), " ")
}
