// Package nilmap finds entries that are stored into labels, annotations or data
// which an object need not have.
//
// An object that nobody has given an annotation has a nil map of annotations, and
// the same goes for labels and for the data of ConfigMaps and Secrets. To store an
// entry into a nil map panics. The objects that the author has tried all had one;
// the first that has none cannot be created, or takes the reconciler down, again and again.
//
// The analyzer follows an object that somebody sends to a webhook, that CreateOrUpdate is about
// to create, or that the code makes without the map, to where an entry is
// stored, through copies, getters and functions of the package. A check for nil, a
// look that finds an entry, and whatever makes the map on the way end the
// search; so does handing the object to code that is not known. With the strict flag it does the same
// for objects that are read: by a client's Get or List, a lister, an informer's handler.
//
// # metadata
//
// An entry is stored into labels or annotations that may be nil:
//
//	func (d *defaulter) Default(ctx context.Context, backup *v1.Backup) error {
//		if backup.Annotations["example.com/phase"] == "" {
//			backup.Annotations["example.com/phase"] = "new"
//		}
//
// The fix makes the map first. metav1.SetMetaDataAnnotation and SetMetaDataLabel do
// both:
//
//	metav1.SetMetaDataAnnotation(&backup.ObjectMeta, "example.com/phase", "new")
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
// The object is one that the function itself makes, without the map. What a function gets, or what
// another one makes, may have it.
//
// # Limits
//
// Maps that Kubernetes itself fills, such as the labels of nodes, are left alone.
// What was read is reported only with the strict flag: whoever has made the object, a chart, the
// module itself, kubectl apply, or a controller that came first, has filled the map as a rule. So are
// maps that are filled in practice, such as the
// annotations of nodes, pods and claims, objects whose kind is not known (partial
// metadata among them, unstructured objects not) or another project's, whose webhooks may
// fill the map, and all entries of another map, of which there may be none.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:nilmap // reason. Please report
// it, too.
package nilmap
