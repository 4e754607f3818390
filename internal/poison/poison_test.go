package poison

import "testing"

func TestBytes(t *testing.T) {
	was := On
	defer func() { On = was }()
	for _, c := range []struct {
		env  string
		want byte
	}{{"", 'a'}, {"0", 'a'}, {"1", Byte}} {
		On = enabled(c.env)
		b := []byte("aa")
		Bytes(b[:1])
		if b[0] != c.want || b[1] != 'a' {
			t.Errorf("SALTSQL_POISON=%q: % x", c.env, b)
		}
	}
}
