package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// columnDef reads name type constraints. The type may be missing where that is
// decided later.
func (p reader) columnDef(untyped bool) tree.ColumnDef {
	c := tree.ColumnDef{Pos: p.Here(), Quoted: p.Kind() == lex.QuotedID, Name: p.ColID()}
	if p.AcceptKind(lex.Dot) {
		c.Family, c.FamilyQuoted, c.Quoted = c.Name, c.Quoted, p.Kind() == lex.QuotedID
		if c.Map = p.AcceptOp(lex.OpMul); c.Map {
			c.Name = "*"
		} else {
			c.Name = p.Label()
		}
	}
	if k := p.Kind(); untyped && (k == lex.Comma || k == lex.RParen) {
		return c
	}
	c.Type = p.TypeName()
	p.columnConstraints(&c)
	return c
}

// columnConstraints reads the constraints and attributes after a column's type.
func (p reader) columnConstraints(c *tree.ColumnDef) {
	var deferral *tree.Deferral
	for {
		at := p.At
		name := ""
		if p.Accept(lex.KConstraint) {
			name = p.ColID()
		}
		kind := ""
		pos := p.Here()
		src := p.Offset()
		switch {
		case p.Keyword() == lex.KPrimary && p.Peek(1).Keyword == lex.KKey && p.Peek(2).Kind == lex.LParen:
			p.At = at // a table constraint without its comma
			return
		case p.Accept2(lex.KNot, lex.KNull):
			c.NotNull, kind = true, "not null"
		case p.Accept(lex.KNull):
			c.Null, kind = true, "null"
		case p.Accept(lex.KDefault):
			if c.Default != nil {
				c.Clash, c.ClashPos = "multiple default values specified", p.Pos(src)
			}
			e := p.ExpressionBy(p.BExpr)
			c.Default, kind = &e, "default"
		case p.Accept2(lex.KPrimary, lex.KKey):
			c.PrimaryKey, kind = true, "primary key"
			switch {
			case p.Accept(lex.KAsc):
			case p.Accept(lex.KDesc):
				c.Desc = true
			}
			c.RowTime = p.AcceptWord("row_timestamp")
			p.indexParameters(&tree.KeyConstraint{})
			deferral = &c.KeyDeferral
		case p.Accept(lex.KUnique):
			c.Unique, kind = true, "unique"
			var k tree.KeyConstraint
			p.nullsDistinct(&k)
			p.indexParameters(&k)
			c.UniqueNullsNotDistinct = k.NullsNotDistinct
			deferral = &c.UniqueDeferral
		case p.Keyword() == lex.KCheck:
			c.Checks = append(c.Checks, *p.check(name, pos))
			kind = ""
			name = ""
		case p.Keyword() == lex.KReferences:
			c.References = p.references(name, pos)
			kind = "references"
			deferral = &c.References.Deferral
		case p.Accept(lex.KGenerated):
			kind = p.generated(c)
		case p.Accept(lex.KCollate):
			c.Collation = p.AnyName()
		case p.Keyword() == lex.KStorage && cursor.IsLabel(p.Peek(1)):
			p.Next()
			c.Storage = p.Label()
		case p.Keyword() == lex.KCompression && cursor.IsLabel(p.Peek(1)):
			p.Next()
			c.Compression = p.Label()
		case p.Word("qualifier") || p.Word("encoded_qualifier") || p.wordOrKey(0, "format"):
			p.qualifier(c)
		case deferral != nil && p.deferral(deferral):
		default:
			if name != "" {
				p.SyntaxError()
			}
			return
		}
		if what := clash(c); c.Clash == "" && what != "" {
			c.Clash, c.ClashPos = what, p.Pos(src)
		}
		if name != "" {
			if kind == "" {
				p.SyntaxErrorAt(at)
			}
			if c.ConstraintNames == nil {
				c.ConstraintNames = map[string]string{}
			}
			c.ConstraintNames[kind] = name
		}
	}
}

// clash says which two of a column's clauses do not go together, "" for none.
func clash(c *tree.ColumnDef) string {
	switch {
	case c.Null && c.NotNull:
		return "conflicting NULL/NOT NULL declarations"
	case c.Default != nil && c.Identity != "":
		return "both default and identity specified"
	case c.Default != nil && c.Generated != nil:
		return "both default and generation expression specified"
	case c.Identity != "" && c.Generated != nil:
		return "both identity and generation expression specified"
	}
	return ""
}

