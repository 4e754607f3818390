// Package dialect turns Postgres and Phoenix SQL into TiDB ASTs.
package dialect
