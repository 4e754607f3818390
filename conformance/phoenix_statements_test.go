package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
)

// TestPhoenixStatements sends statements of Phoenix's manual, all kinds of them, with
// Phoenix's functions on the search path. Each runs, or is refused with advice.
func TestPhoenixStatements(t *testing.T) {
	text, err := os.ReadFile("testdata/phoenix/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	db := variant{"mem", 0, false}.open(t)
	s, err := db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"search_path": "phoenix, public"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plain, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	refused := 0
	statements := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, sql := range statements {
		_, _, err := harness.Run(context.Background(), s, sql)
		var e *saltsql.Error
		switch {
		case err == nil:
		case errors.As(err, &e) && (e.Code == "0A000" || e.Code == "42883" || e.Code == "42P10") && e.Hint != "":
			refused++
			t.Logf("%s\n    %s\n    HINT: %s", sql, e.Message, e.Hint)
		default:
			t.Errorf("%s\n    %s", sql, fullError(err))
		}
		if strings.HasPrefix(sql, "SELECT") {
			// Under PostgreSQL's meaning a namesake is told of.
			if _, _, err := harness.Run(context.Background(), plain, sql); errors.As(err, &e) && (e.Code == "42883" || e.Code == "42601") && e.Hint == "" {
				t.Errorf("without the schema: %s\n    %s", sql, fullError(err))
			}
		}
	}
	t.Logf("%d statements, %d refused", len(statements), refused)
}

func fullError(err error) string {
	var e *saltsql.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("%s %s\n    HINT: %s", e.Code, e.Message, e.Hint)
}
