package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// alter reads ALTER of anything.
func (p reader) alter() tree.Utility {
	begin := p.At
	p.Next()
	a := &tree.AlterTable{}
	switch {
	case p.Accept(lex.KTable):
		a.Object = "table"
	case p.Accept(lex.KView):
		a.Object = "view"
	case p.Accept(lex.KIndex):
		a.Object = "index"
	case p.Accept(lex.KSequence):
		a.Object = "sequence"
	case p.Accept2(lex.KMaterialized, lex.KView):
		a.Object = "materialized view"
	case p.Accept2(lex.KForeign, lex.KTable):
		a.Object = "foreign table"
	case p.Keyword() == lex.KSchema:
		return p.alterSchema()
	case p.Keyword() == lex.KType:
		return p.alterType(begin)
	case p.Accept(lex.KDomain):
		return p.alterDomain()
	case p.atRole():
		return p.alterRole()
	case p.Accept(lex.KSystem):
		return p.alterSystem()
	case p.Accept2(lex.KDefault, lex.KPrivileges):
		return p.defaultPrivileges()
	default:
		return p.refused(alter, begin)
	}
	if k := a.Object; (k == "table" || k == "index" || k == "materialized view") && p.Keyword() == lex.KAll && p.Peek(1).Keyword == lex.KIn {
		p.At = begin
		return p.refused(alone, begin)
	}
	a.IfExists = p.ifExists()
	a.Only = p.Accept(lex.KOnly)
	a.Name = p.Qualified()
	p.AcceptOp(lex.OpMul)
	for {
		act, refused := p.alterAction(a)
		if refused != nil {
			_, what, _ := strings.Cut(refused.Command, " ... ")
			refused.Command = "ALTER " + upper(a.Object) + " ... " + what
			return refused
		}
		a.Actions = append(a.Actions, act)
		if !p.AcceptKind(lex.Comma) {
			return a
		}
	}
}

func (p reader) alterSystem() tree.Utility {
	a := &tree.AlterSystem{}
	if a.Set, a.Reset = p.setOrReset(); a.Set != nil && a.Set.Scope != tree.SetSession {
		p.SyntaxError()
	}
	return a
}

func (p reader) alterSchema() tree.Utility {
	p.Next()
	s := &tree.AlterSchema{Pos: p.Here(), Name: p.ColID()}
	switch {
	case p.Accept2(lex.KRename, lex.KTo):
		s.NewName = p.ColID()
	case p.Accept2(lex.KOwner, lex.KTo):
		r := p.roleSpec()
		s.Owner = &r
	default:
		p.SyntaxError()
	}
	return s
}

// alterAction reads one action; a statement with one that nobody reads further is refused.
func (p reader) alterAction(a *tree.AlterTable) (act tree.AlterAction, refused *tree.Unsupported) {
	begin := p.At
	act.Pos = p.Here()
	if p.ofNoTable(&act) {
		return act, nil
	}
	switch p.Keyword() {
	case lex.KAdd:
		p.Next()
		p.alterAdd(&act)
	case lex.KDrop:
		p.Next()
		p.alterDrop(&act)
	case lex.KAlter:
		p.Next()
		p.Accept(lex.KColumn)
		refused = p.alterColumn(&act, begin)
	case lex.KRename:
		p.Next()
		p.alterRename(&act)
	case lex.KSet:
		refused = p.alterSet(&act, begin)
	case lex.KReset:
		p.Next()
		act.Kind = tree.ResetOptions
		act.Options = p.optionList(false)
	case lex.KOwner:
		p.Next()
		p.Expect(lex.KTo)
		act.Kind, act.Owner = tree.OwnerTo, p.roleSpec()
	case lex.KValidate:
		p.Next()
		p.Expect(lex.KConstraint)
		act.Kind, act.Column = tree.ValidateConstraint, p.ColID()
	default:
		if p.Word("compact") && p.WordAt(1, "salt") {
			p.At += 2
			act.Kind = tree.CompactSalt
			return act, nil
		}
		if a.Object == "sequence" {
			if opts := p.sequenceOptions(); len(opts) > 0 {
				act.Kind, act.Sequence = tree.SequenceAct, opts
				return act, nil
			}
		}
		v := action
		if k := p.Keyword(); a.Object != "table" && (k == lex.KOn || k == lex.KDepends || k == lex.KNo && p.Peek(1).Keyword == lex.KDepends) {
			v = indexAction
		}
		refused = p.refused(v, begin)
	}
	return act, refused
}

