package hotspot

import (
	"fmt"
	"strings"
)

// The lines of docs/salting.md between which the table stands.
const (
	tableBegin = "<!-- table: go generate ./conformance/hotspot -->\n"
	tableEnd   = "<!-- end of table -->\n"
)

// Page puts the table of results into the text of docs/salting.md.
func Page(text string, rs []Result) (string, error) {
	before, rest, ok := strings.Cut(text, tableBegin)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		return "", fmt.Errorf("the page has no lines %q and %q", tableBegin, tableEnd)
	}
	return before + tableBegin + Table(rs) + tableEnd + after, nil
}
