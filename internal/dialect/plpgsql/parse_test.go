package plpgsql

import (
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// FuzzParse: no body panics, and an error is of a code that Parse names.
func FuzzParse(f *testing.F) {
	for _, body := range []string{
		"BEGIN NULL; END", "begin if a then b; elsif (c) then null; else d; end if; exception when others then raise; end;",
		"BEGIN RAISE NOTICE '% %%', f(a, b), 2 USING HINT = 'x', ERRCODE = '22012'; PERFORM 1; EXECUTE 'a' || b; END",
		"BEGIN BEGIN SELECT 1; EXCEPTION WHEN SQLSTATE '23505' OR unique_violation THEN NULL; END; END", "DECLARE a int; BEGIN END", "<<l>> BEGIN END",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		b, err := Parse(body)
		if (b == nil) == (err == nil) {
			t.Fatal(b, err)
		}
		if err == nil {
			return
		}
		switch sqlerr.CodeOf(err) {
		case sqlerr.SyntaxError, sqlerr.FeatureNotSupported, sqlerr.StatementTooComplex, sqlerr.UndefinedObject, sqlerr.CharacterNotInRepertoire:
		default:
			t.Fatal(err)
		}
	})
}