// noTableHas are actions about what no table has. Those without a name say what is so already:
// pg_dump --disable-triggers writes them, and test suites that load rows in no order.
var noTableHas = []struct {
	words []lex.Keyword
	named bool
}{
	{words(lex.KDisable, lex.KTrigger, lex.KAll), false},
	{words(lex.KDisable, lex.KTrigger, lex.KUser), false},
	{words(lex.KEnable, lex.KTrigger, lex.KAll), false},
	{words(lex.KEnable, lex.KTrigger, lex.KUser), false},
	{words(lex.KDisable, lex.KRow, lex.KLevel, lex.KSecurity), false},
	{words(lex.KNo, lex.KForce, lex.KRow, lex.KLevel, lex.KSecurity), false},
	{words(lex.KReplica, lex.KIdentity, lex.KDefault), false},
	{words(lex.KSet, lex.KWithout, lex.KCluster), false},
	{words(lex.KSet, lex.KWithout, lex.KOids), false},

	{words(lex.KDisable, lex.KTrigger), true},
	{words(lex.KEnable, lex.KTrigger), true},
	{words(lex.KEnable, lex.KAlways, lex.KTrigger), true},
	{words(lex.KEnable, lex.KReplica, lex.KTrigger), true},
	{words(lex.KDisable, lex.KRule), true},
	{words(lex.KEnable, lex.KRule), true},
	{words(lex.KEnable, lex.KAlways, lex.KRule), true},
	{words(lex.KEnable, lex.KReplica, lex.KRule), true},
}

// ofNoTable reads one of them.
func (p reader) ofNoTable(act *tree.AlterAction) bool {
	for _, a := range noTableHas {
		if p.follow(a.words) < len(a.words) {
			continue
		}
		p.At += len(a.words)
		act.Kind, act.Text = tree.AsItIs, inCapitals(a.words)
		if a.named {
			act.Kind, act.Column = tree.OfNone, p.ColID()
		}
		return true
	}
	return false
}

// alterAdd reads what follows ADD. Phoenix adds several columns with one ADD,
// and sets options behind them.
func (p reader) alterAdd(act *tree.AlterAction) {
	if p.atTableConstraint() {
		act.Kind, act.Constraint = tree.AddConstraint, p.tableConstraint()
		return
	}
	act.Kind = tree.AddColumn
	p.Accept(lex.KColumn)
	act.IfNotExists = p.ifNotExists()
	for {
		act.Columns = append(act.Columns, p.columnDef(false))
		if p.Kind() != lex.Comma || !p.anotherColumn() {
			break
		}
		p.Next()
	}
	act.Options = p.phoenixOptions()
	act.Cascade = p.Accept(lex.KCascade)
}

