package maporder

import (
	"crypto/sha256"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// What is found to have one entry has only one order.

func hashOfOne(secret *corev1.Secret) (string, error) {
	if len(secret.Data) != 1 {
		return "", fmt.Errorf("%s: one key is wanted", secret.Name)
	}
	return sumOfOne(secret), nil
}

func sumOfOne(secret *corev1.Secret) string {
	h := sha256.New()
	for key, value := range secret.Data {
		h.Write([]byte(key))
		h.Write(value)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func settingOfOne(settings map[string]string) []byte {
	h := sha256.New()
	if len(settings) == 1 {
		for key := range settings {
			h.Write([]byte(key))
		}
	}
	return h.Sum(nil)
}

// The mistakes: one is too few, and the entries of another map were counted.

func hashOfSome(settings map[string]string) []byte {
	h := sha256.New()
	if len(settings) != 1 {
		for key := range settings {
			h.Write([]byte(key)) // want `^load: the hash is another one each time`
		}
	}
	return h.Sum(nil)
}

func hashOfOther(secret *corev1.Secret) []byte {
	h := sha256.New()
	if len(secret.Data) != 1 {
		return nil
	}
	for key := range secret.StringData {
		h.Write([]byte(key)) // want `^load: the hash is another one each time`
	}
	return h.Sum(nil)
}

func hashOfAnother(first, second *corev1.Secret) []byte {
	h := sha256.New()
	if len(first.Data) != 1 {
		return nil
	}
	for key := range second.Data {
		h.Write([]byte(key)) // want `^load: the hash is another one each time`
	}
	return h.Sum(nil)
}

func hashOfMore(settings map[string]string) []byte {
	h := sha256.New()
	if len(settings) == 1 {
		settings["more"] = "yes"
		for key := range settings {
			h.Write([]byte(key)) // want `^load: the hash is another one each time`
		}
	}
	return h.Sum(nil)
}
