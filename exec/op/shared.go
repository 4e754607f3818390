package op

// Share keeps what a node makes for those of its ID elsewhere in the plan, from now on;
// it gives what they found there before.
func (cx *Context) Share(id int, v any) (was any) {
	cx.mu.Lock()
	defer cx.mu.Unlock()
	if cx.shared == nil {
		cx.shared = map[int]any{}
	}
	was = cx.shared[id]
	cx.shared[id] = v
	return was
}

// SharedAs gives what is shared under an ID, nil if nothing is.
func (cx *Context) SharedAs(id int) any {
	for ; cx != nil; cx = cx.parent {
		cx.mu.Lock()
		v := cx.shared[id]
		cx.mu.Unlock()
		if v != nil {
			return v
		}
	}
	return nil
}
