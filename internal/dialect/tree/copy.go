package tree

import "strings"

// Copy is COPY.
type Copy struct {
	// Table with Columns, or Query.
	Table    Name
	Columns  []KeyCol
	Query    *Statement
	From     bool // COPY … FROM; else TO
	Stdio    bool // STDIN or STDOUT
	Program  bool
	Filename string
	// Options are in the form of the parenthesised list; the old spelling is
	// turned into it: BINARY is format 'binary', CSV is format 'csv'. A list
	// of columns, or * as Star, is in List.
	Options []CopyOption
	Where   *SourceExpr
}

// CopyOption is one option of COPY.
type CopyOption struct {
	Name     string // lower case: format, delimiter, null, header, quote, escape, …
	Value    string
	HasValue bool
	Quoted   bool
	List     []string
	Star     bool
	Pos      int
}

// Upserts says that the option UPSERT is on: rows that exist are overwritten,
// as UPSERT does. A value that is not a truth value is told by who checks the options.
func (c *Copy) Upserts() bool {
	for _, o := range c.Options {
		if o.Name == "upsert" {
			v := strings.ToLower(o.Value)
			return !o.HasValue || v == "true" || v == "on" || v == "1"
		}
	}
	return false
}

func (*Copy) Tag() string { return "COPY" }
