package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage/mem"
)

// TestImportCSVFiles loads several files of one table, which end and break their lines in every way.
func TestImportCSVFiles(t *testing.T) {
	ctx := context.Background()
	c, end, err := dialStore(ctx, mem.New(), false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	if _, err := ask(ctx, c, "CREATE TABLE t (a int, b text)"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		files []string
		want  string // or the error
	}{
		{[]string{"a,b\n1,2\n", "a,b\n3,4\n"}, "1,2 3,4"},
		{[]string{"a,b\n1,2", "a,b\n3,4"}, "1,2 3,4"},
		{[]string{"a,b\r\n1,2", "a,b\r\n3,4\r\n"}, "1,2 3,4"},
		{[]string{"a,b\r\n1,2\r\n5,6", "a,b\r\n3,4"}, "1,2 3,4 5,6"},
		{[]string{"a,b\n1,\"x\ny\"", "a,b", "a,b\n", "a,b\n3,4"}, "1,x\ny 3,4"},
		{[]string{"a,b\n1,\"2", "a,b\n3,4\"\n"}, "ends within quotes"},
		{[]string{"a,b\n1,2\n", "a,b\n3,\"4"}, "ends within quotes"},
	} {
		dir := t.TempDir()
		name := tableName{"public", "t"}
		for i, text := range test.files {
			if err := os.WriteFile(filepath.Join(dir, name.file(csvSuffix, i+1)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, files, err := tableFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = loadFiles(ctx, c, files[name], name, false)
		rows, err2 := ask(ctx, c, "SELECT a, b FROM t ORDER BY a")
		if err2 != nil {
			t.Fatal(err2)
		}
		var got []string
		for _, r := range rows {
			got = append(got, strings.Join(r, ","))
		}
		if err != nil && !strings.Contains(err.Error(), test.want) || err == nil && strings.Join(got, " ") != test.want {
			t.Errorf("%q: %q, %v; want %q", test.files, got, err, test.want)
		}
		if _, err := ask(ctx, c, "TRUNCATE t"); err != nil {
			t.Fatal(err)
		}
	}
}
