package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// MakesWebhookBuilder recognises builder.WebhookManagedBy and its short name. The
// object comes with it since controller-runtime 0.23, and with For before.
func MakesWebhookBuilder(common *ssa.CallCommon) bool {
	return callsEither(common, builderPath, "WebhookManagedBy", runtimeRoot, "NewWebhookManagedBy")
}

// IsWebhookBuilder reports whether t is controller-runtime's builder of webhooks.
func IsWebhookBuilder(t types.Type) bool { return IsNamed(t, builderPath, "WebhookBuilder") }

// WebhookRole is what a webhook does.
type WebhookRole uint8

// The roles.
const (
	Defaults WebhookRole = 1 << iota
	Validates
	Converts
)

var webhookRoles = map[string]WebhookRole{
	"WithDefaulter": Defaults, "WithCustomDefaulter": Defaults, "WithValidator": Validates, "WithCustomValidator": Validates, "WithConverter": Converts,
}

// WebhookRoleOf tells what a method of the builder's adds.
func WebhookRoleOf(fn *types.Func) WebhookRole { return webhookRoles[fn.Name()] }

// WebhookRolesOf tells what webhooks an object has that is a defaulter or validator
// itself, as was usual before controller-runtime 0.20, or that converts versions.
func WebhookRolesOf(t types.Type) WebhookRole {
	var roles WebhookRole
	if m := method(t, "Default"); m != nil && m.Params().Len() == 0 {
		roles |= Defaults
	}
	if m := method(t, "ValidateCreate"); m != nil && m.Params().Len() == 0 {
		roles |= Validates
	}
	if HasMethod(t, "Hub") || HasMethod(t, "ConvertTo") && HasMethod(t, "ConvertFrom") {
		roles |= Converts
	}
	return roles
}

// IsConversion reports whether fn is a method that converts an object to or from the
// hub version (sigs.k8s.io/controller-runtime/pkg/conversion.Convertible).
func IsConversion(fn *types.Func) bool {
	if fn == nil || fn.Name() != "ConvertTo" && fn.Name() != "ConvertFrom" {
		return false
	}
	params := fn.Signature().Params()
	return params.Len() == 1 && types.IsInterface(params.At(0).Type()) && HasMethod(params.At(0).Type(), "Hub")
}

// RegistersWebhook recognises Register(path, handler) of controller-runtime's webhook
// server.
func RegistersWebhook(common *ssa.CallCommon) (path ssa.Value, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Name() != "Register" || fn.Pkg() == nil || fn.Pkg().Path() != runtimePath+"webhook" {
		return nil, false
	}
	recv, args := Args(common)
	if recv == nil || len(args) != 2 {
		return nil, false
	}
	return args[0], true
}
