package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// configReaders are functions that are handed a rest.Config and leave it as it
// is.
var configReaders = newNameTable(
	restPath+".CopyConfig", restPath+".AnonymousClientConfig", restPath+".TLSConfigFor", restPath+".TransportFor", restPath+".HTTPWrappersForConfig",
	restPath+".HTTPClientFor", restPath+".IsConfigTransportTLS", restPath+".ServerURLFor", restPath+".DefaultServerURL", restPath+".DefaultServerUrlFor",
	"(*"+restPath+".Config).String", "(*"+restPath+".Config).GoString", "(*"+restPath+".Config).TransportConfig",
	"k8s.io/client-go/transport/spdy.RoundTripperFor", "k8s.io/client-go/tools/remotecommand.*", "k8s.io/client-go/tools/portforward.*",
)

// ReadsConfig reports whether fn reads a rest.Config that it is handed and does
// not change it.
func ReadsConfig(fn *types.Func) bool { return configReaders.match(fn) }

// CopiesConfig reports whether fn returns a copy of the rest.Config that it is
// handed.
func CopiesConfig(fn *types.Func) bool {
	return IsFunc(fn, restPath, "CopyConfig", "AnonymousClientConfig")
}

// configSources are functions that find out how to talk to a cluster, anew in
// each call.
var configSources = newNameTable(
	restPath+".InClusterConfig", "k8s.io/client-go/tools/clientcmd.*", "(k8s.io/client-go/tools/clientcmd.*", "(*k8s.io/client-go/tools/clientcmd.*",
	"sigs.k8s.io/controller-runtime/pkg/client/config.*", "k8s.io/cli-runtime/pkg/genericclioptions.*", "(*k8s.io/cli-runtime/pkg/genericclioptions.*",
)

// CallsConfigSource reports whether a call makes a rest.Config of what the process, a file or
// its arguments say, so that nobody else has it; also by the variables by which controller-runtime
// makes its functions available.
func CallsConfigSource(common *ssa.CallCommon) bool {
	return configSources.match(Callee(common)) ||
		callsVariable(common, "sigs.k8s.io/controller-runtime", "GetConfig") || callsVariable(common, "sigs.k8s.io/controller-runtime", "GetConfigOrDie")
}

// configChangers are functions that change the rest.Config that they are
// handed first, with the field that changes; it is empty for several.
var configChangers = map[string]string{
	restPath + ".AddUserAgent": "UserAgent", restPath + ".SetKubernetesDefaults": "", restPath + ".LoadTLSFiles": "TLSClientConfig",
	"(*" + restPath + ".Config).Wrap": "WrapTransport",
}

// ChangesConfig recognises the functions of client-go that change a
// rest.Config, and returns that and the field.
func ChangesConfig(common *ssa.CallCommon) (config ssa.Value, field string, ok bool) {
	callee := Callee(common)
	if callee == nil {
		return nil, "", false
	}
	field, ok = configChangers[FullName(callee.Origin())]
	if ops := Operands(common); ok && len(ops) > 0 {
		return ops[0], field, true
	}
	return nil, "", false
}

// SharedConfig reports whether fn returns the rest.Config that a manager or
// cluster has, which it gives to whoever asks.
func SharedConfig(fn *types.Func) bool {
	if !isGetter(fn, IsRESTConfig, "GetConfig") {
		return false
	}
	kind := ClientKindOf(fn.Signature().Recv().Type())
	return kind == Manager || kind == Cluster
}

// SpecialField reports whether a field of a rest.Config makes it good for some
// clients only, or for those of somebody: others that use it afterwards fail, or
// act as somebody else. What is left are rates, time-outs and names.
func SpecialField(name string) bool {
	switch name {
	case "QPS", "Burst", "RateLimiter", "UserAgent", "WarningHandler", "WarningHandlerWithContext", "Timeout", "DisableCompression":
		return false
	}
	return true
}

// SetByClients reports whether a field of a rest.Config is one that the
// constructors of clients set on a copy of their own, so that it matters to
// rest.RESTClientFor alone.
func SetByClients(name string) bool {
	return name == "APIPath" || name == "GroupVersion" || name == "NegotiatedSerializer"
}
