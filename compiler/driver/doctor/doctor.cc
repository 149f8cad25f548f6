#include "driver/doctor/doctor.h"

#include <deque>

#include "capacity/queue_bounds.h"
#include "diag/suggest.h"
#include "driver/build/compile.h"
#include "driver/build/variants.h"
#include "driver/session/inputs.h"
#include "rules/capacity.h"
#include "source/number_text.h"
#include "tree/origin_span.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

class Doctor {
 public:
  Doctor(Session& session, const DoctorRequest& request) : session_(session), request_(request) {}

  DoctorResult examine() {
    Usage used;
    if (request_.seen != nullptr) {
      cluster_ = request_.seen->document;
      nodes_ = request_.seen->nodes;
      used = request_.seen->used;
    } else {
      own_cluster_ = read_cluster(session_, request_.cluster);
      cluster_ = own_cluster_.get();
      if (cluster_ == nullptr) return std::move(result_);
      used = assumed();
      if (!result_.wrong_words.empty()) return std::move(result_);
      nodes_ = explicit_node_count();
    }
    documents_ = read_inputs(request_.inputs, session_.env, session_.sources, session_.sink,
                             session_.limits, Ambiguity::Refuse);
    if (session_.sink.has_errors()) return std::move(result_);
    for (Document& document : documents_) {
      if (document.kind != "TrainingJob") continue;
      for_each_variant(session_, document, [&](Document& variant) {
        jobs_.push_back(std::move(variant));
        examine(jobs_.back(), used);
      });
    }
    if (compilations_.empty()) {
      session_.sink.report(DiagnosticKind::NoInput, {}, "the input holds no TrainingJob");
    }
    return std::move(result_);
  }

 private:
  std::vector<NodeGroup> explicit_node_count() {
    return nodes_of(
        cluster_->cluster, [this](std::string_view name) { return session_.machines.find(name); },
        [this](const Machine& machine) {
          return session_.machines.catalogue(machine.name.span.file);
        },
        [this](Span place) -> const Tree& { return tree_of(place); });
  }

  const Tree& tree_of(Span place) {
    const Tree* machine = session_.machines.tree(place.file);
    return machine == nullptr ? cluster_->tree : *machine;
  }

  void examine(const Document& document, const Usage& used) {
    Compilation& job = compilations_.emplace_back();
    if (!compile(session_, document, cluster_, request_.target, job)) return;
    std::vector<NodeGroup> nodes = nodes_;
    close_pools(nodes, job.plan, cluster_->cluster);
    const std::vector<Beside> beside = requested_beside(*job.job.spec, document.tree, job.plan);
    const Fit fit = place_gang(job.plan, topology_requirement_of(*job.job.spec->placement), nodes,
                               used, beside);
    const Fit queue = fits_queue(job.plan, cluster_->cluster, used, beside);
    for (const Fit* each : {&fit, &queue}) {
      if (!each->fits) report(*each, place_of(job, *each));
    }
    if (!fit.fits || !queue.fits) return;
    JobFit& found = result_.jobs.emplace_back();
    found.job = *job.plan.job;
    found.target = *job.plan.target;
    found.shares = fit.shares;
    found.notes = fit.notes;
  }

  /// What asks for so much: the number of nodes, or the queue.
  static Span place_of(const Compilation& job, const Fit& fit) {
    std::vector<OriginId> origins = {job.plan.queue.origin};
    for (const Role& role : job.plan.roles) {
      if (role.name == fit.role) origins = {role.replicas.origin, role.gpus.origin};
    }
    for (const OriginId origin : origins) {
      const Span place = span_of_origin(job.origins, origin);
      if (place.known()) return place;
    }
    return job.job.metadata->name.span;
  }

  void report(const Fit& fit, Span place) {
    Diagnostic& report = session_.sink.report(DiagnosticKind::ExceedsPool, place, fit.obstacle);
    for (const PoolVerdict& pool : fit.pools) report.also(pool.place, pool.why);
    if (!request_.assume_used.empty()) report.note("with what `--assume-used` says is taken");
    if (request_.seen != nullptr) report.note("with what runs on the cluster now");
  }

  void wrong(const std::string& word, const std::string& why) {
    result_.wrong_words.push_back("`--assume-used " + word + "`: " + why);
  }

  Usage assumed() {
    Usage used;
    for (const std::string& word : request_.assume_used) {
      const std::size_t equals = word.rfind('=');
      if (equals == std::string::npos || equals == 0) {
        wrong(word, "expected `POOL=NODES` or `QUEUE/RESOURCE=AMOUNT`");
        continue;
      }
      const std::string what = word.substr(0, equals);
      const std::string amount = word.substr(equals + 1);
      const std::size_t slash = what.find('/');
      if (slash == std::string::npos) {
        pool(word, what, amount, used);
      } else {
        queue(word, what.substr(0, slash), what.substr(slash + 1), amount, used);
      }
    }
    return used;
  }

  template <class Named>
  bool is_known(const std::string& word, const std::string& name, const Named& list,
                std::string_view kind) {
    std::vector<std::string_view> names;
    for (const auto& entry : *list) {
      if (*entry->name == name) return true;
      names.push_back(*entry->name);
    }
    std::string why = "the Cluster has no " + std::string(kind) + " `" + name + "`";
    if (const auto near = suggest(name, names)) {
      why += "; did you mean `" + std::string(*near) + "`?";
    }
    wrong(word, why);
    return false;
  }

  void pool(const std::string& word, const std::string& name, const std::string& amount,
            Usage& used) {
    const auto nodes = read_number(amount);
    if (!nodes || *nodes < 0) {
      return wrong(word, "expected a number of nodes, 0 or more");
    }
    if (is_known(word, name, cluster_->cluster.spec->pools, "pool")) used.nodes[name] += *nodes;
  }

  void queue(const std::string& word, const std::string& name, const std::string& resource,
             const std::string& amount, Usage& used) {
    const auto parsed = Quantity::parse(amount);
    if (!parsed || parsed->is_negative()) return wrong(word, "expected an amount such as `16`");
    if (!is_known(word, name, cluster_->cluster.spec->queues, "queue")) return;
    Quantity& sum = used.queues[name][resource];
    sum = add(sum, *parsed).value_or(sum);
  }

  Session& session_;
  const DoctorRequest& request_;
  std::unique_ptr<ClusterDocument> own_cluster_;
  const ClusterDocument* cluster_ = nullptr;
  std::vector<NodeGroup> nodes_;
  std::vector<Document> documents_;
  std::deque<Document> jobs_;  // of the documents
  std::deque<Compilation> compilations_;
  DoctorResult result_;
};

}  // namespace

DoctorResult doctor(Session& session, const DoctorRequest& request) {
  return Doctor(session, request).examine();
}

}  // namespace trainyard
