package catalog

import (
	"cmp"
	"context"

	"github.com/saltsql/saltsql/catalog/acl"
)

// Owned is who an object belongs to and who else may use it.
type Owned struct {
	// Owner is a role; 0 of an object that is being made is who makes it.
	Owner uint32
	// Rights is nil where nothing was said of them: see acl.Default.
	Rights *acl.List
}

// Ownership gives itself: every object that has an owner is one of these.
func (o *Owned) Ownership() *Owned { return o }

// Ownable is an object that has an owner.
type Ownable interface{ Ownership() *Owned }

// Database is what the store as a whole has of its own: its rights.
type Database struct {
	ID uint32 // DatabaseID
	Owned
}

// DatabaseID is the OID of the one database of a store.
const DatabaseID uint32 = 5

// Database gives the rights on the whole store.
func (s *Snapshot) Database() *Database {
	if d, ok := s.Descriptor(DatabaseID).(*Database); ok {
		return d
	}
	return &Database{ID: DatabaseID, Owned: Owned{Owner: BootstrapRole}}
}

// publicRights are those of PostgreSQL 15's schema public: all may use it, and its owner alone
// may create in it.
var publicRights = &acl.List{Items: []acl.Item{
	{Grantee: RoleDatabaseOwner, Grantor: RoleDatabaseOwner, Rights: acl.Usage | acl.Create},
	{Grantee: acl.Public, Grantor: RoleDatabaseOwner, Rights: acl.Usage},
}}

// PublicSchemaRights are what the schema public has from the start.
func PublicSchemaRights() *acl.List { return publicRights }

// OfOld gives an object of before there were owners those that it has.
func (o *Owned) OfOld(id uint32) {
	switch {
	case o.Owner != 0:
	case id == PublicSchemaID:
		o.Owner, o.Rights = RoleDatabaseOwner, publicRights
	default:
		o.Owner = BootstrapRole
	}
}

// IsOld says that the object has what OfOld gives, by which its stored form is as before.
func (o *Owned) IsOld(id uint32) bool {
	if id == PublicSchemaID && o.Owner != 0 {
		return o.Owner == RoleDatabaseOwner && o.Rights != nil && o.Rights.Equal(publicRights)
	}
	return (o.Owner == BootstrapRole || o.Owner == 0) && o.Rights == nil
}

type actorKey struct{}

// WithActor says which role a call of the catalog acts for: its rights are checked, and what
// it makes is its. database is what the client calls the store.
func WithActor(ctx context.Context, role uint32, database string) context.Context {
	return context.WithValue(ctx, actorKey{}, Actor{By: role, DatabaseName: database})
}

// AsProgram gives the context of what the program does of its own accord, for the actor of ctx or
// for nobody: repair, jobs, the end of temporary tables. No rights are asked for.
func AsProgram(ctx context.Context) context.Context {
	a := ActorOf(ctx)
	a.By, a.DatabaseName = BootstrapRole, cmp.Or(a.DatabaseName, BootstrapRoleName)
	return context.WithValue(ctx, actorKey{}, a)
}

// WithSearchPath says in which schemas the actor finds relations by their names alone, in order:
// what else messages name has its schema.
func WithSearchPath(ctx context.Context, path []string) context.Context {
	a := ActorOf(ctx)
	a.Path = path
	return context.WithValue(ctx, actorKey{}, a)
}

// Actor is who makes a change.
type Actor struct {
	By           uint32
	DatabaseName string
	Path         []string // nil is public
}

// Nobody is the actor of a context that was given none. It has PUBLIC's rights at most, and
// changes nothing.
const Nobody uint32 = 0

// ActorOf gives the actor of a context: Nobody where neither WithActor nor AsProgram has named one.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
