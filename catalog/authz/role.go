package authz

import (
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// RoleChange is what CREATE ROLE and ALTER ROLE say; nil leaves as it is.
type RoleChange struct {
	Superuser, Inherit, CreateRole, CreateDB, Login, Replication, BypassRLS *bool
	ConnLimit                                                               *int
	Verifier                                                                *string // "" takes the password away
	ValidUntil                                                              *int64
	InRoles                                                                 []uint32 // that it becomes a member of
	Members, Admins                                                         []uint32 // that become members of it
}

func (x *RoleChange) apply(r *catalog.Role) {
	for _, f := range []struct {
		to   *bool
		from *bool
	}{
		{&r.Superuser, x.Superuser}, {&r.Inherit, x.Inherit}, {&r.CreateRole, x.CreateRole}, {&r.CreateDB, x.CreateDB},
		{&r.Login, x.Login}, {&r.Replication, x.Replication}, {&r.BypassRLS, x.BypassRLS},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if x.ConnLimit != nil {
		r.ConnLimit = *x.ConnLimit
	}
	if x.Verifier != nil {
		r.Verifier = *x.Verifier
	}
	if x.ValidUntil != nil {
		r.ValidUntil = x.ValidUntil
	}
}

func noRight(format string, args ...any) error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, format, args...)
}

func undefinedRole(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, `role "%s" does not exist`, name)
}

// isPredefined says that a role is one of those that PostgreSQL has from its beginning.
func isPredefined(s *catalog.Snapshot, id uint32) bool {
	return slices.ContainsFunc(catalog.PredefinedRoles, func(r *catalog.Role) bool { return r.ID == id })
}

// reservedRole refuses the names of the system's roles.
func reservedRole(name, detail string) error {
	if strings.HasPrefix(name, "pg_") {
		return sqlerr.New(sqlerr.ReservedName, `role name "%s" is reserved`, name).WithDetail("%s", detail)
	}
	return nil
}

const reservedPrefix = `Role names starting with "pg_" are reserved.`

// CreateRole makes a role.
func (a Authority) CreateRole(ctx context.Context, name string, x RoleChange) (catalog.Notices, error) {
	if err := catalog.CheckIdentifier("role", name, 0); err != nil {
		return nil, err
	}
	notices, err := a.change(ctx, func(ch *change.Change) error {
		set := func(b *bool) bool { return b != nil && *b }
		super := ch.IsSuperuser(ch.By)
		switch {
		case set(x.Superuser) && !super:
			return noRight("must be superuser to create superusers")
		case set(x.Replication) && !super:
			return noRight("must be superuser to create replication users")
		case set(x.BypassRLS) && !super:
			return noRight("must be superuser to create bypassrls users")
		case !ch.MayCreateRoles(ch.By):
			return noRight("permission denied to create role")
		}
		if err := reservedRole(name, reservedPrefix); err != nil {
			return err
		}
		if ch.Role(name) != nil {
			return sqlerr.New(sqlerr.DuplicateObject, `role "%s" already exists`, name)
		}
		id, err := ch.NewID()
		if err != nil {
			return err
		}
		r := &catalog.Role{ID: id, Name: name, ConnLimit: -1, RoleAttributes: catalog.RoleAttributes{Inherit: true}}
		x.apply(r)
		setRole(ch, r)
		for _, in := range x.InRoles {
			if err := addMembers(ch, in, []uint32{id}, ch.By, false); err != nil {
				return err
			}
		}
		if err := addMembers(ch, id, x.Admins, ch.By, true); err != nil {
			return err
		}
		return addMembers(ch, id, x.Members, ch.By, false)
	})
	return notices, err
}

// setRole records a role so that the rest of the change sees it.
func setRole(ch *change.Change, r *catalog.Role) {
	ch.Snapshot = ch.WithRole(r)
	ch.Set(r, catalog.StatePublic)
}

// roleToChange gives a copy of a role to change: 42704.
func roleToChange(ch *change.Change, name string) (*catalog.Role, error) {
	r := ch.Role(name)
	if r == nil {
		return nil, undefinedRole(name)
	}
	cp := *r
	return &cp, nil
}

// FirstPassword gives the bootstrap role a password, of this verifier, where no role has one; set is
// false where one has. Of servers that ask at once one sets it.
func (a Authority) FirstPassword(ctx context.Context, verifier string) (set bool, err error) {
	_, err = a.change(catalog.AsProgram(ctx), func(ch *change.Change) error {
		set = !slices.ContainsFunc(ch.Roles(), func(r *catalog.Role) bool { return r.Verifier != "" })
		if !set {
			return change.ErrNothing
		}
		r := *ch.RoleByID(catalog.BootstrapRole)
		r.Verifier = verifier
		setRole(ch, &r)
		return nil
	})
	return set && err == nil, err
}

