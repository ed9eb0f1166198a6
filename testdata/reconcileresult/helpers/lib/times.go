package lib

import (
	"crypto/x509"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// IsOver reports whether the time of a backup has passed.
func IsOver(backup *v1.Backup, after time.Duration) bool {
	start := backup.Status.StartTime
	return start != nil && start.Add(after).Before(time.Now())
}

// Renewed returns the certificate of a Secret, which it renews in time.
func Renewed(secret *corev1.Secret) (*x509.Certificate, error) {
	return x509.ParseCertificate(secret.Data["tls.der"])
}
