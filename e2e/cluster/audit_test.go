package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// auditPolicy has the server note who asked for what, and the answer.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: [admin, "system:apiserver"]
- level: Metadata
`

// auditLog is what the server notes of requests.
type auditLog struct {
	file string
	read int64
}

// request is one that an operator has made.
type request struct {
	permission
	User, Namespace, Name, Version string
	// Forbidden is why the server has refused; empty if it has not.
	Forbidden string
	// ByRole tells that it was the authorizer that refused, and not a check of what
	// the request asks for.
	ByRole bool
}

// permission is one verb on one resource.
type permission struct{ Group, Resource, Sub, Verb string }

func (p permission) String() string {
	name := p.Resource
	if p.Group != "" {
		name += "." + p.Group
	}
	if p.Sub != "" {
		name += "/" + p.Sub
	}
	return p.Verb + " " + name
}

// next returns what the users of a namespace's service accounts have asked for since
// the last call.
func (l *auditLog) next(t *testing.T, account string) []request {
	t.Helper()
	file, err := os.Open(l.file)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Seek(l.read, 0); err != nil {
		t.Fatal(err)
	}
	var requests []request
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return requests // the last line may not be whole yet
		}
		l.read += int64(len(line))
		if r, ok := parseRequest(t, line); ok && r.User == account {
			requests = append(requests, r)
		}
	}
}

func parseRequest(t *testing.T, line []byte) (request, bool) {
	t.Helper()
	var event struct {
		Verb string
		User struct{ Username string }
		// A request as somebody else is refused to who is, not to who is meant.
		ImpersonatedUser *struct{ Username string }
		ObjectRef        *struct{ APIGroup, APIVersion, Resource, Subresource, Namespace, Name string }
		ResponseStatus   struct {
			Code    int
			Message string
		}
		Annotations map[string]string
	}
	if err := json.Unmarshal(bytes.TrimSpace(line), &event); err != nil {
		t.Fatalf("reading the audit log: %v: %s", err, line)
	}
	ref := event.ObjectRef
	if ref == nil || event.ImpersonatedUser != nil {
		return request{}, false
	}
	r := request{
		permission: permission{ref.APIGroup, ref.Resource, ref.Subresource, event.Verb},
		User:       event.User.Username, Namespace: ref.Namespace, Name: ref.Name, Version: ref.APIVersion,
	}
	if event.ResponseStatus.Code == 403 {
		r.Forbidden = event.ResponseStatus.Message
		r.ByRole = event.Annotations["authorization.k8s.io/decision"] == "forbid"
		if r.Forbidden == "" {
			r.Forbidden = event.Annotations["authorization.k8s.io/reason"]
		}
	}
	return r, true
}

// isRefusalOf reports whether a request was refused for lack of a permission.
func (r request) isRefusalOf(p permission) bool {
	switch {
	case r.Forbidden == "":
		return false
	case r.ByRole && r.permission == p:
		return true
	}
	// What the request asks for needs a permission of its own.
	switch {
	case p.Verb == "create" && r.Verb == "patch":
		// What is applied and is not there is created.
		return r.Group == p.Group && r.Resource == p.Resource && r.Sub == p.Sub
	case p.Verb == "impersonate":
		return strings.Contains(r.Forbidden, "cannot impersonate resource \""+p.Resource+"\"")
	case p.Sub == "finalizers":
		return strings.Contains(r.Forbidden, "blockOwnerDeletion")
	case p.Verb == "escalate" || p.Verb == "bind":
		return strings.Contains(r.Forbidden, "attempting to grant RBAC permissions")
	}
	// Who makes a role must hold what it grants.
	return strings.Contains(r.Forbidden, "attempting to grant RBAC permissions") && strings.Contains(r.Forbidden, strconv.Quote(p.Resource))
}

// forbidden lists what was refused.
func forbidden(requests []request) []string {
	var list []string
	for _, r := range requests {
		text := fmt.Sprintf("%s: %s", r.permission, r.Forbidden)
		if r.Forbidden != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
