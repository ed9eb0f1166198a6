package cluster

import (
	"fmt"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// accountName is the service account that operators run under, in the namespace that is
// theirs.
const accountName = "operator"

func userOf(namespace string) string { return "system:serviceaccount:" + namespace + ":" + accountName }

// makeAccount makes a namespace with a service account, and returns a kubeconfig with a
// token of that account.
func (s *server) makeAccount(t *testing.T, namespace, file string) {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(s.config)
	ctx := t.Context()
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: accountName}}, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	seconds := int64(6 * 60 * 60)
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, accountName,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["it"] = &clientcmdapi.Cluster{Server: s.config.Host, CertificateAuthority: s.ca}
	config.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it", Namespace: namespace}
	config.CurrentContext = "it"
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
}

// grant gives the account of a namespace the roles, and nothing else.
func (s *server) grant(t *testing.T, namespace string, r roles) {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(s.config).RbacV1()
	ctx := t.Context()
	name := "opvet-" + namespace
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Name: accountName, Namespace: namespace}}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: r.cluster}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
	}
	leader := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Rules: r.leader}
	leaderBinding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}
	for _, put := range []struct{ create, update func() error }{
		{func() error { _, err := client.ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); return err },
			func() error { _, err := client.ClusterRoles().Update(ctx, role, metav1.UpdateOptions{}); return err }},
		{func() error {
			_, err := client.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
			return err
		},
			func() error { return nil }},
		{func() error {
			_, err := client.Roles(namespace).Create(ctx, leader, metav1.CreateOptions{})
			return err
		},
			func() error {
				_, err := client.Roles(namespace).Update(ctx, leader, metav1.UpdateOptions{})
				return err
			}},
		{func() error {
			_, err := client.RoleBindings(namespace).Create(ctx, leaderBinding, metav1.CreateOptions{})
			return err
		},
			func() error { return nil }},
	} {
		err := put.create()
		if apierrors.IsAlreadyExists(err) {
			err = put.update()
		}
		if err != nil {
			t.Fatal(fmt.Errorf("granting: %w", err))
		}
	}
}