// generated reads what follows GENERATED.
func (p reader) generated(c *tree.ColumnDef) string {
	src := p.Tokens[p.At-1].Start
	always := p.Accept(lex.KAlways)
	if !always {
		p.Expect(lex.KBy)
		p.Expect(lex.KDefault)
	}
	p.Expect(lex.KAs)
	if p.Accept(lex.KIdentity) {
		if c.Identity != "" {
			c.Clash, c.ClashPos = "multiple identity specifications", p.Pos(src)
		}
		c.Identity = "by default"
		if always {
			c.Identity = "always"
		}
		if p.AcceptKind(lex.LParen) {
			c.IdentityOpt = p.sequenceOptions()
			p.ExpectKind(lex.RParen)
		}
		return "identity"
	}
	if !always {
		p.ErrorAt(p.Offset(), "for a generated column, GENERATED ALWAYS must be specified")
	}
	p.ExpectKind(lex.LParen)
	e := p.Expression()
	p.ExpectKind(lex.RParen)
	p.Expect(lex.KStored)
	if c.Generated != nil {
		c.Clash, c.ClashPos = "multiple generation clauses specified", p.Pos(src)
	}
	c.Generated = &e
	return "generated"
}

// atTableConstraint tells whether a table constraint begins here.
func (p reader) atTableConstraint() bool {
	switch p.Keyword() {
	case lex.KConstraint, lex.KCheck, lex.KUnique, lex.KForeign:
		return true
	case lex.KPrimary:
		return true
	case lex.KExclude:
		k := p.Peek(1)
		return k.Kind == lex.LParen || k.Keyword == lex.KUsing
	}
	return false
}

// tableConstraint reads [CONSTRAINT name] constraint.
func (p reader) tableConstraint() *tree.TableConstraint {
	t := &tree.TableConstraint{}
	pos := p.Here()
	if p.Accept(lex.KConstraint) {
		t.Name = p.ColID()
	}
	switch {
	case p.Accept2(lex.KPrimary, lex.KKey):
		t.Primary = p.keyConstraint(t.Name, pos)
	case p.Accept(lex.KUnique):
		t.Unique = p.keyConstraint(t.Name, pos)
	case p.Keyword() == lex.KCheck:
		t.Check = p.check(t.Name, pos)
		var d tree.Deferral
		for p.deferral(&d) {
		}
		t.Check.NotValid = p.Accept2(lex.KNot, lex.KValid)
	case p.Accept2(lex.KForeign, lex.KKey):
		cols := p.ColIDList()
		if p.Keyword() != lex.KReferences {
			p.SyntaxError()
		}
		t.ForeignKey = p.references(t.Name, pos)
		t.ForeignKey.Columns = cols
		for p.deferral(&t.ForeignKey.Deferral) {
		}
		p.notEnforced(t.ForeignKey)
		t.ForeignKey.NotValid = p.Accept2(lex.KNot, lex.KValid)
	case p.Keyword() == lex.KExclude:
		p.skipExclude()
		t.Exclude = &tree.Exclude{Name: t.Name, Pos: pos}
	default:
		p.SyntaxError()
	}
	return t
}

func (p reader) skipExclude() {
	p.Next()
	if p.Accept(lex.KUsing) {
		p.ColID()
	}
	for p.Kind() == lex.LParen && p.Token().Match > 0 {
		p.At = int(p.Token().Match) + 1
		if p.Keyword() == lex.KWhere || p.Keyword() == lex.KWith || p.Keyword() == lex.KInclude {
			p.Next()
		}
	}
}

// keyConstraint reads the rest of PRIMARY KEY or UNIQUE.
func (p reader) keyConstraint(name string, pos int) *tree.KeyConstraint {
	k := &tree.KeyConstraint{Name: name, Pos: pos}
	if p.Accept2(lex.KUsing, lex.KIndex) {
		k.UsingIndex = p.ColID()
	} else {
		p.nullsDistinct(k)
		p.ExpectKind(lex.LParen)
		p.keyColumns(k)
		p.ExpectKind(lex.RParen)
		p.indexParameters(k)
	}
	for p.deferral(&k.Deferral) {
	}
	return k
}

func (p reader) keyColumns(k *tree.KeyConstraint) {
	for {
		c := p.keyColumn()
		p.keyDirection(&c, false)
		k.Columns = append(k.Columns, c)
		if !p.AcceptKind(lex.Comma) {
			return
		}
	}
}

