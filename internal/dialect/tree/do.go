package tree

// Do is DO: a body that is run once.
type Do struct {
	Language string // "" for PL/pgSQL
	Body     string
	Pos      int // of the body
}

func (*Do) Tag() string { return "DO" }
