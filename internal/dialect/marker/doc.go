// Package marker encodes the constructs that MySQL's grammar lacks, and
// decodes them for the binder.
package marker
