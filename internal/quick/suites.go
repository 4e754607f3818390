package main

// suites are the packages whose tests take many minutes, with those of them that run where
// something has changed that they import.
var suites = map[string]string{
	"conformance":         "TestSLT",
	"conformance/servers": "TestKilledServer",
}

// readers are tests of what lies in no package. A name that ends in / is a folder.
var readers = []struct{ of, dir, tests string }{
	{"README.md", "conformance", "TestReadme"},
	{"docs/", "conformance", "TestDocsSQL|TestDocsCommands|TestDocsLinks|TestDocsLists|TestDashboard"},
	{"docs/salting.md", "conformance/hotspot", "TestSalting"},
	{"deploy/", "conformance", "TestChart|TestDockerfile"},
}

// overSource are the tests that read the source of all packages.
const overSource = "internal/lint"
