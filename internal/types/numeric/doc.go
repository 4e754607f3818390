// Package numeric is Postgres's numeric over apd.Decimal: text and binary
// format, comparison, arithmetic and functions, with Postgres's choice of the
// result's scale.
//
//	value = Coeff × 10^Exponent, Exponent = -(display scale)
//
// Results always have an Exponent of 0 or less; arguments may have any. A
// result may be one of the arguments. NaN and the infinities are apd's Forms;
// NaN equals itself and is greater than everything. Nothing here keeps a
// pointer into an argument.
package numeric
