package utility_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Every statement of the conformance files that is no query, cut off at each of its bytes, is
// read or refused with a SQLSTATE whose place lies in the text; in capitals, and with a
// comment between its words, it is read as the same.
func TestStatementsOfTheFiles(t *testing.T) {
	files, err := filepath.Glob("../../../conformance/testdata/*.slt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range files {
		f, err := slt.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range f.Records {
			text := strings.ReplaceAll(rec.SQL, "${SALT}", "SALT_BUCKETS = 4")
			stmts, err := dialect.Parse(text)
			if err != nil || len(stmts) != 1 || stmts[0].Utility == nil || seen[text] {
				continue
			}
			seen[text] = true
			for n := range text {
				_, err := dialect.Parse(text[:n])
				if err == nil {
					continue
				}
				e := sqlerr.As(err)
				if e == nil || e.Code == sqlerr.InternalError || e.Position < 0 || e.Position > n+1 {
					t.Errorf("%v of %q", err, text[:n])
				}
			}
			if strings.ContainsAny(text, `'"$`) {
				continue // white space and capitals mean something there
			}
			spaced, err := dialect.Parse(strings.Join(strings.Fields(text), " /* - */\n"))
			if err != nil || reflect.TypeOf(spaced[0].Utility) != reflect.TypeOf(stmts[0].Utility) {
				t.Errorf("with comments: %v: %s", err, text)
			}
			loud, err := dialect.Parse(strings.ToUpper(text))
			if err != nil || reflect.TypeOf(loud[0].Utility) != reflect.TypeOf(stmts[0].Utility) {
				t.Errorf("in capitals: %v: %s", err, text)
			}
		}
	}
	if len(seen) < 700 {
		t.Errorf("%d statements only", len(seen))
	}
}
