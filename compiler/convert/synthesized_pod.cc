#include "convert/synthesized_pod.h"

#include "convert/pod_template_reader.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {

SynthesizedPod::SynthesizedPod(Conversion& job) : job_(job) {
  root = job.map();
  metadata = job.map_at(root, "metadata");
  spec = job.map_at(root, "spec");
  job.maker.put(spec, "restartPolicy", job.text("Never"));
  container = job.map();
  job.maker.put(container, "name", job.text(kMainContainer));
  job.maker.tree.append(job.list_at(spec, "containers"), container);
}

void SynthesizedPod::variable(std::string_view name, NodeId value) {
  const NodeId entry = job_.map();
  job_.maker.put(entry, "name", job_.text(name));
  job_.maker.put(entry, "value", value);
  job_.maker.tree.append(job_.list_at(container, "env"), entry);
}

void SynthesizedPod::resource(std::string_view list, std::string_view name, NodeId amount) {
  job_.maker.put(job_.map_at(job_.map_at(container, "resources"), list), name, amount);
}

void SynthesizedPod::volume(std::string_view name, std::string_view source, NodeId value,
                            NodeId path, bool read_only) {
  const NodeId entry = job_.map();
  job_.maker.put(entry, "name", job_.text(name));
  job_.maker.put(entry, source, value);
  job_.maker.tree.append(job_.list_at(spec, "volumes"), entry);
  const NodeId mount = job_.map();
  job_.maker.put(mount, "name", job_.text(name));
  job_.maker.put(mount, "mountPath", path);
  if (read_only) job_.maker.put(mount, "readOnly", job_.truth(true));
  job_.maker.tree.append(job_.list_at(container, "volumeMounts"), mount);
}

void SynthesizedPod::words(std::string_view key, View line) {
  if (!line) return;
  const NodeId list = job_.list_at(container, key);
  for (const std::string& each : shell_words_or_whole(line->text)) {
    job_.maker.tree.append(list, job_.text(each));
  }
  job_.ledger.carried(line);
}

}  // namespace trainyard
