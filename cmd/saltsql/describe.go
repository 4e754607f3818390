package main

import (
	"errors"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// describe words an error for a terminal, with what it says to do about it.
func describe(err error) string {
	var b strings.Builder
	b.WriteString(err.Error())
	if e := sqlerr.As(err); e != nil {
		if e.Detail != "" {
			b.WriteString("\n  detail: " + e.Detail)
		}
		if e.Hint != "" {
			b.WriteString("\n  hint: " + e.Hint)
		}
		return b.String()
	}
	var se *storage.Error
	if errors.As(err, &se) && se.Hint != "" {
		b.WriteString("\n  hint: " + se.Hint)
	}
	return b.String()
}
