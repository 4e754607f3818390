package rowcodec

import (
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func TestDecimalLimits(t *testing.T) {
	for _, test := range []struct{ value, detail string }{
		{"9.9E123", ""},
		{"-9.9E123", ""},
		{"1E124", "below 1e124"},
		{"-1E130", "below 1e124"},
		{"1E-128", ""},
		{"9E-129", "not below 1e-128"},
		{"99999999999999999999999999999999999999", ""},
		{"999999999999999999999999999999999999991", "here 39"},
		{"NaN", "-"},
		{"-Infinity", "-"},
	} {
		d, _, err := apd.NewFromString(test.value)
		if err != nil {
			t.Fatal(err)
		}
		_, err = appendDecimal(nil, d)
		e := sqlerr.As(err)
		switch {
		case test.detail == "":
			if err != nil {
				t.Errorf("%s: %v", test.value, err)
			}
		case e == nil || e.Code != sqlerr.NumericValueOutOfRange:
			t.Errorf("%s: %v", test.value, err)
		case test.detail != "-" && !strings.Contains(e.Detail, test.detail):
			t.Errorf("%s: %s", test.value, e.Detail)
		}
	}
}
