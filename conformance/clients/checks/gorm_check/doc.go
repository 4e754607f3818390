// Command gorm_check has GORM migrate a schema, look at it in the catalogs, and query it.
// It prints its checks as checks.py does.
package main