// keyColumn reads a column's name, perhaps with Phoenix's family.
func (p reader) keyColumn() tree.KeyCol {
	c := tree.KeyCol{Pos: p.Here(), Name: p.ColID()}
	if p.AcceptKind(lex.Dot) {
		c.Family, c.Name = c.Name, p.Label()
	}
	return c
}

// nullsDistinct reads NULLS [NOT] DISTINCT.
func (p reader) nullsDistinct(k *tree.KeyConstraint) {
	if p.Accept(lex.KNulls) {
		k.NullsNotDistinct = p.Accept(lex.KNot)
		p.Expect(lex.KDistinct)
	}
}

// indexParameters reads what may follow a key's columns. WITH before anything
// but a parenthesis belongs to the table.
func (p reader) indexParameters(k *tree.KeyConstraint) {
	if p.Keyword() == lex.KInclude && p.Peek(1).Kind == lex.LParen {
		p.Next()
		k.Include = p.includeList()
	}
	if p.Keyword() == lex.KWith && p.Peek(1).Kind == lex.LParen {
		p.Next()
		k.Options = p.optionList(false)
	}
	if p.Keyword() == lex.KUsing && p.Peek(1).Keyword == lex.KIndex && p.Peek(2).Keyword == lex.KTablespace {
		p.At += 3
		p.ColID()
	}
}

// check reads CHECK (expression) [NO INHERIT].
func (p reader) check(name string, pos int) *tree.Check {
	p.Expect(lex.KCheck)
	p.ExpectKind(lex.LParen)
	e := p.Expression()
	p.ExpectKind(lex.RParen)
	return &tree.Check{Name: name, Expr: &e, NoInherit: p.Accept2(lex.KNo, lex.KInherit), Pos: pos}
}

// references reads REFERENCES table [(columns)] [MATCH …] [ON …].
func (p reader) references(name string, pos int) *tree.ForeignKey {
	p.Next()
	f := &tree.ForeignKey{Name: name, Pos: pos, Table: p.Qualified()}
	if p.Kind() == lex.LParen {
		f.RefColumns = p.ColIDList()
	}
	if p.Accept(lex.KMatch) {
		switch p.Keyword() {
		case lex.KFull, lex.KPartial, lex.KSimple:
			f.Match = p.Keyword().String()
			p.Next()
		default:
			p.SyntaxError()
		}
	}
	for p.Keyword() == lex.KOn && (p.Peek(1).Keyword == lex.KDelete || p.Peek(1).Keyword == lex.KUpdate) {
		del := p.Peek(1).Keyword == lex.KDelete
		p.At += 2
		action, cols := p.referentialAction()
		if del {
			f.OnDelete, f.OnDeleteColumns = action, cols
		} else {
			f.OnUpdate = action
		}
	}
	p.notEnforced(f)
	return f
}

// notEnforced reads NOT ENFORCED.
func (p reader) notEnforced(f *tree.ForeignKey) {
	if p.Keyword() == lex.KNot && p.WordAt(1, "enforced") {
		p.At += 2
		f.NotEnforced = true
	}
}

func (p reader) referentialAction() (action string, cols []string) {
	switch {
	case p.Accept2(lex.KNo, lex.KAction):
		return "no action", nil
	case p.Accept(lex.KRestrict):
		return "restrict", nil
	case p.Accept(lex.KCascade):
		return "cascade", nil
	case p.Accept2(lex.KSet, lex.KNull):
		action = "set null"
	case p.Accept2(lex.KSet, lex.KDefault):
		action = "set default"
	default:
		p.SyntaxError()
	}
	if p.Kind() == lex.LParen {
		cols = p.ColIDList()
	}
	return action, cols
}

// deferral reads one word of [NOT] DEFERRABLE [INITIALLY …].
func (p reader) deferral(d *tree.Deferral) bool {
	switch {
	case p.Accept(lex.KDeferrable):
		d.Deferrable = true
	case p.Accept2(lex.KNot, lex.KDeferrable):
		d.NotDeferrable = true
	case p.Accept2(lex.KInitially, lex.KDeferred):
		d.InitiallyDeferred = true
	case p.Accept2(lex.KInitially, lex.KImmediate):
		d.InitiallyImmediate = true
	default:
		return false
	}
	return true
}
