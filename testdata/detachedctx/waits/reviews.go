package waits

import (
	"context"
	"net/http"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// asker asks the API server, which stores nothing.
type asker struct{ kube kubernetes.Interface }

func (a *asker) Handle(ctx context.Context, req admission.Request) admission.Response {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: req.UserInfo.Username}}
	if _, err := a.kube.AuthorizationV1().SubjectAccessReviews().Create(context.TODO(), review, metav1.CreateOptions{}); err != nil { // want `hygiene: Create.*detachedctx/ctx-ignored`
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}
