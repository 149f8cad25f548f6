#include "driver/spec_forms.h"

#include <algorithm>
#include <cstddef>

namespace trainyard {
namespace {

constexpr std::size_t kMostForms = 8;
constexpr std::size_t kMostNodes = 1'000;
constexpr std::size_t kMostText = 16 * 1024;

bool is_small(const Tree& document) {
  std::size_t size = 0;
  for (NodeId id = 0; id < document.size(); ++id) size += document[id].text.size();
  return size <= kMostText;
}

}  // namespace

bool SpecForms::is_sound(const SchemaPack& pack, SchemaId schema, const Tree& document) {
  current_ = nullptr;
  is_first_ = false;
  if (document.size() > kMostNodes) return false;
  if (checker_ == nullptr || &checker_->pack() != &pack) {
    checker_ = std::make_unique<FormChecker>(pack);
    forms_.clear();
  }
  current_ = find(document);
  if (current_ != nullptr) {
    return current_->is_sound && checker_->is_still_sound(schema, document, document.root(),
                                                          different_, current_->as_schema_has_it);
  }
  if (!seen_.again(TreeForm::look_of(document)) || !is_small(document)) return false;
  return learn(schema, document);
}

void SpecForms::note_quiet() {
  if (is_first_) current_->is_quiet = true;
}

const NodeBits* SpecForms::new_texts() const {
  return current_ != nullptr && current_->is_quiet && !is_first_ ? &different_ : nullptr;
}

SpecForms::Form* SpecForms::find(const Tree& document) {
  const auto found = std::ranges::find_if(
      forms_, [&](const auto& each) { return each->nodes.fits(document, different_); });
  if (found == forms_.end()) return nullptr;
  std::rotate(forms_.begin(), found, found + 1);
  return forms_.front().get();
}

bool SpecForms::learn(SchemaId schema, const Tree& document) {
  if (forms_.size() == kMostForms) forms_.pop_back();
  forms_.insert(forms_.begin(), std::make_unique<Form>(document));
  Form& form = *forms_.front();
  current_ = &form;
  is_first_ = true;
  form.is_sound = checker_->is_sound(schema, document, document.root(), form.as_schema_has_it);
  return form.is_sound;
}

}  // namespace trainyard
