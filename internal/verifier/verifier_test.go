package verifier

import (
	"reflect"
	"strings"
	"testing"
)

func TestTextAndBack(t *testing.T) {
	v, err := New("secret", 4096)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(v.String())
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%+v, %v, want %+v", back, err, v)
	}
	again, err := New("secret", 4096)
	if err != nil || again.String() == v.String() {
		t.Errorf("two verifiers of a password have one salt: %v", err)
	}
}

// The example of RFC 7677, password "pencil", in PostgreSQL's form.
func TestParse(t *testing.T) {
	const good = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
	v, err := Parse(good)
	if err != nil || v.Iterations != 4096 || v.String() != good {
		t.Fatalf("%+v, %v", v, err)
	}
	for _, bad := range []string{
		"", "md5", strings.Replace(good, "256", "512", 1), strings.Replace(good, "4096", "0", 1), strings.Replace(good, "4096", "x", 1),
		strings.Replace(good, "4096", "99999999", 1), strings.Replace(good, "W22ZaJ0SNY7soEsUEjb6gQ==", "", 1), good + "$", good[:len(good)-4],
		strings.Replace(good, "=:w", "=w", 1), strings.Replace(good, "WG5d", "WG5d!", 1),
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, n := range []int{0, -1, maxIterations + 1} {
		if _, err := New("secret", n); err == nil {
			t.Errorf("%d iterations are taken", n)
		}
	}
	if _, err := New("", 4096); err == nil {
		t.Error("an empty password is taken")
	}
}

func TestMatches(t *testing.T) {
	for _, password := range []string{"secret", "a\u00a0b", "\xff", "é"} {
		v, err := New(password, 2)
		if err != nil || !v.Matches(password) || v.Matches(password+"x") || v.Matches("") {
			t.Errorf("%q: %v", password, err)
		}
	}
	v, err := Parse("SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=")
	if err != nil || !v.Matches("pencil") || v.Matches("Pencil") {
		t.Error(err)
	}
}
