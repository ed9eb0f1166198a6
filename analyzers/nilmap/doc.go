// Package nilmap finds entries that are stored into labels, annotations or data
// which a read object need not have.
//
// An object that nobody has given an annotation has a nil map of annotations, and
// the same goes for labels and for the data of ConfigMaps and Secrets. To store an
// entry into a nil map panics. The objects that the author has tried all had one;
// the first that has none takes the reconciler down, again and again, since it is
// read again after each restart.
//
// The analyzer follows an object from where it was read (a client's Get or List, a
// lister, an informer's handler, a webhook, CreateOrUpdate) to where an entry is
// stored, through copies, getters and functions of the package. A check for nil, a
// look that finds an entry, and whatever makes the map on the way end the
// search; so does handing the object to code that is not known. The same goes for an
// object that the code makes without the map and then stores an entry into.
//
// # metadata
//
// An entry is stored into labels or annotations that may be nil:
//
//	if err := r.Get(ctx, key, &backup); err != nil {
//		return err
//	}
//	backup.Annotations["example.com/seen"] = "true"
//
// The fix makes the map first. metav1.SetMetaDataAnnotation and SetMetaDataLabel do
// both:
//
//	metav1.SetMetaDataAnnotation(&backup.ObjectMeta, "example.com/seen", "true")
//
// # data
//
// An entry is stored into the data of a ConfigMap or Secret that may have none, such
// as the one that CreateOrUpdate is about to create:
//
//	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
//		config.Data["source"] = backup.Spec.Source
//		return nil
//	})
//
// The stringData of a Secret is never sent by the API server: in a Secret that was
// read it is always nil.
//
// # Limits
//
// Maps that Kubernetes itself fills, such as the labels of nodes, are left alone.
// Those that the module fills where it makes objects of the kind are hygiene: only an
// object that somebody has emptied since lacks them.
// Only with the strict flag are maps reported that are filled in practice, such as the
// annotations of nodes, pods and claims, objects whose kind is not known (partial
// metadata among them, unstructured objects not) or another project's, whose webhooks may
// fill the map, and all entries of another map, of which there may be none. So is the data
// of a ConfigMap or Secret that was there already, which has some as a rule.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:nilmap // reason. Please report
// it, too.
package nilmap
