package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// definitions gives the texts of the files of statements, by name. Of some tables they are those,
// and what they need. With postgres they leave out what PostgreSQL does not know.
func (x *exporter) definitions(ctx context.Context, tables []tableName, some, postgres bool) (map[string]string, error) {
	if postgres {
		if _, err := ask(ctx, x.c, "SET saltsql.reloptions = off"); err != nil {
			return nil, err
		}
		defer func() { _, _ = ask(ctx, x.c, "RESET saltsql.reloptions") }()
	}
	rows, err := ask(ctx, x.c, "SELECT section, kind, schema_name, object_name, object_oid, array_to_string(needs, ' '), definition FROM saltsql.definitions ORDER BY ordinal")
	if err != nil {
		return nil, err
	}
	const ofSchema = "0"
	there := map[string]bool{ofSchema: true} // by OID: what is written
	for _, r := range rows {
		switch kind := r[1]; {
		case !some:
		case kind == "type", kind == "domain":
			there[r[4]] = true
		case kind == "table" && slices.Contains(tables, tableName{r[2], r[3]}):
			there[r[4]] = true
			for _, need := range strings.Fields(r[5]) { // sequences of defaults
				there[need] = true
			}
		}
	}
	texts := map[string]*strings.Builder{}
	for section := range sectionFiles {
		texts[section] = &strings.Builder{}
	}
	for _, r := range rows {
		ok := !some || there[r[4]]
		for _, need := range strings.Fields(r[5]) {
			ok = ok && (!some || there[need])
		}
		if b := texts[r[0]]; ok && b != nil {
			fmt.Fprintf(b, "%s;\n", r[6])
		}
	}
	files := map[string]string{}
	for section, name := range sectionFiles {
		files[name] = texts[section].String()
	}
	return files, nil
}

// sectionFiles are the files of the sections of saltsql.definitions.
var sectionFiles = map[string]string{"schema": schemaFile, "after": afterFile, "rights": rightsFile}
