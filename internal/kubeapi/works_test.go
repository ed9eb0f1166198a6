package kubeapi

import (
	"go/token"
	"go/types"
	"testing"
)

func TestForeign(t *testing.T) {
	for path, want := range map[string]bool{
		"database/sql": true,
		"net/http":     false, // a client of it says how long
		"github.com/aws/aws-sdk-go-v2/service/ec2":        true,
		"github.com/gophercloud/gophercloud/v2/openstack": true,
		"k8s.io/client-go/kubernetes":                     false,
		"github.com/hashicorp/vault/api":                  false, // limits each request
		"github.com/hashicorp/vault/api/auth/aws":         false,
		"github.com/hashicorp/consul/api":                 true,
		"github.com/redis/go-redis/v9":                    false,
	} {
		fn := types.NewFunc(token.NoPos, types.NewPackage(path, "p"), "Do", types.NewSignatureType(nil, nil, nil, nil, nil, false))
		if isForeign(fn) != want {
			t.Errorf("isForeign(%s) = %v", path, !want)
		}
	}
}
