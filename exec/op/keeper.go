package op

// Keeper is of a side of a plan that is run again and again, as an Apply's right side or a
// recursive query's step: what operators there would make alike each time is kept from one
// run to the next. Who runs the side opens the keeper before its first run, and closes it
// before the side is closed for the last time. It is for one goroutine.
//
//	Open   cx.OpenKeeper(id)
//	run    operator of the side: cx.Keeper(id) ... what it keeps stays in it over Close and Open
//	Close  keeper.Close: drops what is kept
//
// An operator that stays open so for a keeper must not rely on it in a run without.
type Keeper struct {
	cx    *Context
	id    int
	was   any
	drops []func()
	ended bool
}

// OpenKeeper makes the keeper of an ID, which is over 0, for what is opened from now on;
// 0 is none.
func (cx *Context) OpenKeeper(id int) *Keeper {
	if id == 0 {
		return nil
	}
	k := &Keeper{cx: cx, id: id}
	k.was = cx.Share(-id, k) // WITH queries have the IDs over 0
	return k
}

// Keeper gives the keeper of an ID; nil where there is none, or the ID is 0.
func (cx *Context) Keeper(id int) *Keeper {
	if id == 0 {
		return nil
	}
	k, _ := cx.SharedAs(-id).(*Keeper)
	return k
}

// Keep has drop called when the keeper is closed; false where it is closed already.
func (k *Keeper) Keep(drop func()) bool {
	if k == nil || k.ended {
		return false
	}
	k.drops = append(k.drops, drop)
	return true
}

// Close drops what is kept. nil has nothing.
func (k *Keeper) Close() {
	if k == nil || k.ended {
		return
	}
	k.ended = true
	for _, drop := range k.drops {
		drop()
	}
	k.drops = nil
	k.cx.Share(-k.id, k.was)
}
