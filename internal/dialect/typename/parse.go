package typename

// Parse reads a type name. Errors are *sqlerr.Error (42601).
func Parse(text string) (*TypeName, error) { return nil, nil }
