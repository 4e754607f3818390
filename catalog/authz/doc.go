// Package authz changes who may do what: roles and who is in them, owners, GRANT and REVOKE,
// and the rights that new objects begin with.
//
//	internal/ddl -- CreateRole, GrantOn, ChangeOwner, … -->  Authority (in live.Catalog)
//	                                                           |
//	                          change.Keeper: one commit  <-----+----->  acl.List: who granted
//	                                                                    what to whom, and what
//	                                                                    falls with a REVOKE
//
// Package live embeds it in its Catalog. What a role may do is asked of a catalog.Snapshot
// (its rights.go and role.go); whether a statement may change an object, of a change.Change.
//
// It must never change anything of an object but its owner and its rights, nor touch a table
// of the store.
package authz
