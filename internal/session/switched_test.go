package session

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// viewed calls before once, when a view of the store is asked for.
type viewed struct {
	storage.Store
	before func()
}

func (v *viewed) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	if f := v.before; f != nil {
		v.before = nil
		f()
	}
	return v.Store.Snapshot(ctx)
}

func execEach(t *testing.T, s *Session, texts ...string) {
	t.Helper()
	for _, sql := range texts {
		if _, err := s.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// TestOneViewOfTwoTables changes the salt of a table, and writes two tables in one
// transaction, after a statement over both has begun and before it has its view of the store.
// It sees that transaction whole, or not at all.
func TestOneViewOfTwoTables(t *testing.T) {
	ctx := context.Background()
	store := &viewed{Store: mem.New()}
	defer store.Close()
	db, err := Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var two [2]*Session
	for i := range two {
		if two[i], err = db.NewSession(SessionOptions{}); err != nil {
			t.Fatal(err)
		}
		defer two[i].Close()
	}
	reader, writer := two[0], two[1]
	execEach(t, writer, "CREATE TABLE a (k INT PRIMARY KEY)", "CREATE TABLE b (k INT PRIMARY KEY)",
		"INSERT INTO a VALUES (1), (2)", "INSERT INTO b VALUES (1), (2)")
	met := false
	store.before = func() {
		met = true
		execEach(t, writer, "ALTER TABLE a SET SALT_BUCKETS = 4",
			"BEGIN", "INSERT INTO a VALUES (3)", "INSERT INTO b VALUES (3)", "COMMIT")
	}
	rows, err := reader.Query(ctx, "SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() || !met {
		t.Fatalf("no row, or no view: %v", rows.Err())
	}
	if a, b := rows.Text(0), rows.Text(1); a != b {
		t.Errorf("%s rows of one table, %s of the other", a, b)
	}
}

// TestColumnsChangeUnderAStatement changes a table before a statement is bound, and before it
// runs. One that may Reshape gives the rows of the new columns and says so; another is refused.
func TestColumnsChangeUnderAStatement(t *testing.T) {
	ctx := context.Background()
	for _, reshapes := range []bool{false, true} {
		for _, bound := range []bool{false, true} {
			for _, args := range [][]any{nil, {1}} {
				s := allocSession(t)
				other, err := s.db.NewSession(SessionOptions{})
				if err != nil {
					t.Fatal(err)
				}
				text := "SELECT bal FROM acc WHERE bal::int = 1 AND id = 1"
				if args != nil {
					text = "SELECT bal FROM acc WHERE bal = $1 AND id = 1"
				}
				st, err := s.Prepare(ctx, text, nil)
				if err != nil {
					t.Fatal(err)
				}
				if reshapes {
					st.Reshape()
				}
				alter := func(now bool) {
					if now {
						execEach(t, other, "ALTER TABLE acc ALTER COLUMN bal TYPE text")
					}
				}
				alter(!bound)
				p, err := s.bind(ctx, "", st, nil, args)
				alter(bound)
				var kind types.Kind
				rows := 0
				if err == nil {
					b, nerr := p.Next(ctx)
					if err = nerr; err == nil {
						rows, kind = b.Rows(), p.Columns()[0].Type.Kind
					}
				}
				if (err == nil) != reshapes || err == nil && (rows != 1 || kind != types.Text) {
					t.Errorf("reshapes %t, bound %t, %d arguments: %d rows of kind %v, %v", reshapes, bound, len(args), rows, kind, err)
				}
				other.Close()
			}
		}
	}
}
