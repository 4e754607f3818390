package tree

// Listen is LISTEN.
type Listen struct{ Channel string }

// Unlisten is UNLISTEN.
type Unlisten struct {
	Channel string
	All     bool
}

// Notify is NOTIFY.
type Notify struct {
	Channel string
	Payload string
}

func (*Listen) Tag() string   { return "LISTEN" }
func (*Unlisten) Tag() string { return "UNLISTEN" }
func (*Notify) Tag() string   { return "NOTIFY" }
