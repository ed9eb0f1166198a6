package lost

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/createorupdate/lib"
)

// What users wish, by a spec, does not arrive.

// keeper has the object that it works for.
type keeper struct {
	client.Client
	backup *v1.Backup
	image  string
	port   int32
}

func (k *keeper) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: k.backup.Name, Namespace: k.backup.Namespace}
}

// Helpers make the parts.
func (k *keeper) inParts(ctx context.Context) error {
	workload := &appsv1.StatefulSet{ObjectMeta: k.meta(), Spec: appsv1.StatefulSetSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: k.containers()}},
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, workload, func() error { // want `^loss: changes of spec never reach the StatefulSet`
		return controllerutil.SetControllerReference(k.backup, workload, k.Scheme())
	})
	return err
}

func (k *keeper) containers() []corev1.Container {
	return []corev1.Container{{Name: "main", Image: k.image, Args: []string{"--source", k.backup.Spec.Source}}}
}

// Another package makes it.
func (k *keeper) madeElsewhere(ctx context.Context) error {
	workload := lib.Workload(k.backup)
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, workload, func() error { // want `^loss: changes of spec never reach the Deployment`
		return controllerutil.SetControllerReference(k.backup, workload, k.Scheme())
	})
	return err
}

// So does a builder, which may fail.
func (k *keeper) built(ctx context.Context) error {
	workload, err := lib.NewBuilder(k.backup).Workload()
	if err != nil {
		return err
	}
	_, err = controllerutil.CreateOrUpdate(ctx, k.Client, workload, func() error { // want `^loss: changes of spec never reach the Deployment`
		return controllerutil.SetControllerReference(k.backup, workload, k.Scheme())
	})
	return err
}

// Its owner is handed over as a copy.
func (k *keeper) reconcile(ctx context.Context) error {
	return k.ofCopy(ctx, lib.NewBuilder(k.backup), *k.backup)
}

func (k *keeper) ofCopy(ctx context.Context, builder *lib.Builder, backup v1.Backup) error {
	workload, err := builder.Workload()
	if err != nil {
		return err
	}
	_, err = ctrl.CreateOrUpdate(ctx, k.Client, workload, func() error { // want `^loss: changes of spec never reach the Deployment`
		if err := controllerutil.SetControllerReference(&backup, workload, k.Scheme()); err != nil {
			return err
		}
		return nil
	})
	return err
}

func (k *keeper) byShortName(ctx context.Context) error {
	workload := lib.Workload(k.backup)
	_, err := ctrl.CreateOrPatch(ctx, k.Client, workload, func() error { // want `^loss: changes of spec never reach the Deployment`
		return ctrl.SetControllerReference(k.backup, workload, k.Scheme())
	})
	return err
}

func (k *keeper) handedOver(ctx context.Context) error {
	return k.ensure(ctx, lib.Workload(k.backup))
}

func (k *keeper) ensure(ctx context.Context, object client.Object) error {
	if err := controllerutil.SetControllerReference(k.backup, object, k.Scheme()); err != nil {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, object, func() error { return nil }) // want `^loss: the first version of the Deployment stays forever`
	return err
}

// The function does nothing: of a kind of the module's own, too, that was not meant.
func (k *keeper) child(ctx context.Context) error {
	child := &v1.Backup{ObjectMeta: k.meta(), Spec: v1.BackupSpec{Source: k.backup.Spec.Source}}
	_, err := controllerutil.CreateOrPatch(ctx, k.Client, child, nil) // want `^loss: the first version of the Backup stays forever`
	return err
}

// It goes on like this once the status says anything at all.
func (k *keeper) onceInitialised(ctx context.Context) error {
	if k.backup.Status.Phase == "" {
		k.backup.Status.Phase = v1.BackupPending
		return k.Status().Update(ctx, k.backup)
	}
	config := &corev1.ConfigMap{ObjectMeta: k.meta(), Data: map[string]string{"source": k.backup.Spec.Source}}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, config, func() error { return nil }) // want `^loss: the first version of the ConfigMap stays forever`
	return err
}

// What the operator is configured with changes with the operator.
func (k *keeper) configured(ctx context.Context) error {
	service := &corev1.Service{ObjectMeta: k.meta(), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: k.port, TargetPort: intstr.FromInt32(k.port)}}}}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, service, func() error { // want `^hygiene: changes of spec never reach the Service`
		return controllerutil.SetControllerReference(k.backup, service, k.Scheme())
	})
	return err
}

// Names stay what they are.
func (k *keeper) named(ctx context.Context) error {
	binding := &rbacv1.RoleBinding{
		ObjectMeta: k.meta(),
		RoleRef:    rbacv1.RoleRef{Kind: "Role", Name: k.backup.Name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: k.backup.Name, Namespace: k.backup.Namespace}},
	}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, binding, func() error { return nil }) // want `^hygiene: the first version of the RoleBinding stays forever`
	return err
}

// Many a child is made once, and its function sees to the labels.
func (k *keeper) labelledChild(ctx context.Context) error {
	child := &v1.Backup{ObjectMeta: k.meta(), Spec: v1.BackupSpec{Source: k.backup.Spec.Source}}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, child, func() error { // want `^hygiene: changes of spec never reach the Backup`
		child.Labels = k.backup.Labels
		return nil
	})
	return err
}

// So is many a Secret.
func (k *keeper) secret(ctx context.Context) error {
	secret := &corev1.Secret{ObjectMeta: k.meta(), StringData: map[string]string{"source": k.backup.Spec.Source}}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, secret, func() error { // want `^hygiene: changes of stringData never reach the Secret`
		return controllerutil.SetControllerReference(k.backup, secret, k.Scheme())
	})
	return err
}

// asker asks another service, which answers the same the next time.
type asker interface {
	Ask(ctx context.Context, source string) (string, error)
}

func (k *keeper) asked(ctx context.Context, service asker) error {
	token, err := service.Ask(ctx, k.backup.Spec.Source)
	if err != nil {
		return err
	}
	config := &corev1.ConfigMap{ObjectMeta: k.meta(), Data: map[string]string{"token": token}}
	_, err = controllerutil.CreateOrUpdate(ctx, k.Client, config, func() error { return nil }) // want `^hygiene: the first version of the ConfigMap stays forever`
	return err
}
