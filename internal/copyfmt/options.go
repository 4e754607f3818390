package copyfmt

import "github.com/saltsql/saltsql/internal/types"

// Format is the shape of the data.
type Format uint8

// The formats of COPY.
const (
	Text Format = iota
	CSV
	Binary
)

// Header says whether the data starts with a line of column names.
type Header uint8

// The choices of HEADER.
const (
	HeaderNone  Header = iota
	HeaderLine         // written by COPY TO, skipped by COPY FROM
	HeaderMatch        // COPY FROM only: its names must be the columns' names
)

// Options say how data is written. NewOptions makes them complete and sound.
type Options struct {
	Format    Format
	Delimiter byte
	Null      string
	Header    Header
	Quote     byte // csv
	Escape    byte // csv

	Upsert bool // COPY FROM: rows that exist are overwritten

	ForceQuoteAll bool
	ForceQuote    []string // COPY TO, csv: columns quoted wherever not NULL
	ForceNotNull  []string // COPY FROM, csv: never NULL in these columns
	ForceNull     []string // COPY FROM, csv: a quoted null string is NULL too
}

// Option is one option as written. It has the fields of the SQL front's
// CopyOption in the same order, so that one converts to the other.
type Option struct {
	Name     string // lower case
	Value    string
	HasValue bool
	Quoted   bool
	List     []string
	Star     bool
	Pos      int
}

// Column is one column of the data.
type Column struct {
	Name string
	Type types.T
}

// DefaultOptions are those of a COPY without options.
func DefaultOptions() *Options {
	return &Options{Format: Text, Delimiter: '\t', Null: `\N`}
}
