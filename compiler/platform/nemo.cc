#include "platform/platform.h"

namespace trainyard {
namespace {

constexpr std::string_view kCpu = "1";
constexpr std::string_view kMemory = "2Gi";

/// A copy of a part of the Cluster, each value with its own place as its origin.
NodeId copy(PlatformContext& context, View part) {
  const Node& source = *part;
  const NodeId made = context.plan.tree.add(source.kind, source.text, context.from(source.span));
  for (NodeId id : part.tree().children(part.id())) {
    const NodeId value = copy(context, View(part.tree(), id));
    context.plan.tree.append(made, part.tree()[id].key, value);
  }
  return made;
}

Fragment fragment(PlatformContext& context, const Shape& shape) {
  if (!shape.given()) return {};
  return {copy(context, context.shape(shape)), context.from(shape.span), true};
}

std::vector<ListedText> words_of(const PlatformContext& context, const TextList& list) {
  std::vector<ListedText> result;
  for (const Text& word : *list) result.push_back({*word, context.from(word.span)});
  return result;
}

bool is_installed(PlatformContext& context, Operator which, Span asked, std::string_view what) {
  if (context.has(which)) return true;
  context
      .report(DiagnosticKind::UnsupportedVersion, asked,
              std::string(what) + " of `" +
                  std::string(words(which)[static_cast<std::size_t>(which)]) +
                  "`, which is not installed in this cluster")
      .also(context.cluster.operators.span, "the operators that are");
  return false;
}

void handler(PlatformContext& context, const EntityHandler& known) {
  if (!known.image) {
    context
        .report(DiagnosticKind::MissingFact, known.name.span,
                "the handler " + code(*known.name) +
                    " is to be made, and the Cluster does not say from which image")
        .note("name its `image`");
    return;
  }
  EntityHandlerPlan made;
  made.name = context.given(known.name);
  made.ns = context.given(known.ns ? known.ns : context.cluster.defaults->ns);
  made.image = context.given(known.image);
  made.pull_secret = context.given(known.pull_secret);
  made.command = words_of(context, known.command);
  made.args = words_of(context, known.args);
  made.env = fragment(context, known.env);
  const auto amount = [&](const QuantityText& said, std::string_view otherwise) {
    return said ? context.given(said) : context.computed(otherwise, {known.name.span});
  };
  made.cpu = amount(known.cpu, kCpu);
  made.memory = amount(known.memory, kMemory);
  context.plan.entity_handlers.push_back(std::move(made));
}

/// The customizer takes Volcano by default; a cluster may have Run:ai alone.
void choose_scheduler(PlatformContext& context, const Customizer& known, NodeId spec) {
  Tree& tree = context.plan.tree;
  const bool listed = context.cluster.operators.given();
  const bool runai = listed && context.has(Operator::Runai) && !context.has(Operator::Volcano);
  if (!runai || tree.find(spec, "scheduler") != kNoNode) return;
  const OriginId origin = context.because({context.from(known.spec.span)});
  const NodeId scheduler = tree.add_map(origin);
  tree.append(scheduler, "type", tree.add_string("runai", origin));
  tree.append(spec, "scheduler", scheduler);
}

void customizer(PlatformContext& context, const Customizer& known) {
  CustomizerPlan& made = context.plan.customizer;
  made.name = context.given(known.name);
  made.ns = context.given(known.ns);
  made.spec = fragment(context, known.spec);
  choose_scheduler(context, known, *made.spec);
}

void run(PlatformContext& context) {
  const NemoPlatform& nemo = *context.cluster.nemo;
  for (const auto& known : *nemo.handlers) {
    if (known->existing.value_or(true)) continue;
    if (!is_installed(context, Operator::Nemo, known->name.span, "a handler")) break;
    handler(context, *known);
  }
  if (!nemo.customizer) return;
  const Span asked = nemo.customizer->name.span;
  if (is_installed(context, Operator::NimOperator, asked, "a customizer")) {
    customizer(context, *nemo.customizer);
  }
}

}  // namespace

extern const PlatformStep nemo_step{
    "platform-nemo",
    "Handlers of entities that jobs of NeMo name are there, and the customizer knows who schedules "
    "its jobs.",
    run};

}  // namespace trainyard
