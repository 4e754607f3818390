package stored

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
)

// TestTextDescriptors reads a descriptor whose expressions are texts, as stores of
// before have them: it is written back in the format that servers of before read.
func TestTextDescriptors(t *testing.T) {
	old := `{"format":1,"kind":"table","id":16385,"version":3,"state":"public","schema":"public","name":"t","table":{"physical":"t.x.16385",` +
		`"columns":[{"id":1,"name":"k","type":"int4","store":"INTEGER","not_null":true},{"id":2,"name":"v","type":"timestamptz","store":"TIMESTAMP","default":"'2024-01-01 00:00'","family":"0","qualifier":"gAs=","number":11}],` +
		`"primary_key":[1],"primary_key_name":"t_pkey","checks":[{"name":"c","text":"v >= '2024-01-01 00:00'","columns":[2]}],` +
		`"options":{"salt_buckets":0,"hash":"phoenix31","column_encoded_bytes":2,"immutable_storage_scheme":"ONE_CELL_PER_COLUMN","default_column_family":"0","versions":1},"next_qualifier":12,"next_column_id":3,"families":["0"]}}`
	d, st, err := Decode("k", []byte(old), nil)
	if err != nil {
		t.Fatal(err)
	}
	tab := d.(*catalog.Table)
	if tab.Columns[1].Default != "'2024-01-01 00:00'" || tab.Checks[0].Text == "" || keepsBound(tab) {
		t.Errorf("%+v", tab)
	}
	b, err := Encode(tab, st)
	if err != nil || !strings.HasPrefix(string(b), `{"format":1,`) {
		t.Errorf("%s, %v", b, err)
	}
	bound := tab.Clone()
	bound.Checks = []catalog.Check{{Name: "c", Cond: `{"node":"const","type":"bool","value":"t"}`}}
	if b, err = Encode(bound, st); err != nil || !strings.HasPrefix(string(b), `{"format":2,`) {
		t.Errorf("%s, %v", b, err)
	}
	if d, _, err = Decode("k", b, nil); err != nil || d.(*catalog.Table).Checks[0].Cond != bound.Checks[0].Cond {
		t.Errorf("%s, %v", b, err)
	}
}
