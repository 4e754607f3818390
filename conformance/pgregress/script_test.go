package pgregress

import (
	"slices"
	"testing"
)

// TestScript reads what psql reads.
func TestScript(t *testing.T) {
	s := &script{vars: map[string]string{"dir": "/d"}, rest: `-- one; two
SELECT 1; /* a ; /* nested */ ; */ SELECT ';', E'\';', ";", $$;$$, $a$;$$;$a$ , x::int, $1;
\set file :dir '/t.data'
COPY t FROM :'file';
COPY t (a) FROM stdin;
1;
2
\.
CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);
SELECT 3 \gset
SELECT a[1:2]
`}
	var got []string
	var data string
	for {
		st, ok := s.next()
		if !ok {
			break
		}
		got = append(got, st.text)
		data += st.data
	}
	want := []string{
		"SELECT 1", `SELECT ';', E'\';', ";", $$;$$, $a$;$$;$a$ , x::int, $1`, "COPY t FROM '/d/t.data'", "COPY t (a) FROM stdin",
		"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)", "SELECT 3", "SELECT a[1:2]",
	}
	if !slices.Equal(got, want) || data != "1;\n2\n" {
		t.Errorf("%q\n%q\n%q", got, want, data)
	}
}
