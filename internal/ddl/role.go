package ddl

import (
	"context"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/verifier"
)

// nameOf is the name that a role goes by.
func (r *Runner) nameOf(s tree.RoleSpec) string {
	a := r.Host.Actor()
	switch s.Keyword {
	case "current_user", "current_role":
		return a.CurrentName
	case "session_user":
		return a.SessionName
	}
	return s.Name
}

// Role finds a role: 42704. A user of a store without roles is found by its own name.
func (r *Runner) Role(s tree.RoleSpec) (uint32, error) {
	a := r.Host.Actor()
	switch s.Keyword {
	case "current_user", "current_role":
		return a.Current, nil
	case "session_user":
		return a.Session, nil
	case "public":
		return 0, sqlerr.New(sqlerr.UndefinedObject, `role "public" does not exist`)
	}
	if x := r.Catalog.Seen().Role(s.Name); x != nil {
		return x.ID, nil
	}
	switch s.Name {
	case a.CurrentName:
		return a.Current, nil
	case a.SessionName:
		return a.Session, nil
	}
	return 0, sqlerr.New(sqlerr.UndefinedObject, `role "%s" does not exist`, s.Name)
}

func (r *Runner) roles(list []tree.RoleSpec) ([]uint32, error) {
	var out []uint32
	for _, s := range list {
		id, err := r.Role(s)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// roleName gives the name of a role that a statement changes, as the catalog has it.
func (r *Runner) roleName(s tree.RoleSpec) (string, error) {
	id, err := r.Role(s)
	if err != nil {
		return "", err
	}
	if x := r.Catalog.Seen().RoleByID(id); x != nil {
		return x.Name, nil
	}
	return s.Name, nil
}

// roleChange reads options.
func (r *Runner) roleChange(list []tree.RoleOption) (x authz.RoleChange, notices catalog.Notices, err error) {
	seen := map[string]bool{}
	for i := range list {
		o := &list[i]
		if seen[o.Name] {
			return x, nil, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(o.Pos)
		}
		seen[o.Name] = true
		switch o.Name {
		case "superuser":
			x.Superuser = &o.Value
		case "inherit":
			x.Inherit = &o.Value
		case "createrole":
			x.CreateRole = &o.Value
		case "createdb":
			x.CreateDB = &o.Value
		case "login":
			x.Login = &o.Value
		case "replication":
			x.Replication = &o.Value
		case "bypassrls":
			x.BypassRLS = &o.Value
		case "sysid":
			notices = append(notices, sqlerr.Notice(sqlerr.SuccessfulCompletion, "SYSID can no longer be specified"))
		case "connection limit":
			n, err := strconv.ParseInt(o.Text, 10, 32)
			if err != nil || n < -1 {
				return x, nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid connection limit: %s", o.Text)
			}
			limit := int(n)
			x.ConnLimit = &limit
		case "valid until":
			t, err := r.Host.Timestamp(o.Text)
			if err != nil {
				return x, nil, err
			}
			x.ValidUntil = &t
		case "password":
			v := ""
			switch {
			case o.Null:
			case o.Text == "":
				notices = append(notices, sqlerr.Notice(sqlerr.SuccessfulCompletion, "empty string is not a valid password, clearing password"))
			default:
				if v, err = verifierOf(o); err != nil {
					return x, nil, err
				}
			}
			x.Verifier = &v
		case "in role":
			x.InRoles, err = r.roles(o.Roles)
		case "role":
			x.Members, err = r.roles(o.Roles)
		case "admin":
			x.Admins, err = r.roles(o.Roles)
		}
		if err != nil {
			return x, nil, err
		}
	}
	return x, notices, nil
}

// verifierOf takes a password, or a verifier that was made of one.
func verifierOf(o *tree.RoleOption) (string, error) {
	if _, err := verifier.Parse(o.Text); err == nil {
		return o.Text, nil
	}
	if len(o.Text) == 35 && strings.HasPrefix(o.Text, "md5") && strings.Trim(o.Text[3:], "0123456789abcdef") == "" {
		return "", unsupportedAt(o.Pos, "Give the password itself, or its SCRAM-SHA-256 verifier.", "an MD5 password is not supported")
	}
	v, err := verifier.New(o.Text, verifier.Iterations)
	if err != nil {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "the password cannot be used").At(o.Pos)
	}
	return v.String(), nil
}

func (r *Runner) createRole(ctx context.Context, u *tree.CreateRole) (catalog.Notices, error) {
	x, notices, err := r.roleChange(u.Options)
	if err != nil {
		return notices, err
	}
	if x.Login == nil && u.Kind == "user" {
		yes := true
		x.Login = &yes
	}
	a := r.Host.Actor()
	first := !r.Catalog.Seen().HasRoles()
	more, err := r.Catalog.CreateRole(ctx, u.Role.Name, x)
	if first && err == nil && a.Session == catalog.BootstrapRole && a.SessionName != catalog.BootstrapRoleName {
		notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "from now on only roles with LOGIN may connect").
			WithDetail("Until now the store had no roles, and every user, as %q, was a superuser.", a.SessionName).
			WithHint("CREATE ROLE %s SUPERUSER LOGIN before you go, or connect as %q, the bootstrap superuser.", ident.Quote(a.SessionName), catalog.BootstrapRoleName))
	}
	return append(notices, more...), err
}

