// Package sim wraps a store, so that what is asked of it is reckoned on the nodes of a Bigtable
// cluster that is not there.
//
//	caller ── Store ── inner store           answers, at once
//	            └─── saltmodel.Cluster       says how long the service would have taken
//
// Tests, benches and the plots of docs/ use it. It must never sleep, and must ask for the same
// times for the same requests.
package sim
