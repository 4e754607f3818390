package tree

// Utility is a statement other than a query or DML. Tag is its name in capital
// letters ("CREATE TABLE"), as in command tags and messages.
type Utility interface{ Tag() string }

// Unsupported is a statement of Postgres that is recognised by its command
// words and not read further: the session refuses it with 0A000, naming
// Command ("CREATE FUNCTION") and what to do instead.
type Unsupported struct {
	Command string
	Instead string
	Pos     int
}

func (u *Unsupported) Tag() string { return u.Command }
