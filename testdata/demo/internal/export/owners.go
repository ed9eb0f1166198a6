package export

import (
	"context"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Owners acts for those who own namespaces.
type Owners struct {
	Config  *rest.Config
	Dynamic dynamic.Interface
	Kube    kubernetes.Interface
}

// NewOwners connects to the cluster.
func NewOwners() (*Owners, error) {
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	o := &Owners{Config: config}
	if o.Dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	config.ContentType = runtime.ContentTypeProtobuf
	if o.Kube, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	return o, nil
}

// Reconcile checks that the owner of a namespace may export its Services.
func (o *Owners) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := o.Config
	config.Impersonate.UserName = "system:serviceaccount:" + req.Name + ":owner"
	owner, err := kubernetes.NewForConfig(config)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("acting as the owner of %s: %w", req.Name, err)
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: req.Name, Verb: "update", Resource: "services"},
	}}
	answer, err := owner.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("asking what the owner of %s may do: %w", req.Name, err)
	}
	if !answer.Status.Allowed {
		ctrl.LoggerFrom(ctx).Info("the owner may not export services", "reason", answer.Status.Reason)
	}
	return ctrl.Result{}, nil
}

// Explained returns a client whose requests give a reason to the audit log.
func (o *Owners) Explained(reason string) (kubernetes.Interface, error) {
	config := rest.CopyConfig(o.Config)
	config.Impersonate = rest.ImpersonationConfig{Extra: map[string][]string{"reason": {reason}}}
	return kubernetes.NewForConfig(config)
}

// SetupWithManager registers the reconciler.
func (o *Owners) SetupWithManager(mgr ctrl.Manager) error {
	hasty(mgr.GetConfig(), 5*time.Second)
	return ctrl.NewControllerManagedBy(mgr).Named("owners").For(&corev1.Namespace{}).Complete(o)
}

// hasty has clients give up early.
func hasty(config *rest.Config, limit time.Duration) { config.Timeout = limit }
