// Package rowgen writes random rows as COPY's text format takes them, the same for the same seed:
// what the generators of packages tpch and retail have in common.
package rowgen