// AlterRole is ALTER ROLE with options.
func (a Authority) AlterRole(ctx context.Context, name string, x RoleChange) (catalog.Notices, error) {
	notices, err := a.change(ctx, func(ch *change.Change) error {
		if err := reservedRole(name, "Cannot alter reserved roles."); err != nil {
			return err
		}
		r, err := roleToChange(ch, name)
		if err != nil {
			return err
		}
		super := ch.IsSuperuser(ch.By)
		switch {
		case (x.Superuser != nil || r.Superuser) && !super:
			return noRight("must be superuser to alter superuser roles or change superuser attribute")
		case (x.Replication != nil || r.Replication) && !super:
			return noRight("must be superuser to alter replication roles or change replication attribute")
		case x.BypassRLS != nil && !super:
			return noRight("must be superuser to change bypassrls attribute")
		case r.ID == catalog.BootstrapRole && x.Superuser != nil && !*x.Superuser:
			return noRight("permission denied to alter role").(*sqlerr.Error).WithDetail("The bootstrap user must have the SUPERUSER attribute.")
		case !ch.MayCreateRoles(ch.By):
			own := x
			own.Verifier = nil
			if r.ID != ch.By || x.Verifier == nil || !own.empty() {
				return noRight("permission denied")
			}
		}
		x.apply(r)
		setRole(ch, r)
		return addMembers(ch, r.ID, x.Members, ch.By, false)
	})
	return notices, err
}

// empty says that nothing is said.
func (x *RoleChange) empty() bool {
	return x.Superuser == nil && x.Inherit == nil && x.CreateRole == nil && x.CreateDB == nil && x.Login == nil && x.Replication == nil &&
		x.BypassRLS == nil && x.ConnLimit == nil && x.Verifier == nil && x.ValidUntil == nil && len(x.InRoles)+len(x.Members)+len(x.Admins) == 0
}

// RenameRole is ALTER ROLE … RENAME TO. session is the session's user, who cannot be renamed.
func (a Authority) RenameRole(ctx context.Context, from, to string, session uint32) error {
	if err := catalog.CheckIdentifier("role", to, 0); err != nil {
		return err
	}
	_, err := a.change(ctx, func(ch *change.Change) error {
		r, err := roleToChange(ch, from)
		if err != nil {
			return err
		}
		for _, name := range []string{from, to} {
			if err := reservedRole(name, reservedPrefix); err != nil {
				return err
			}
		}
		switch {
		case r.ID == session:
			return sqlerr.New(sqlerr.FeatureNotSupported, "session user cannot be renamed")
		case r.ID == ch.By:
			return sqlerr.New(sqlerr.FeatureNotSupported, "current user cannot be renamed")
		case ch.Role(to) != nil:
			return sqlerr.New(sqlerr.DuplicateObject, `role "%s" already exists`, to)
		case r.Superuser && !ch.IsSuperuser(ch.By):
			return noRight("must be superuser to rename superusers")
		case !r.Superuser && !ch.MayCreateRoles(ch.By):
			return noRight("permission denied to rename role")
		}
		r.Name = to
		setRole(ch, r)
		return nil
	})
	return err
}

// SetRoleSetting is ALTER ROLE … SET.
func (a Authority) SetRoleSetting(ctx context.Context, role, name, value string) error {
	return a.changeRoleSettings(ctx, role, func(list []catalog.RoleSetting) []catalog.RoleSetting {
		list = slices.DeleteFunc(list, func(x catalog.RoleSetting) bool { return strings.EqualFold(x.Name, name) })
		return append(list, catalog.RoleSetting{Name: name, Value: value})
	})
}

// ResetRoleSettings is ALTER ROLE … RESET of the parameters that which tells.
func (a Authority) ResetRoleSettings(ctx context.Context, role string, which func(name string) bool) error {
	return a.changeRoleSettings(ctx, role, func(list []catalog.RoleSetting) []catalog.RoleSetting {
		return slices.DeleteFunc(list, func(x catalog.RoleSetting) bool { return which(x.Name) })
	})
}

func (a Authority) changeRoleSettings(ctx context.Context, role string, to func([]catalog.RoleSetting) []catalog.RoleSetting) error {
	_, err := a.change(ctx, func(ch *change.Change) error {
		if err := reservedRole(role, "Cannot alter reserved roles."); err != nil {
			return err
		}
		r, err := roleToChange(ch, role)
		if err != nil {
			return err
		}
		switch {
		case r.Superuser && !ch.IsSuperuser(ch.By):
			return noRight("must be superuser to alter superusers")
		case !r.Superuser && !ch.MayCreateRoles(ch.By) && r.ID != ch.By:
			return noRight("permission denied")
		}
		r.Settings = to(slices.Clone(r.Settings))
		setRole(ch, r)
		return nil
	})
	return err
}

