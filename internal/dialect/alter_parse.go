package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// alter reads ALTER of anything.
func (p reader) alter() tree.Utility {
	begin := p.i
	p.next()
	a := &tree.AlterTable{}
	switch {
	case p.accept(lex.KTable):
		a.Object = "table"
	case p.accept(lex.KView):
		a.Object = "view"
	case p.accept(lex.KIndex):
		a.Object = "index"
	case p.accept(lex.KSequence):
		a.Object = "sequence"
	case p.accept2(lex.KMaterialized, lex.KView):
		a.Object = "materialized view"
	case p.accept2(lex.KForeign, lex.KTable):
		a.Object = "foreign table"
	case p.kw() == lex.KSchema:
		return p.alterSchema()
	case p.atRole():
		return p.alterRole()
	case p.accept2(lex.KDefault, lex.KPrivileges):
		return p.defaultPrivileges()
	default:
		return p.otherObject("ALTER", begin)
	}
	if p.accept2(lex.KAll, lex.KIn) { // ALTER TABLE ALL IN TABLESPACE …
		u := &tree.Unsupported{Command: "ALTER " + upper(a.Object), Pos: p.pos(p.toks[begin].Start)}
		p.skipStatement()
		return u
	}
	a.IfExists = p.ifExists()
	a.Only = p.accept(lex.KOnly)
	a.Name = p.qualified()
	p.acceptOp(lex.OpMul)
	for {
		a.Actions = append(a.Actions, p.alterAction(a))
		if !p.acceptKind(lex.Comma) {
			return a
		}
	}
}

func (p reader) alterSchema() tree.Utility {
	p.next()
	s := &tree.AlterSchema{Pos: p.here(), Name: p.colID()}
	switch {
	case p.accept2(lex.KRename, lex.KTo):
		s.NewName = p.colID()
	case p.accept2(lex.KOwner, lex.KTo):
		r := p.roleSpec()
		s.Owner = &r
	default:
		p.syntaxError()
	}
	return s
}

// alterAction reads one action.
func (p reader) alterAction(a *tree.AlterTable) tree.AlterAction {
	begin := p.i
	act := tree.AlterAction{Pos: p.here()}
	switch p.kw() {
	case lex.KAdd:
		p.next()
		p.alterAdd(&act)
	case lex.KDrop:
		p.next()
		p.alterDrop(&act)
	case lex.KAlter:
		p.next()
		p.accept(lex.KColumn)
		p.alterColumn(&act, begin)
	case lex.KRename:
		p.next()
		p.alterRename(&act)
	case lex.KSet:
		p.alterSet(&act, begin)
	case lex.KReset:
		p.next()
		act.Kind = tree.ResetOptions
		act.Options = p.optionList(false)
	case lex.KOwner:
		p.next()
		p.expect(lex.KTo)
		act.Kind, act.Owner = tree.OwnerTo, p.roleSpec()
	case lex.KValidate:
		p.next()
		p.expect(lex.KConstraint)
		act.Kind, act.Column = tree.ValidateConstraint, p.colID()
	default:
		if a.Object == "sequence" {
			if opts := p.sequenceOptions(); len(opts) > 0 {
				act.Kind, act.Sequence = tree.SequenceAct, opts
				return act
			}
		}
		if !otherAction(p.kw()) {
			p.syntaxError()
		}
		p.otherAlter(&act, begin)
	}
	return act
}

// otherAlter keeps the text of an action that is not read further.
func (p reader) otherAlter(act *tree.AlterAction, begin int) {
	if p.kind() != lex.Ident {
		p.syntaxError()
	}
	for {
		switch p.kind() {
		case lex.EOF, lex.Semicolon, lex.Comma:
			act.Kind, act.Text = tree.OtherAlter, p.textSince(begin)
			return
		case lex.LParen:
			if m := p.tok().Match; m > 0 {
				p.i = int(m)
			}
		}
		p.next()
	}
}

// alterAdd reads what follows ADD. Phoenix adds several columns with one ADD,
// and sets options behind them.
func (p reader) alterAdd(act *tree.AlterAction) {
	if p.atTableConstraint() {
		act.Kind, act.Constraint = tree.AddConstraint, p.tableConstraint()
		return
	}
	act.Kind = tree.AddColumn
	p.accept(lex.KColumn)
	act.IfNotExists = p.ifNotExists()
	for {
		act.Columns = append(act.Columns, p.columnDef(false))
		if p.kind() != lex.Comma || !p.anotherColumn() {
			break
		}
		p.next()
	}
	act.Options = p.phoenixOptions()
	act.Cascade = p.accept(lex.KCascade)
}

// anotherColumn tells whether a column, not an action, follows the comma.
func (p reader) anotherColumn() bool {
	t := p.peek(1)
	if !isColID(t) {
		return false
	}
	switch t.Keyword {
	case lex.KAdd, lex.KDrop, lex.KAlter, lex.KRename, lex.KSet, lex.KReset, lex.KOwner, lex.KValidate,
		lex.KEnable, lex.KDisable, lex.KInherit, lex.KNo, lex.KAttach, lex.KDetach, lex.KCluster, lex.KReplica,
		lex.KForce, lex.KNot, lex.KOf:
		return false
	}
	return true
}

