package childproc

import (
	"testing"
	"time"
)

// TestLookFindsGrandchildren has a process that left the group start another after it was found.
func TestLookFindsGrandchildren(t *testing.T) {
	cmd := Command("sh", "-c", "setsid sh -c 'read x; sleep 1000; :'; :")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := cmd.SysProcAttr.Pgid
	found := family{}
	outside := func() (n int) {
		if !found.look(group) {
			t.Skip("no /proc to look into")
		}
		for _, inGroup := range found {
			if !inGroup {
				n++
			}
		}
		return n
	}
	for outside() != 1 {
		time.Sleep(time.Millisecond)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	for outside() != 2 {
		time.Sleep(time.Millisecond)
	}
}
