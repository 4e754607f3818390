package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// columnDef reads name type constraints. The type may be missing where that is
// decided later.
func (p reader) columnDef(untyped bool) tree.ColumnDef {
	c := tree.ColumnDef{Pos: p.here(), Quoted: p.kind() == lex.QuotedID, Name: p.colID()}
	if p.acceptKind(lex.Dot) {
		c.Family, c.FamilyQuoted, c.Quoted = c.Name, c.Quoted, p.kind() == lex.QuotedID
		c.Name = p.label()
	}
	if k := p.kind(); untyped && (k == lex.Comma || k == lex.RParen) {
		return c
	}
	c.Type = p.typeName()
	p.columnConstraints(&c)
	return c
}

// columnConstraints reads the constraints and attributes after a column's type.
func (p reader) columnConstraints(c *tree.ColumnDef) {
	var deferral *tree.Deferral
	for {
		at := p.i
		name := ""
		if p.accept(lex.KConstraint) {
			name = p.colID()
		}
		kind := ""
		pos := p.here()
		src := p.src()
		switch {
		case p.kw() == lex.KPrimary && p.peek(1).Keyword == lex.KKey && p.peek(2).Kind == lex.LParen:
			p.i = at // a table constraint without its comma
			return
		case p.accept2(lex.KNot, lex.KNull):
			c.NotNull, kind = true, "not null"
		case p.accept(lex.KNull):
			c.Null, kind = true, "null"
		case p.accept(lex.KDefault):
			if c.Default != nil {
				p.errorAt(src, `multiple default values specified for column "%s"`, c.Name)
			}
			e := p.expressionBy(p.bexpr)
			c.Default, kind = &e, "default"
		case p.accept2(lex.KPrimary, lex.KKey):
			c.PrimaryKey, kind = true, "primary key"
			switch {
			case p.accept(lex.KAsc):
			case p.accept(lex.KDesc):
				c.Desc = true
			}
			c.RowTime = p.acceptWord("row_timestamp")
			p.indexParameters(&tree.KeyConstraint{})
			deferral = &c.KeyDeferral
		case p.accept(lex.KUnique):
			c.Unique, kind = true, "unique"
			var k tree.KeyConstraint
			p.nullsDistinct(&k)
			p.indexParameters(&k)
			c.UniqueNullsNotDistinct = k.NullsNotDistinct
			deferral = &c.UniqueDeferral
		case p.kw() == lex.KCheck:
			c.Checks = append(c.Checks, *p.check(name, pos))
			kind = ""
			name = ""
		case p.kw() == lex.KReferences:
			c.References = p.references(name, pos)
			kind = "references"
			deferral = &c.References.Deferral
		case p.accept(lex.KGenerated):
			kind = p.generated(c)
		case p.accept(lex.KCollate):
			c.Collation = p.anyName()
		case p.kw() == lex.KStorage && isLabel(p.peek(1)):
			p.next()
			c.Storage = p.label()
		case p.kw() == lex.KCompression && isLabel(p.peek(1)):
			p.next()
			c.Compression = p.label()
		case p.word("qualifier") || p.word("encoded_qualifier") || p.wordOrKey(0, "format"):
			p.qualifier(c)
		case deferral != nil && p.deferral(deferral):
		default:
			if name != "" {
				p.syntaxError()
			}
			return
		}
		if name != "" {
			if kind == "" {
				p.syntaxErrorAt(at)
			}
			if c.ConstraintNames == nil {
				c.ConstraintNames = map[string]string{}
			}
			c.ConstraintNames[kind] = name
		}
	}
}

// generated reads what follows GENERATED.
func (p reader) generated(c *tree.ColumnDef) string {
	always := p.accept(lex.KAlways)
	if !always {
		p.expect(lex.KBy)
		p.expect(lex.KDefault)
	}
	p.expect(lex.KAs)
	if p.accept(lex.KIdentity) {
		c.Identity = "by default"
		if always {
			c.Identity = "always"
		}
		if p.acceptKind(lex.LParen) {
			c.IdentityOpt = p.sequenceOptions()
			p.expectKind(lex.RParen)
		}
		return "identity"
	}
	if !always {
		p.errorAt(p.src(), "for a generated column, GENERATED ALWAYS must be specified")
	}
	p.expectKind(lex.LParen)
	e := p.expression()
	p.expectKind(lex.RParen)
	p.expect(lex.KStored)
	c.Generated = &e
	return "generated"
}

// atTableConstraint tells whether a table constraint begins here.
func (p reader) atTableConstraint() bool {
	switch p.kw() {
	case lex.KConstraint, lex.KCheck, lex.KUnique, lex.KForeign:
		return true
	case lex.KPrimary:
		return true
	case lex.KExclude:
		k := p.peek(1)
		return k.Kind == lex.LParen || k.Keyword == lex.KUsing
	}
	return false
}

