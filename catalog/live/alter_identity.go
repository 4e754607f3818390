package live

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

func (a *alteration) addIdentity(act *AddIdentity) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	def := &catalog.ColumnDef{Name: c.Name, Type: c.Type, Identity: act.Identity, Sequence: act.Sequence, Pos: act.Pos}
	if err := catalog.CheckIdentityColumn(a.t.Name, def); err != nil {
		return err
	}
	switch {
	case !c.NotNull:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" must be declared NOT NULL before identity can be added`, c.Name, a.t.Name).At(act.Pos)
	case c.Identity != 0:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is already an identity column`, c.Name, a.t.Name).At(act.Pos)
	case c.HasDefault() || c.Generated != "":
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" already has a default value`, c.Name, a.t.Name).At(act.Pos)
	}
	c.Identity = act.Identity
	return ownSequence(a.ch, a.t, c, def, catalog.StatePublic)
}

func (a *alteration) setIdentity(act *SetIdentity) error {
	c, err := a.column(act.Column, act.Pos)
	switch {
	case err != nil:
		return err
	case c.Identity == 0:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is not an identity column`, c.Name, a.t.Name).At(act.Pos)
	}
	c.Identity = act.Identity
	return nil
}

func (a *alteration) dropIdentity(act *DropIdentity) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if c.Identity == 0 {
		if act.IfExists {
			a.ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `column "%s" of relation "%s" is not an identity column, skipping`, c.Name, a.t.Name))
			return nil
		}
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is not an identity column`, c.Name, a.t.Name).At(act.Pos)
	}
	seq := c.Sequence
	c.Identity, c.Sequence = 0, 0
	return a.dropOwned(seq, c, false)
}
