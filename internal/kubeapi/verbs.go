package kubeapi

import (
	"strings"
	"unicode"
)

// IsCleaningName reports whether the name of a function begins with a verb for
// taking something away, also by force.
func IsCleaningName(name string) bool {
	first := firstWord(name)
	if first == "force" {
		first = firstWord(name[len(first):])
	}
	return cleaning[first]
}

// cleaning are the words with which names of functions begin that clean up.
var cleaning = map[string]bool{
	"delete": true, "remove": true, "cleanup": true, "clean": true, "finalize": true, "destroy": true, "teardown": true, "tear": true,
	"purge": true, "revoke": true, "unregister": true, "deregister": true, "deprovision": true, "uninstall": true, "undeploy": true,
	"disassociate": true, "detach": true, "terminate": true, "drop": true, "deallocate": true, "unbind": true,
}

// IsAskingName reports whether the name of a function begins with a verb for asking what is there.
func IsAskingName(name string) bool { return asking[firstWord(name)] }

var asking = map[string]bool{
	"get": true, "is": true, "has": true, "check": true, "describe": true, "list": true, "fetch": true, "query": true, "find": true, "lookup": true,
}

// firstWord returns the first word of a name in camel case, in lower case.
func firstWord(name string) string {
	for i, r := range name {
		if i > 0 && (unicode.IsUpper(r) || r == '_' || unicode.IsDigit(r)) {
			return strings.ToLower(name[:i])
		}
	}
	return strings.ToLower(name)
}