func (r *Runner) alterRole(ctx context.Context, u *tree.AlterRole) (catalog.Notices, error) {
	name, err := r.roleName(u.Role)
	if err != nil {
		return nil, err
	}
	if len(u.Add)+len(u.Drop) > 0 {
		members, err := r.roles(append(u.Add, u.Drop...))
		if err != nil {
			return nil, err
		}
		if len(u.Drop) > 0 {
			return r.Catalog.RevokeRole(ctx, []string{name}, members, 0, false)
		}
		return r.Catalog.GrantRole(ctx, []string{name}, members, 0, false)
	}
	x, notices, err := r.roleChange(u.Options)
	if err != nil {
		return notices, err
	}
	more, err := r.Catalog.AlterRole(ctx, name, x)
	return append(notices, more...), err
}

func (r *Runner) alterRoleSet(ctx context.Context, u *tree.AlterRoleSet) error {
	switch {
	case u.All:
		return unsupportedAt(u.Pos, "Set it for each role, or in the clients' connection strings.", "ALTER ROLE ALL SET is not supported")
	case u.Database != "":
		return unsupportedAt(u.Pos, "Leave IN DATABASE out: a store is one database.", "ALTER ROLE … IN DATABASE is not supported")
	}
	role, err := r.roleName(u.Role)
	if err != nil {
		return err
	}
	reset := ""
	switch {
	case u.Reset != nil && u.Reset.All:
		return r.Catalog.ResetRoleSettings(ctx, role, func(name string) bool { return r.Host.MaySet(name) == nil })
	case u.Reset != nil:
		reset = u.Reset.Name
	case u.Set.Default:
		reset = u.Set.Name
	}
	if reset != "" {
		if err := r.Host.MaySet(reset); err != nil {
			return err
		}
		return r.Catalog.ResetRoleSettings(ctx, role, func(name string) bool { return strings.EqualFold(name, reset) })
	}
	name, value, err := r.Host.CheckSetting(u.Set)
	if err != nil {
		return err
	}
	return r.Catalog.SetRoleSetting(ctx, role, name, value)
}

func (r *Runner) renameRole(ctx context.Context, u *tree.RenameRole) error {
	from, err := r.roleName(u.From)
	if err != nil {
		return err
	}
	return r.Catalog.RenameRole(ctx, from, u.To.Name, r.Host.Actor().Session)
}

func (r *Runner) dropRole(ctx context.Context, u *tree.DropRole) (catalog.Notices, error) {
	var names []string
	for _, s := range u.Roles {
		if s.Keyword != "" {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "cannot use special role specifier in DROP ROLE")
		}
		names = append(names, s.Name)
	}
	return r.Catalog.DropRole(ctx, names, u.IfExists, r.Host.Actor().Session)
}

func (r *Runner) grantRole(ctx context.Context, u *tree.GrantRole) (catalog.Notices, error) {
	var grantor uint32
	if u.GrantedBy != nil {
		var err error
		if grantor, err = r.Role(*u.GrantedBy); err != nil {
			return nil, err
		}
	}
	members, err := r.roles(u.Grantees)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range u.Roles {
		name, err := r.roleName(s)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	if u.Revoke {
		return r.Catalog.RevokeRole(ctx, names, members, grantor, u.Admin)
	}
	return r.Catalog.GrantRole(ctx, names, members, grantor, u.Admin)
}

func (r *Runner) reassign(ctx context.Context, u *tree.ReassignOwned) error {
	from, err := r.roles(u.From)
	if err != nil {
		return err
	}
	to, err := r.Role(u.To)
	if err != nil {
		return err
	}
	return r.Catalog.ReassignOwned(ctx, from, to)
}

func (r *Runner) dropOwned(ctx context.Context, u *tree.DropOwned) (catalog.Notices, error) {
	roles, err := r.roles(u.Roles)
	if err != nil {
		return nil, err
	}
	return r.Catalog.DropOwned(ctx, roles, u.Cascade, r.Host.Actor().Database)
}

// ownerTo gives the role of an OWNER TO that stands alone.
func ownerTo(u *tree.AlterTable) *tree.RoleSpec {
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.OwnerTo {
		return &u.Actions[0].Owner
	}
	return nil
}

func (r *Runner) changeOwner(ctx context.Context, u *tree.AlterTable, to tree.RoleSpec) (catalog.Notices, error) {
	owner, err := r.Role(to)
	if err != nil {
		return nil, err
	}
	return r.Catalog.ChangeOwner(ctx, u.Object, r.catalogName(u.Name), u.IfExists, owner)
}

// rightNamed reads a right: 42601 for a word that is none.
func rightNamed(p *tree.Privilege) (acl.Right, error) {
	right := acl.Named(p.Name)
	if right == acl.None {
		return right, sqlerr.New(sqlerr.SyntaxError, `unrecognized privilege type "%s"`, p.Name)
	}
	return right, nil
}