// tableConstraint reads [CONSTRAINT name] constraint.
func (p reader) tableConstraint() *tree.TableConstraint {
	t := &tree.TableConstraint{}
	pos := p.here()
	if p.accept(lex.KConstraint) {
		t.Name = p.colID()
	}
	switch {
	case p.accept2(lex.KPrimary, lex.KKey):
		t.Primary = p.keyConstraint(t.Name, pos)
	case p.accept(lex.KUnique):
		t.Unique = p.keyConstraint(t.Name, pos)
	case p.kw() == lex.KCheck:
		t.Check = p.check(t.Name, pos)
		var d tree.Deferral
		for p.deferral(&d) {
		}
		t.Check.NotValid = p.accept2(lex.KNot, lex.KValid)
	case p.accept2(lex.KForeign, lex.KKey):
		cols := p.colIDList()
		if p.kw() != lex.KReferences {
			p.syntaxError()
		}
		t.ForeignKey = p.references(t.Name, pos)
		t.ForeignKey.Columns = cols
		for p.deferral(&t.ForeignKey.Deferral) {
		}
		p.notEnforced(t.ForeignKey)
		t.ForeignKey.NotValid = p.accept2(lex.KNot, lex.KValid)
	case p.kw() == lex.KExclude:
		p.skipExclude()
		t.Exclude = &tree.Exclude{Name: t.Name, Pos: pos}
	default:
		p.syntaxError()
	}
	return t
}

func (p reader) skipExclude() {
	p.next()
	if p.accept(lex.KUsing) {
		p.colID()
	}
	for p.kind() == lex.LParen && p.tok().Match > 0 {
		p.i = int(p.tok().Match) + 1
		if p.kw() == lex.KWhere || p.kw() == lex.KWith || p.kw() == lex.KInclude {
			p.next()
		}
	}
}

// keyConstraint reads the rest of PRIMARY KEY or UNIQUE.
func (p reader) keyConstraint(name string, pos int) *tree.KeyConstraint {
	k := &tree.KeyConstraint{Name: name, Pos: pos}
	if p.accept2(lex.KUsing, lex.KIndex) {
		k.UsingIndex = p.colID()
	} else {
		p.nullsDistinct(k)
		p.expectKind(lex.LParen)
		for {
			c := tree.KeyCol{Pos: p.here(), Name: p.colID()}
			if p.acceptKind(lex.Dot) {
				c.Family, c.Name = c.Name, p.label()
			}
			p.keyDirection(&c, false)
			k.Columns = append(k.Columns, c)
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
		p.expectKind(lex.RParen)
		p.indexParameters(k)
	}
	for p.deferral(&k.Deferral) {
	}
	return k
}

// nullsDistinct reads NULLS [NOT] DISTINCT.
func (p reader) nullsDistinct(k *tree.KeyConstraint) {
	if p.accept(lex.KNulls) {
		k.NullsNotDistinct = p.accept(lex.KNot)
		p.expect(lex.KDistinct)
	}
}

// indexParameters reads what may follow a key's columns. WITH before anything
// but a parenthesis belongs to the table.
func (p reader) indexParameters(k *tree.KeyConstraint) {
	if p.kw() == lex.KInclude && p.peek(1).Kind == lex.LParen {
		p.next()
		k.Include = p.includeList()
	}
	if p.kw() == lex.KWith && p.peek(1).Kind == lex.LParen {
		p.next()
		k.Options = p.optionList(false)
	}
	if p.kw() == lex.KUsing && p.peek(1).Keyword == lex.KIndex && p.peek(2).Keyword == lex.KTablespace {
		p.i += 3
		p.colID()
	}
}

// check reads CHECK (expression) [NO INHERIT].
func (p reader) check(name string, pos int) *tree.Check {
	p.expect(lex.KCheck)
	p.expectKind(lex.LParen)
	e := p.expression()
	p.expectKind(lex.RParen)
	return &tree.Check{Name: name, Expr: &e, NoInherit: p.accept2(lex.KNo, lex.KInherit), Pos: pos}
}

// references reads REFERENCES table [(columns)] [MATCH …] [ON …].
func (p reader) references(name string, pos int) *tree.ForeignKey {
	p.next()
	f := &tree.ForeignKey{Name: name, Pos: pos, Table: p.qualified()}
	if p.kind() == lex.LParen {
		f.RefColumns = p.colIDList()
	}
	if p.accept(lex.KMatch) {
		switch p.kw() {
		case lex.KFull, lex.KPartial, lex.KSimple:
			f.Match = p.kw().String()
			p.next()
		default:
			p.syntaxError()
		}
	}
	for p.kw() == lex.KOn && (p.peek(1).Keyword == lex.KDelete || p.peek(1).Keyword == lex.KUpdate) {
		del := p.peek(1).Keyword == lex.KDelete
		p.i += 2
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
	if p.kw() == lex.KNot && p.wordAt(1, "enforced") {
		p.i += 2
		f.NotEnforced = true
	}
}

func (p reader) referentialAction() (action string, cols []string) {
	switch {
	case p.accept2(lex.KNo, lex.KAction):
		return "no action", nil
	case p.accept(lex.KRestrict):
		return "restrict", nil
	case p.accept(lex.KCascade):
		return "cascade", nil
	case p.accept2(lex.KSet, lex.KNull):
		action = "set null"
	case p.accept2(lex.KSet, lex.KDefault):
		action = "set default"
	default:
		p.syntaxError()
	}
	if p.kind() == lex.LParen {
		cols = p.colIDList()
	}
	return action, cols
}

// deferral reads one word of [NOT] DEFERRABLE [INITIALLY …].
func (p reader) deferral(d *tree.Deferral) bool {
	switch {
	case p.accept(lex.KDeferrable):
		d.Deferrable = true
	case p.accept2(lex.KNot, lex.KDeferrable):
		d.NotDeferrable = true
	case p.accept2(lex.KInitially, lex.KDeferred):
		d.InitiallyDeferred = true
	case p.accept2(lex.KInitially, lex.KImmediate):
		d.InitiallyImmediate = true
	default:
		return false
	}
	return true
}
