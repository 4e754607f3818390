package wire

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/saltsql/saltsql/internal/pgtest"
)

// TestRecordsBinary holds that records travel as PostgreSQL sends them: the type's OID and,
// in both formats, the bytes.
func TestRecordsBinary(t *testing.T) {
	addr, _ := dbServer(t, Config{})
	own := connect(t, addr, "sslmode=disable")
	postgres, err := pgx.Connect(testContext(t), pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Close(testContext(t))
	for _, c := range []*pgx.Conn{own, postgres} {
		mustExec(t, c, "create table rec (id int primary key, a bigint, b text)")
		mustExec(t, c, "insert into rec values (1, 7, 'x y'), (2, null, '')")
	}
	for _, sql := range []string{
		"select row(1, 2::bigint, 'a'::text, null::date, 1.5), row(), row(row(true), array[1, 2])",
		"select array_agg(r) from (select row(id, b) r from rec order by id) x",
		"select row(rec.*), row(rec) is null from rec order by id",
		"select rec from rec order by id",
		"select (select x from (select id, b from rec where id = 1) x), (select x from (select 1) x where false)",
	} {
		for _, format := range []int16{0, 1} {
			got := own.PgConn().ExecParams(testContext(t), sql, nil, nil, nil, []int16{format}).Read()
			want := postgres.PgConn().ExecParams(testContext(t), sql, nil, nil, nil, []int16{format}).Read()
			if got.Err != nil || want.Err != nil {
				t.Fatalf("%s: %v, PostgreSQL %v", sql, got.Err, want.Err)
			}
			for i, f := range want.FieldDescriptions {
				if oid := got.FieldDescriptions[i].DataTypeOID; oid != f.DataTypeOID && oid != pgtype.RecordOID {
					t.Errorf("%s: column %d has type %d, want %d", sql, i, oid, f.DataTypeOID)
				}
			}
			for r := range want.Rows {
				for i := range want.Rows[r] {
					if !bytes.Equal(got.Rows[r][i], want.Rows[r][i]) {
						t.Errorf("%s, format %d: %q, want %q", sql, format, got.Rows[r][i], want.Rows[r][i])
					}
				}
			}
		}
	}
}
