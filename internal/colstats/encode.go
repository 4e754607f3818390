package colstats

import (
	"encoding/json"
	"strconv"

	"github.com/saltsql/saltsql/internal/types"
)

// The form in which the catalog's table keeps a Table. Values are what the server prints
// under its default settings, in base64, since they may be any bytes. A column whose type is
// another one by now, or whose values cannot be read back, is forgotten.
//
//	{"rows":600000,"columns":{"3":{"type":"character varying","width":1,"distinct":2,"common":["QQ==","Tg=="],"freqs":[0.5,0.3]}}}
type tableJSON struct {
	Rows    float64                `json:"rows"`
	Columns map[string]*columnJSON `json:"columns"`
}

type columnJSON struct {
	Type        string    `json:"type"`
	Nulls       float64   `json:"nulls,omitempty"`
	Width       int       `json:"width,omitempty"`
	Distinct    float64   `json:"distinct,omitempty"`
	Common      [][]byte  `json:"common,omitempty"`
	Freqs       []float64 `json:"freqs,omitempty"`
	Bounds      [][]byte  `json:"bounds,omitempty"`
	Correlation *float64  `json:"correlation,omitempty"`
}

// Encode gives the form that is stored.
func Encode(t *Table) ([]byte, error) {
	out := tableJSON{Rows: t.Rows, Columns: map[string]*columnJSON{}}
	for id, c := range t.Columns {
		k := &columnJSON{Type: c.Type.Base().String(), Nulls: c.Nulls, Width: c.Width, Distinct: c.Distinct,
			Common: texts(c.Type, c.Common), Freqs: c.Freqs, Bounds: texts(c.Type, c.Bounds)}
		if c.Ordered {
			k.Correlation = &c.Correlation
		}
		out.Columns[strconv.Itoa(id)] = k
	}
	return json.Marshal(out)
}

func texts(t types.T, list []types.Datum) [][]byte {
	var out [][]byte
	for _, d := range list {
		out = append(out, types.AppendText([]byte{}, t, d, &types.IOEnv{}))
	}
	return out
}

// Decode reads it. typeOf gives the type of a column; ok is false for one that is gone.
func Decode(b []byte, typeOf func(id int) (t types.T, ok bool)) (*Table, error) {
	var in tableJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, err
	}
	out := &Table{Rows: in.Rows, Columns: map[int]*Column{}}
	for name, k := range in.Columns {
		id, err := strconv.Atoi(name)
		if err != nil {
			return nil, err
		}
		t, ok := typeOf(id)
		if !ok || t.Base().String() != k.Type || len(k.Freqs) != len(k.Common) {
			continue
		}
		c := &Column{Type: t, Nulls: k.Nulls, Width: k.Width, Distinct: k.Distinct, Freqs: k.Freqs}
		var common, bounds bool
		c.Common, common = values(t, k.Common)
		c.Bounds, bounds = values(t, k.Bounds)
		if !common || !bounds {
			continue
		}
		if k.Correlation != nil {
			c.Correlation, c.Ordered = *k.Correlation, true
		}
		out.Columns[id] = c
	}
	return out, nil
}

func values(t types.T, list [][]byte) (out []types.Datum, ok bool) {
	for _, b := range list {
		d, err := types.ParseText(t, b, &types.IOEnv{})
		if err != nil {
			return nil, false
		}
		out = append(out, d.Clone(t))
	}
	return out, true
}
