package authz

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// GrantRole makes roles members of others. grantor is 0 for who asks.
func (a Authority) GrantRole(ctx context.Context, roles []string, members []uint32, grantor uint32, admin bool) (catalog.Notices, error) {
	return a.memberships(ctx, roles, grantor, func(ch *change.Change, role uint32, by uint32) error {
		return addMembers(ch, role, members, by, admin)
	})
}

// RevokeRole ends memberships; with adminOnly it takes their ADMIN OPTION.
func (a Authority) RevokeRole(ctx context.Context, roles []string, members []uint32, grantor uint32, adminOnly bool) (catalog.Notices, error) {
	return a.memberships(ctx, roles, grantor, func(ch *change.Change, role uint32, _ uint32) error {
		return dropMembers(ch, role, members, adminOnly)
	})
}

func (a Authority) memberships(ctx context.Context, roles []string, grantor uint32, do func(ch *change.Change, role, by uint32) error) (catalog.Notices, error) {
	notices, err := a.change(ctx, func(ch *change.Change) error {
		by := grantor
		if by == 0 {
			by = ch.By
		}
		for _, name := range roles {
			r := ch.Role(name)
			if r == nil {
				return undefinedRole(name)
			}
			if err := do(ch, r.ID, by); err != nil {
				return err
			}
		}
		return ch.UnlessEmpty()
	})
	return notices, err
}

// mayAdminister refuses to change who is in a role.
func mayAdminister(ch *change.Change, r *catalog.Role) error {
	switch {
	case r.Superuser && !ch.IsSuperuser(ch.By):
		return noRight("must be superuser to alter superusers")
	case !r.Superuser && !ch.MayCreateRoles(ch.By) && !ch.IsAdmin(ch.By, r.ID):
		return noRight(`must have admin option on role "%s"`, r.Name)
	}
	return nil
}

func addMembers(ch *change.Change, role uint32, members []uint32, grantor uint32, admin bool) error {
	r := ch.RoleByID(role)
	if len(members) == 0 {
		return nil
	}
	if err := mayAdminister(ch, r); err != nil {
		return err
	}
	if grantor != ch.By && !ch.IsSuperuser(ch.By) {
		return noRight("must be superuser to set grantor")
	}
	if role == catalog.RoleDatabaseOwner {
		return sqlerr.New(sqlerr.InternalError, `role "%s" cannot have explicit members`, r.Name)
	}
	for _, id := range members {
		m := ch.RoleByID(id)
		if id == catalog.RoleDatabaseOwner {
			return sqlerr.New(sqlerr.InternalError, `role "%s" cannot be a member of any role`, m.Name)
		}
		if id == role || slices.Contains(ch.Reach(role, false), id) {
			return sqlerr.New(sqlerr.InvalidGrantOperation, `role "%s" is a member of role "%s"`, r.Name, m.Name)
		}
		cp := *m
		cp.MemberOf = slices.Clone(m.MemberOf)
		i := slices.IndexFunc(cp.MemberOf, func(x catalog.Membership) bool { return x.Role == role })
		switch {
		case i < 0:
			cp.MemberOf = append(cp.MemberOf, catalog.Membership{Role: role, Grantor: grantor, Admin: admin})
		case admin && !cp.MemberOf[i].Admin:
			cp.MemberOf[i].Admin, cp.MemberOf[i].Grantor = true, grantor
		default:
			ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `role "%s" is already a member of role "%s"`, m.Name, r.Name))
			continue
		}
		setRole(ch, &cp)
	}
	return nil
}

func dropMembers(ch *change.Change, role uint32, members []uint32, adminOnly bool) error {
	r := ch.RoleByID(role)
	if err := mayAdminister(ch, r); err != nil {
		return err
	}
	for _, id := range members {
		m := ch.RoleByID(id)
		i := slices.IndexFunc(m.MemberOf, func(x catalog.Membership) bool { return x.Role == role })
		if i < 0 {
			w := sqlerr.Notice(sqlerr.SuccessfulCompletion, `role "%s" is not a member of role "%s"`, m.Name, r.Name)
			w.Severity, w.Code = sqlerr.SeverityWarning, sqlerr.Warning
			ch.Notices.Add(w)
			continue
		}
		cp := *m
		cp.MemberOf = slices.Clone(m.MemberOf)
		if adminOnly {
			cp.MemberOf[i].Admin = false
		} else {
			cp.MemberOf = slices.Delete(cp.MemberOf, i, i+1)
		}
		setRole(ch, &cp)
	}
	return nil
}