// alterDrop reads what follows DROP.
func (p reader) alterDrop(act *tree.AlterAction) {
	if p.accept(lex.KConstraint) {
		act.Kind = tree.DropConstraint
		act.IfExists = p.ifExists()
		act.Column = p.colID()
		act.Cascade = p.cascade()
		return
	}
	act.Kind = tree.DropColumn
	p.accept(lex.KColumn)
	act.IfExists = p.ifExists()
	for {
		c := tree.ColumnDef{Pos: p.here(), Name: p.colID()}
		if p.acceptKind(lex.Dot) {
			c.Family, c.Name = c.Name, p.label()
		}
		act.Columns = append(act.Columns, c)
		if p.kind() != lex.Comma || !p.anotherColumn() {
			break
		}
		p.next()
	}
	act.Column, act.Family = act.Columns[0].Name, act.Columns[0].Family
	act.Cascade = p.cascade()
}

// alterColumn reads what follows ALTER [COLUMN].
func (p reader) alterColumn(act *tree.AlterAction, begin int) {
	if p.kw() == lex.KConstraint {
		p.otherAlter(act, begin)
		return
	}
	if p.kind() == lex.Int { // an expression index's column, by number
		p.otherAlter(act, begin)
		return
	}
	act.Column = p.colID()
	if p.acceptKind(lex.Dot) {
		act.Family, act.Column = act.Column, p.label()
	}
	switch {
	case p.kw() == lex.KType || p.kw() == lex.KSet && p.peek(1).Keyword == lex.KData:
		if !p.accept(lex.KType) {
			p.i += 2
			p.expect(lex.KType)
		}
		act.Kind, act.Type = tree.AlterType, p.typeName()
		if p.accept(lex.KCollate) {
			n := p.anyName()
			act.Text = n.Name
		}
		if p.accept(lex.KUsing) {
			e := p.expression()
			act.Using = &e
		}
	case p.accept2(lex.KSet, lex.KDefault):
		e := p.expression()
		act.Kind, act.Default = tree.SetDefault, &e
	case p.accept2(lex.KDrop, lex.KDefault):
		act.Kind = tree.DropDefault
	case p.kw() == lex.KSet && p.peek(1).Keyword == lex.KNot:
		p.i += 2
		p.expect(lex.KNull)
		act.Kind = tree.SetNotNull
	case p.kw() == lex.KDrop && p.peek(1).Keyword == lex.KNot:
		p.i += 2
		p.expect(lex.KNull)
		act.Kind = tree.DropNotNull
	case p.accept2(lex.KDrop, lex.KIdentity):
		act.Kind, act.IfExists = tree.DropIdentity, p.ifExists()
	case p.accept2(lex.KAdd, lex.KGenerated):
		var c tree.ColumnDef
		if p.generated(&c) != "identity" {
			p.syntaxError()
		}
		act.Kind, act.Identity, act.Sequence = tree.AddIdentity, c.Identity, c.IdentityOpt
	case p.kw() == lex.KRestart, p.kw() == lex.KSet && startsIdentity(p.peek(1).Keyword):
		p.setIdentity(act)
	case p.kw() == lex.KSet || p.kw() == lex.KReset:
		p.otherAlter(act, begin)
	default:
		p.syntaxError()
	}
}

// startsIdentity tells whether a word after SET begins a change of an identity
// column.
func startsIdentity(k lex.Keyword) bool {
	switch k {
	case lex.KGenerated, lex.KIncrement, lex.KMinvalue, lex.KMaxvalue, lex.KNo, lex.KStart, lex.KRestart, lex.KCache, lex.KCycle:
		return true
	}
	return false
}

// setIdentity reads SET GENERATED …, RESTART … and the like.
func (p reader) setIdentity(act *tree.AlterAction) {
	act.Kind = tree.SetIdentity
	for {
		switch {
		case p.accept2(lex.KSet, lex.KGenerated):
			if p.accept(lex.KAlways) {
				act.Identity = "always"
			} else {
				p.expect(lex.KBy)
				p.expect(lex.KDefault)
				act.Identity = "by default"
			}
			continue
		case p.kw() == lex.KSet:
			p.next()
		case p.kw() != lex.KRestart:
			return
		}
		opts := p.sequenceOptions()
		if len(opts) == 0 {
			p.syntaxError()
		}
		act.Sequence = append(act.Sequence, opts...)
	}
}

// alterRename reads what follows RENAME.
func (p reader) alterRename(act *tree.AlterAction) {
	switch {
	case p.accept(lex.KTo):
		act.Kind, act.NewName = tree.RenameTable, p.colID()
		return
	case p.accept(lex.KConstraint):
		act.Kind = tree.RenameConstraint
	default:
		p.accept(lex.KColumn)
		act.Kind = tree.RenameColumn
	}
	act.Column = p.colID()
	if p.acceptKind(lex.Dot) {
		act.Family, act.Column = act.Column, p.label()
	}
	p.expect(lex.KTo)
	act.NewName = p.colID()
}

// alterSet reads what follows SET: a schema, options of either spelling, or
// something else.
func (p reader) alterSet(act *tree.AlterAction, begin int) {
	p.next()
	switch {
	case p.kw() == lex.KSchema && !p.atOption():
		p.next()
		act.Kind, act.NewName = tree.SetSchema, p.colID()
	case p.kind() == lex.LParen:
		act.Kind, act.Options = tree.SetOptions, p.optionList(false)
	case p.atOption():
		act.Kind = tree.SetOptions
		act.Options = p.phoenixOptions()
	default:
		switch p.kw() {
		case lex.KLogged, lex.KUnlogged, lex.KWithout, lex.KTablespace, lex.KAccess:
		default:
			p.syntaxError()
		}
		p.otherAlter(act, begin)
	}
}
