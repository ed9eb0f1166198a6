module github.com/opvet/opvet/e2e

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/sourcegraph/jsonrpc2 v0.2.3
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/mod v0.42.0
)

require golang.org/x/text v0.14.0 // indirect
