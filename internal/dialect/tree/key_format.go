package tree

// KeyFormat is KEY FORMAT (item, …) of ATTACH TABLE: what keys are made of, in order.
type KeyFormat struct {
	Items []KeyItem
	Pos   int
}

// KeyItem is a literal, the salt or a column, and how it is written.
type KeyItem struct {
	Literal []byte
	Salt    *KeySalt
	Column  string
	// Reversed is MAX - column, or with Max > 0 that number less the column.
	Reversed bool
	Max      int64
	Kind     string // "", text, decimal, hex or binary
	Unit     string // "", seconds, millis or micros
	Width    int    // 0: not said
	Pos      int
}

// KeySalt is SALT hash(item, …) % Buckets; Buckets is 0 without a modulus.
type KeySalt struct {
	Hash    string
	Args    []KeyItem
	Buckets int
	Signed  bool
}
