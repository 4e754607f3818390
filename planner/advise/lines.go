package advise

import (
	"strconv"
	"strings"
)

// Lines prints what EXPLAIN ADVISE answers.
func Lines(list []Advice) (lines []string) {
	for i, a := range list {
		lines = append(lines, strconv.Itoa(i+1)+". "+strings.ToUpper(a.Problem[:1])+a.Problem[1:], "   "+a.Cure)
		if a.DDL == "" {
			continue
		}
		for _, l := range strings.Split(a.DDL, "\n") {
			lines = append(lines, "     "+l)
		}
	}
	if len(lines) == 0 {
		return []string{"No advice: the key serves this statement."}
	}
	return lines
}
