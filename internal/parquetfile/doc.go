// Package parquetfile carries rows between PostgreSQL's representations and
// Apache Parquet files, for export and import:
//
//	SELECT in binary --> Writer --> file
//	file --> Reader --> CSV for COPY
//
// A column's type decides its Parquet type (columns.go): whatever Parquet has a
// logical type for is written as that, so that BigQuery, Spark and DuckDB read
// dates as dates; what it has none for (interval, ranges, numeric without a
// precision …) is text as PostgreSQL prints it. One-dimensional arrays are LISTs.
// Nothing is rounded or cut: a value that its Parquet type cannot hold, such as
// the timestamp infinity, is an error that names its column.
//
// The format is that of https://parquet.apache.org/docs/file-format/.
package parquetfile
