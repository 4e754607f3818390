package saltadvice

import (
	"github.com/saltsql/saltsql/planner/advise"
)

// WhatIf tells what a cluster does with the load now, and would do under each layout; of none, under
// those that are worth trying. 55000 for too few keys.
func (l *Load) WhatIf(layouts []Layout) ([]Told, error) {
	if err := l.Enough(); err != nil {
		return nil, err
	}
	now := Layout{Salt: l.Table.Salt()}
	told, err := l.Under(l.Table)
	if err != nil {
		return nil, err
	}
	told.Layout, told.Now = now, true
	list := []Told{told}
	if len(layouts) == 0 {
		for _, s := range advise.SaltVariants(l.Table)[1:] {
			layouts = append(layouts, Layout{Salt: s})
		}
	}
	for _, lay := range layouts {
		as, err := lay.Of(l.Table)
		if err != nil {
			return nil, err
		}
		told, err := l.Under(as)
		if err != nil {
			return nil, err
		}
		told.Layout = lay
		list = append(list, told)
	}
	return list, nil
}
