package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestPartsOfDocuments assigns to random parts of random documents and arrays, and inserts such, one
// row at a time: PostgreSQL makes the same of them, or says the same error.
func TestPartsOfDocuments(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	dsn, why := pgtest.TryStart(t)
	if why != "" {
		t.Skip(why)
	}
	ctx := context.Background()
	pg, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(ctx)
	db := harness.Open(t, "mem")
	const table = "CREATE TABLE part (k INT PRIMARY KEY, j JSONB, a INT[])"
	if _, err := pg.Exec(ctx, table); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(ctx, table+" SALT_BUCKETS = 4"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(*harness.Seed, 1))
	errs := 0
	for i, more := 0, seeds.Until(0, 10*time.Second); more(i); i++ {
		text := fmt.Sprintf("INSERT INTO part VALUES (%d, %s, %s) ON CONFLICT (k) DO UPDATE SET %s RETURNING j::text, a::text",
			i/4, document(r, 0), list(r), parts(r))
		switch {
		case i%8 == 0:
			text = insertParts(r, i/4)
		case i%4 > 0:
			text = fmt.Sprintf("UPDATE part SET %s WHERE k = %d RETURNING j::text, a::text", parts(r), i/4)
		}
		want, got := partOfPostgres(ctx, pg, text), partOf(ctx, db, text)
		if strings.Contains(got, "0A000 arrays with a lower bound other than 1") {
			if _, err := pg.Exec(ctx, fmt.Sprintf("DELETE FROM part WHERE k = %d", i/4)); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(ctx, fmt.Sprintf("DELETE FROM part WHERE k = %d", i/4)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want != got {
			t.Fatalf("seed %d, statement %d: %s\nPostgreSQL: %s\nhere: %s", *harness.Seed, i, text, want, got)
		}
		if strings.HasPrefix(got, "error") {
			errs++
		}
	}
	t.Logf("%d of them are errors of PostgreSQL's too", errs)
}

func partOfPostgres(ctx context.Context, pg *pgx.Conn, text string) string {
	var j, a *string
	switch err := pg.QueryRow(ctx, text, pgx.QueryExecModeSimpleProtocol).Scan(&j, &a); {
	case errors.Is(err, pgx.ErrNoRows):
		return "no row"
	case err != nil:
		var e *pgconn.PgError
		if !errors.As(err, &e) {
			return err.Error()
		}
		return "error " + e.Code + " " + e.Message + " " + e.Detail
	}
	return shown(j) + " " + shown(a)
}

func partOf(ctx context.Context, db *saltsql.DB, text string) string {
	rows, err := db.Query(ctx, text)
	if err == nil {
		defer rows.Close()
		var j, a *string
		if rows.Next() {
			err = rows.Scan(&j, &a)
		} else if err = rows.Err(); err == nil {
			return "no row"
		}
		if err == nil {
			return shown(j) + " " + shown(a)
		}
	}
	var e *saltsql.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return "error " + e.Code + " " + e.Message + " " + e.Detail
}

func shown(s *string) string {
	if s == nil {
		return "NULL"
	}
	return *s
}

// document is a literal of jsonb.
func document(r *rand.Rand, depth int) string {
	if depth == 0 {
		if r.IntN(6) == 0 {
			return "NULL"
		}
		return "'" + document(r, 1) + "'"
	}
	n := r.IntN(4)
	if depth > 3 {
		n = 0
	}
	var b strings.Builder
	switch r.IntN(3) {
	case 0:
		for i := range n {
			fmt.Fprintf(&b, ", %q: %s", string(rune('a'+i)), document(r, depth+1))
		}
		return "{" + strings.TrimPrefix(b.String(), ", ") + "}"
	case 1:
		for range n {
			b.WriteString(", " + document(r, depth+1))
		}
		return "[" + strings.TrimPrefix(b.String(), ", ") + "]"
	}
	return []string{"1", "null", "true", `"x"`, "-2.50"}[r.IntN(5)]
}

func list(r *rand.Rand) string {
	return []string{"NULL", "'{}'", "'{1}'", "'{1,NULL,3}'", "'{5,6,7,8}'"}[r.IntN(5)]
}

// insertParts inserts a row whose columns are made of parts, which do not name the row.
func insertParts(r *rand.Rand, key int) string {
	targets, values := "k", fmt.Sprint(key)
	for _, p := range someParts(r) {
		target, value, _ := strings.Cut(strings.ReplaceAll(p, "part.k", "2"), " = ")
		targets, values = targets+", "+target, values+", "+value
	}
	if r.IntN(2) == 0 {
		return fmt.Sprintf("INSERT INTO part (%s) SELECT %s RETURNING j::text, a::text", targets, values)
	}
	return fmt.Sprintf("INSERT INTO part (%s) VALUES (%s) RETURNING j::text, a::text", targets, values)
}

// parts is a SET list of parts.
func parts(r *rand.Rand) string { return strings.Join(someParts(r), ", ") }

func someParts(r *rand.Rand) []string {
	var all []string
	for range 1 + r.IntN(3) {
		if r.IntN(3) == 0 {
			bound := func() string { return []string{"1", "2", "3", "4", "7", "0", "-1", "NULL", "part.k"}[r.IntN(9)] }
			switch r.IntN(5) {
			case 0:
				all = append(all, fmt.Sprintf("a[%s:%s] = %s", bound(), bound(), list(r)))
			case 1:
				all = append(all, fmt.Sprintf("a[:%s] = %s", bound(), list(r)))
			case 2:
				all = append(all, fmt.Sprintf("a[%s:] = %s", bound(), list(r)))
			default:
				all = append(all, fmt.Sprintf("a[%s] = %s", bound(), []string{"9", "NULL", "part.k"}[r.IntN(3)]))
			}
			continue
		}
		target := "j"
		for range 1 + r.IntN(3) {
			target += "[" + []string{"'a'", "'b'", "'1'", "' 2'", "'+1'", "'1x'", "''", "0", "1", "3", "-1", "-2", "-5", "NULL", "'-1'", "(1 + 1)::text"}[r.IntN(16)] + "]"
		}
		all = append(all, target+" = "+document(r, 0))
	}
	return all
}
