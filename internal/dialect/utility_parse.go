package dialect

func (p *translator) utility() Utility { p.syntaxError(); return nil }
