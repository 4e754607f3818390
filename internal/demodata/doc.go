// Package demodata carries two real data sets, as gzip'd CSV with a header
// line, for `saltsql demo`, examples and benchmarks.
//
//	Prices   daily prices of 100 S&P 500 shares, 2013-02 to 2018-02: symbol, day,
//	         open, high, low, close, volume. From Kaggle's camnugent/sandp500; CC0.
//	Metrics  58 metric series of the Numenta Anomaly Benchmark, among them CPU,
//	         disk and network of real cloud servers every five minutes: source,
//	         series, ts, value. From github.com/numenta/NAB at ea702d75; MIT, see
//	         LICENSE.nab.txt.
package demodata