// anotherColumn tells whether a column, not an action, follows the comma.
func (p reader) anotherColumn() bool {
	t := p.Peek(1)
	if !cursor.IsColID(t) {
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
	if p.Accept(lex.KConstraint) {
		act.Kind = tree.DropConstraint
		act.IfExists = p.ifExists()
		act.Column = p.ColID()
		act.Cascade = p.cascade()
		return
	}
	act.Kind = tree.DropColumn
	p.Accept(lex.KColumn)
	act.IfExists = p.ifExists()
	for {
		c := tree.ColumnDef{Pos: p.Here(), Name: p.ColID()}
		if p.AcceptKind(lex.Dot) {
			c.Family, c.Name = c.Name, p.Label()
		}
		act.Columns = append(act.Columns, c)
		if p.Kind() != lex.Comma || !p.anotherColumn() {
			break
		}
		p.Next()
	}
	act.Column, act.Family = act.Columns[0].Name, act.Columns[0].Family
	act.Cascade = p.cascade()
}

// alterColumn reads what follows ALTER [COLUMN].
func (p reader) alterColumn(act *tree.AlterAction, begin int) (refused *tree.Unsupported) {
	if p.Keyword() == lex.KConstraint && p.At == begin+1 {
		p.At = begin
		return p.refused(action, begin)
	}
	if p.AcceptKind(lex.Int) { // an expression index's column, by number
		return p.refused(columnAction, begin)
	}
	act.Column = p.ColID()
	if p.AcceptKind(lex.Dot) {
		act.Family, act.Column = act.Column, p.Label()
	}
	switch {
	case p.Keyword() == lex.KType || p.Keyword() == lex.KSet && p.Peek(1).Keyword == lex.KData:
		if !p.Accept(lex.KType) {
			p.At += 2
			p.Expect(lex.KType)
		}
		act.Kind, act.Type = tree.AlterType, p.TypeName()
		if p.Accept(lex.KCollate) {
			n := p.AnyName()
			act.Text = n.Name
		}
		if p.Accept(lex.KUsing) {
			e := p.Expression()
			act.Using = &e
		}
	case p.Accept2(lex.KSet, lex.KDefault):
		e := p.Expression()
		act.Kind, act.Default = tree.SetDefault, &e
	case p.Accept2(lex.KDrop, lex.KDefault):
		act.Kind = tree.DropDefault
	case p.Keyword() == lex.KSet && p.Peek(1).Keyword == lex.KNot:
		p.At += 2
		p.Expect(lex.KNull)
		act.Kind = tree.SetNotNull
	case p.Keyword() == lex.KDrop && p.Peek(1).Keyword == lex.KNot:
		p.At += 2
		p.Expect(lex.KNull)
		act.Kind = tree.DropNotNull
	case p.Accept2(lex.KDrop, lex.KIdentity):
		act.Kind, act.IfExists = tree.DropIdentity, p.ifExists()
	case p.Accept2(lex.KDrop, lex.KExpression):
		act.Kind, act.IfExists = tree.DropExpression, p.ifExists()
	case p.Accept2(lex.KAdd, lex.KGenerated):
		var c tree.ColumnDef
		if p.generated(&c) != "identity" {
			p.SyntaxError()
		}
		act.Kind, act.Identity, act.Sequence = tree.AddIdentity, c.Identity, c.IdentityOpt
	case p.Keyword() == lex.KRestart, p.Keyword() == lex.KSet && startsIdentity(p.Peek(1).Keyword):
		p.setIdentity(act)
	case p.Keyword() == lex.KSet || p.Keyword() == lex.KReset:
		return p.refused(columnAction, begin)
	default:
		p.SyntaxError()
	}
	return nil
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
		case p.Accept2(lex.KSet, lex.KGenerated):
			if p.Accept(lex.KAlways) {
				act.Identity = "always"
			} else {
				p.Expect(lex.KBy)
				p.Expect(lex.KDefault)
				act.Identity = "by default"
			}
			continue
		case p.Keyword() == lex.KSet:
			p.Next()
		case p.Keyword() != lex.KRestart:
			return
		}
		opts := p.sequenceOptions()
		if len(opts) == 0 {
			p.SyntaxError()
		}
		act.Sequence = append(act.Sequence, opts...)
	}
}

// alterRename reads what follows RENAME.
func (p reader) alterRename(act *tree.AlterAction) {
	switch {
	case p.Accept(lex.KTo):
		act.Kind, act.NewName = tree.RenameTable, p.ColID()
		return
	case p.Accept(lex.KConstraint):
		act.Kind = tree.RenameConstraint
	default:
		p.Accept(lex.KColumn)
		act.Kind = tree.RenameColumn
	}
	act.Column = p.ColID()
	if p.AcceptKind(lex.Dot) {
		act.Family, act.Column = act.Column, p.Label()
	}
	p.Expect(lex.KTo)
	act.NewName = p.ColID()
}

// alterSet reads what follows SET: a schema, options of either spelling, or
// something else.
func (p reader) alterSet(act *tree.AlterAction, begin int) (refused *tree.Unsupported) {
	p.Next()
	switch {
	case p.Keyword() == lex.KSchema && !p.atOption():
		p.Next()
		act.Kind, act.NewName = tree.SetSchema, p.ColID()
	case p.Kind() == lex.LParen:
		act.Kind, act.Options = tree.SetOptions, p.optionList(false)
		act.Forward = p.forward()
	case p.atOption():
		act.Kind = tree.SetOptions
		act.Options = p.phoenixOptions()
		act.Forward = p.forward()
	default:
		p.At = begin
		return p.refused(action, begin)
	}
	return nil
}
