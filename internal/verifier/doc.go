// Package verifier is what a server keeps of a password: enough to check it, not enough to
// log in with. Its text is that of pg_authid.rolpassword, so that verifiers may come from
// PostgreSQL and go there:
//
//	SCRAM-SHA-256$4096:salt$StoredKey:ServerKey    in base64
//
// ALTER ROLE … PASSWORD makes them, and wire checks clients by them.
package verifier
