// Package usertype makes and changes the types that users name: enums and domains.
//
//	internal/ddl -- CreateEnum, ConstrainDomain, … -->  Types (in live.Catalog)
//	                                                      |
//	  an enum's value    pending  ->  public              |  every server can print it
//	  a domain's CHECK   pending  ->  tables read  ->  it holds
//	                                                      v
//	                        change.Keeper: commits; versions.Keeper: lease, gate of writes
//
// Package live embeds it in its Catalog, drops types with what depends on them, and by
// WithoutPending undoes what a server that died has left. Whether a row violates a new
// constraint says the caller, by a DomainTest.
//
// It must never parse SQL, evaluate an expression, or write a row.
package usertype