// CommentOnRole is COMMENT ON ROLE.
func (a Authority) CommentOnRole(ctx context.Context, name, text string) error {
	_, _, err := a.keeper.Change(ctx, func(ch *change.Change) error {
		r, err := roleToChange(ch, name)
		if err != nil {
			return err
		}
		switch {
		case r.Superuser && !ch.IsSuperuser(ch.By):
			return noRight("must be superuser to alter superusers")
		case !r.Superuser && !ch.MayCreateRoles(ch.By):
			return catalog.NotOwner("role", name)
		}
		r.Comment = text
		setRole(ch, r)
		return nil
	})
	return err
}

// DropRole removes roles that own nothing and have no rights: 2BP01. session is the session's
// user, who cannot be dropped.
func (a Authority) DropRole(ctx context.Context, names []string, ifExists bool, session uint32) (catalog.Notices, error) {
	notices, err := a.change(ctx, func(ch *change.Change) error {
		if !ch.MayCreateRoles(ch.By) {
			return noRight("permission denied to drop role")
		}
		for _, name := range names {
			r := ch.Role(name)
			if r == nil || ch.Del[r.ID] {
				if ifExists {
					ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `role "%s" does not exist, skipping`, name))
					continue
				}
				return undefinedRole(name)
			}
			switch {
			case r.ID == ch.By:
				return sqlerr.New(sqlerr.ObjectInUse, "current user cannot be dropped")
			case r.ID == session:
				return sqlerr.New(sqlerr.ObjectInUse, "session user cannot be dropped")
			case r.Superuser && !ch.IsSuperuser(ch.By):
				return noRight("must be superuser to drop superusers")
			case isPredefined(ch.Snapshot, r.ID) || r.ID == catalog.BootstrapRole:
				return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop role %s because it is required by the database system", name)
			}
			if details := dependsOn(ch.Snapshot, r.ID); len(details) > 0 {
				return sqlerr.New(sqlerr.DependentObjectsStillExist, `role "%s" cannot be dropped because some objects depend on it`, name).
					WithDetail("%s", strings.Join(details, "\n"))
			}
			for _, other := range ch.Roles() {
				if slices.ContainsFunc(other.MemberOf, func(m catalog.Membership) bool { return m.Role == r.ID }) && !ch.Del[other.ID] {
					cp := *other
					cp.MemberOf = slices.DeleteFunc(slices.Clone(other.MemberOf), func(m catalog.Membership) bool { return m.Role == r.ID })
					setRole(ch, &cp)
				}
			}
			ch.Remove(r.ID)
		}
		return ch.UnlessEmpty()
	})
	return notices, err
}

// dependsOn lists what keeps a role from being dropped, in the order of the objects' OIDs.
func dependsOn(s *catalog.Snapshot, role uint32) []string {
	type dep struct {
		oid  uint32
		text string
	}
	var deps []dep
	add := func(oid uint32, o *catalog.Owned, what string, inColumns func() []string) {
		if o.Owner == role {
			deps = append(deps, dep{oid, "owner of " + what})
		} else if o.Rights.Names(role) {
			deps = append(deps, dep{oid, "privileges for " + what})
		}
		for _, c := range inColumns() {
			deps = append(deps, dep{oid, "privileges for column " + c + " of " + what})
		}
	}
	none := func() []string { return nil }
	for _, sc := range s.Schemas() {
		add(sc.ID, &sc.Owned, "schema "+sc.Name, none)
	}
	for _, r := range s.Members() {
		o, ok := r.(catalog.Ownable)
		if !ok {
			continue
		}
		name := catalog.QualifiedName(r.RelSchema(), r.RelName())
		add(r.RelID(), o.Ownership(), r.RelKind()+" "+name, func() (cols []string) {
			if t, ok := r.(*catalog.Table); ok {
				for i := range t.Columns {
					if t.Columns[i].Rights.Names(role) {
						cols = append(cols, t.Columns[i].Name)
					}
				}
			}
			return cols
		})
	}
	d := s.Database()
	add(d.ID, &d.Owned, "database", none)
	for _, r := range s.Roles() {
		for _, x := range r.Defaults {
			what := "default privileges on new " + defaultKinds[x.Kind] + " belonging to role " + r.Name
			if sc := schemaByID(s, x.Schema); sc != nil {
				what += " in schema " + sc.Name
			}
			switch {
			case r.ID == role:
				deps = append(deps, dep{1<<32 - 1, "owner of " + what})
			case x.List.Names(role):
				deps = append(deps, dep{1<<32 - 1, "privileges for " + what})
			}
		}
	}
	slices.SortStableFunc(deps, func(a, b dep) int { return int(int64(a.oid) - int64(b.oid)) })
	var list []string
	for _, d := range deps {
		list = append(list, d.text)
	}
	return list
}

func schemaByID(s *catalog.Snapshot, id uint32) *catalog.Schema {
	if o, ok := s.Object(id); ok {
		sc, _ := o.Desc.(*catalog.Schema)
		return sc
	}
	return nil
}
