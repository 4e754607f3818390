package demodata

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed prices.csv.gz
var prices []byte

//go:embed metrics.csv.gz
var metrics []byte

// Set is one data set.
type Set struct {
	Name string
	Rows int // without the header line
	// DDL is the CREATE TABLE statement of a table that suits it.
	DDL     string
	Columns []string // of the CSV, which are columns of the table
	gz      []byte
}

// Prices has a natural key whose first column spreads writes: no salt needed.
var Prices = Set{
	Name: "prices",
	Rows: 121_855,
	DDL: `CREATE TABLE prices (
  symbol VARCHAR, day DATE,
  open DOUBLE PRECISION, high DOUBLE PRECISION, low DOUBLE PRECISION, close DOUBLE PRECISION, volume BIGINT,
  CONSTRAINT prices_pkey PRIMARY KEY (symbol, day)
)`,
	Columns: []string{"symbol", "day", "open", "high", "low", "close", "volume"},
	gz:      prices,
}

// Metrics is what monitoring writes: every series grows at its newest end.
var Metrics = Set{
	Name: "metrics",
	Rows: 365_509,
	DDL: `CREATE TABLE metrics (
  source VARCHAR, series VARCHAR, ts TIMESTAMP, value DOUBLE PRECISION,
  CONSTRAINT metrics_pkey PRIMARY KEY (source, series, ts DESC)
) SALT_BUCKETS = 8`,
	Columns: []string{"source", "series", "ts", "value"},
	gz:      metrics,
}

// All lists the sets.
var All = []*Set{&Prices, &Metrics}

// Open gives the set's CSV, header line first.
func (s *Set) Open() (io.ReadCloser, error) {
	return gzip.NewReader(bytes.NewReader(s.gz))
}
