package norm

import "github.com/saltsql/saltsql/planner/logical"

// Steps is Statement rule by rule: each is called with every tree that one has made. It says
// whether the rules have come to an end.
func Steps(s *logical.Statement, o Options, each func(rule string, n logical.Node)) (ended bool, err error) {
	z := &normalizer{meta: s.Meta, facts: logical.NewFacts(s.Meta), env: o.Env, out: logical.SetOf(s.Out...)}
	if len(s.Out) == 0 {
		z.out = logical.SetOf(s.Root.Out()...)
	}
	each("bind", s.Root)
	root, err := (&hoister{meta: z.meta, facts: z.facts}).node(s.Root)
	if err != nil {
		return false, err
	}
	each("hoist", root)
	for range maxRounds {
		before := root
		for _, r := range rules {
			out := r.apply(z, root)
			if out != root {
				each(r.name, out)
			}
			root = out
		}
		if root == before {
			return true, nil
		}
	}
	return false, nil
}

var Relational = relational
