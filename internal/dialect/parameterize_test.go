package dialect

import "testing"

func TestLiterals(t *testing.T) {
	for _, tt := range []struct{ text, shape, kinds string }{
		{"SELECT v FROM t WHERE k = 17 AND n<5", "SELECT v FROM t WHERE k = $1 AND n<$2", "44"},
		{"select v from t where (k >= 3000000000) or k <> 007 ;", "select v from t where (k >= $1) or k <> $2 ;", "84"},
		{"SELECT 'a = 1', \"b = 2\", 'it''s = 3' FROM t WHERE k = 4 ORDER BY 1 LIMIT 5", "SELECT 'a = 1', \"b = 2\", 'it''s = 3' FROM t WHERE k = $1 ORDER BY 1 LIMIT 5", "4"},
		{"SELECT k = 5 FROM t", "", ""},
		{"SELECT * FROM t WHERE k = 5 + 3", "", ""},
		{"SELECT * FROM t WHERE k = -5", "", ""},
		{"SELECT * FROM t WHERE k = 5.0", "", ""},
		{"SELECT * FROM t WHERE k = .5", "", ""},
		{"SELECT * FROM t WHERE k = 5e3", "", ""},
		{"SELECT * FROM t WHERE k = 99999999999999999999", "", ""},
		{"SELECT * FROM t WHERE k = 5 -- and more", "SELECT * FROM t WHERE k = $1 -- and more", "4"},
		{"SELECT /*+ SKIP_SCAN(t) */ * FROM t WHERE k = 5", "", ""},
		{"SELECT * FROM t WHERE k = 5; DELETE FROM t", "", ""},
		{"SELECT * FROM t WHERE k = $1 AND n = 5", "", ""},
		{"SELECT E'\\' = 1' FROM t WHERE k = 5", "SELECT E'\\' = 1' FROM t WHERE k = $1", "4"},
		{"SELECT E' = 1' FROM t WHERE k = 5", "SELECT E' = 1' FROM t WHERE k = $1", "4"},
		{"SELECT * FROM t WHERE v = 'open AND k = 5", "", ""},
		{"SELECT * FROM t WHERE d = '1'::int AND k = 5", "SELECT * FROM t WHERE d = '1'::int AND k = $1", "4"},
		{"SELECT * FROM t WHERE k = 0x1F", "", ""},
		{"SELECT * FROM t WHERE k = 1_000", "", ""},
		{"SELECT * FROM t WHERE k = 5 /* and */ OR $$ = 3 $$ = v", "SELECT * FROM t WHERE k = $1 /* and */ OR $$ = 3 $$ = v", "4"},
		{"SELECT * FROM t WHERE k OPERATOR(pg_catalog.=) 5", "", ""},
		{"SELECT * FROM t WHERE k =-5 AND k = 6", "SELECT * FROM t WHERE k =-5 AND k = $1", "4"},
		{"selection = 5", "", ""},
		{"SELECT * FROM t LIMIT 5", "", ""},
		{"UPDATE t SET n = 5 WHERE k = 5", "", ""},
		{"EXPLAIN SELECT * FROM t WHERE k = 5", "", ""},
		{"SELECT * FROM é WHERE k = 5", "SELECT * FROM é WHERE k = $1", "4"},
		{"SELECT * FROM t WHERE k IN (1, 3000000000,3) AND n = 4", "SELECT * FROM t WHERE k IN ($1, $2,$3) AND n = $4", "4844"},
		{"SELECT * FROM t WHERE k IN (1) OR (n) in (2, 5)", "SELECT * FROM t WHERE k IN ($1) OR (n) in ($2, $3)", "444"},
		{"SELECT * FROM t WHERE k IN (1, -2, 3) AND n = 4", "SELECT * FROM t WHERE k IN (1, -2, 3) AND n = $1", "4"},
		{"SELECT * FROM t WHERE k IN (1, 2 + 3) AND n = 4", "SELECT * FROM t WHERE k IN (1, 2 + 3) AND n = $1", "4"},
		{"SELECT * FROM t WHERE (k, n) IN ((1, 2), (3, 4))", "", ""},
		{"SELECT * FROM t WHERE k IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)", "SELECT * FROM t WHERE k IN ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16)", "4444444444444444"},
		{"SELECT * FROM t WHERE k IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", "", ""},
		{"SELECT * FROM t WHERE k IN (1, 2", "", ""},
	} {
		var l Literals
		if !l.Cut(tt.text) {
			if tt.shape != "" {
				t.Errorf("%s: nothing cut out", tt.text)
			}
			continue
		}
		if got := l.Shape(tt.text); got != tt.shape || string(l.Kinds[:l.N]) != tt.kinds {
			t.Errorf("%s:\n got %s %s", tt.text, got, l.Kinds[:l.N])
		}
	}
}
