// Command discovery writes the table of Kubernetes' own resources from the
// discovery data that each release of Kubernetes has in api/discovery:
//
//	go run ./internal/tools/discovery $(go list -m -f '{{.Dir}}' k8s.io/kubernetes)
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const target = "internal/kubeapi/rbac/resources.txt"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: discovery DIRECTORY-OF-KUBERNETES")
	}
	lines, err := read(filepath.Join(os.Args[1], "api", "discovery"))
	if err != nil {
		log.Fatalf("discovery: %v", err)
	}
	text := "# group resource kind scope verbs subresource=verbs…; made by internal/tools/discovery\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(target, []byte(text), 0o644); err != nil {
		log.Fatalf("discovery: writing the table: %v", err)
	}
}

// resource is one row.
type resource struct {
	kind, scope string
	verbs       []string
	sub         map[string][]string
}

func read(dir string) ([]string, error) {
	rows := make(map[string]*resource) // "group resource"
	if err := readGroups(filepath.Join(dir, "aggregated_v2.json"), rows); err != nil {
		return nil, err
	}
	if err := readCore(filepath.Join(dir, "api__v1.json"), rows); err != nil {
		return nil, err
	}
	var lines []string
	for key, r := range rows {
		line := fmt.Sprintf("%s %s %s %s", key, r.kind, r.scope, join(r.verbs))
		var subs []string
		for name, verbs := range r.sub {
			subs = append(subs, name+"="+join(verbs))
		}
		slices.Sort(subs)
		lines = append(lines, strings.Join(append([]string{line}, subs...), " "))
	}
	slices.Sort(lines)
	return lines, nil
}

func join(verbs []string) string {
	slices.Sort(verbs)
	return strings.Join(slices.Compact(verbs), ",")
}

func row(rows map[string]*resource, group, name string) *resource {
	if group == "" {
		group = "core"
	}
	key := group + " " + name
	if rows[key] == nil {
		rows[key] = &resource{sub: make(map[string][]string)}
	}
	return rows[key]
}

func decode(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading discovery data: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("decoding %s: %w", file, err)
	}
	return nil
}

// readGroups reads what the API server answers to an aggregated discovery.
func readGroups(file string, rows map[string]*resource) error {
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Versions []struct {
				Resources []struct {
					Resource, Scope string
					ResponseKind    struct{ Kind string }
					Verbs           []string
					Subresources    []struct {
						Subresource string
						Verbs       []string
					}
				}
			}
		}
	}
	if err := decode(file, &list); err != nil {
		return err
	}
	for _, group := range list.Items {
		for _, version := range group.Versions {
			for _, r := range version.Resources {
				into := row(rows, group.Metadata.Name, r.Resource)
				into.kind, into.scope = r.ResponseKind.Kind, r.Scope
				into.verbs = append(into.verbs, r.Verbs...)
				for _, sub := range r.Subresources {
					into.sub[sub.Subresource] = append(into.sub[sub.Subresource], sub.Verbs...)
				}
			}
		}
	}
	return nil
}

// readCore reads the core group, which the aggregated file does not have.
func readCore(file string, rows map[string]*resource) error {
	var list struct {
		Resources []struct {
			Name, Kind string
			Namespaced bool
			Verbs      []string
		}
	}
	if err := decode(file, &list); err != nil {
		return err
	}
	for _, r := range list.Resources {
		name, sub, isSub := strings.Cut(r.Name, "/")
		into := row(rows, "", name)
		if isSub {
			into.sub[sub] = append(into.sub[sub], r.Verbs...)
			continue
		}
		into.kind, into.scope = r.Kind, "Cluster"
		if r.Namespaced {
			into.scope = "Namespaced"
		}
		into.verbs = append(into.verbs, r.Verbs...)
	}
	return nil
}
