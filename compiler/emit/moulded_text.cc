#include "emit/moulded_text.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "tree/text_buffer.h"

namespace trainyard {

std::size_t FilledForm::size() const {
  std::size_t size = form->text.size() + texts.size();
  for (const OtherScalar& other : others) {
    const ScalarPlace& place = form->scalars[other.scalar];
    size -= place.end - place.begin;
  }
  return size;
}

char* FilledForm::write(char* to) const {
  const std::string_view text = form->text;
  std::size_t taken = 0;
  std::size_t of_others = 0;
  for (const OtherScalar& other : others) {
    const ScalarPlace& place = form->scalars[other.scalar];
    to = copy_text(to, text.substr(taken, place.begin - taken));
    to = copy_text(to, texts.substr(of_others, other.size));
    taken = place.end;
    of_others += other.size;
  }
  return copy_text(to, text.substr(taken));
}

void MouldedText::add(std::string_view text) {
  if (memory_.empty()) memory_.emplace_back();
  parts_.push_back({nullptr, {}, memory_.back().intern(text), text.size()});
}

void MouldedText::add(std::shared_ptr<const FormText> form, std::span<const OtherScalar> others,
                      std::string_view texts) {
  if (memory_.empty()) memory_.emplace_back();
  const std::size_t size = FilledForm{form.get(), others, texts}.size();
  parts_.push_back({std::move(form), kept(others), memory_.back().intern(texts), size});
}

std::span<const OtherScalar> MouldedText::kept(std::span<const OtherScalar> others) {
  if (others.empty()) return {};
  constexpr std::size_t kAlign = alignof(OtherScalar);
  std::size_t room = others.size_bytes() + kAlign - 1;
  void* at = memory_.back().allocate(room);
  at = std::align(kAlign, others.size_bytes(), at, room);
  std::memcpy(at, others.data(), others.size_bytes());
  return {static_cast<const OtherScalar*>(at), others.size()};
}

void MouldedText::add(MouldedText&& other) {
  std::ranges::move(other.parts_, std::back_inserter(parts_));
  std::ranges::move(other.memory_, std::back_inserter(memory_));
  other = {};
}

char* MouldedText::write(std::size_t part, char* to) const {
  const Part& each = parts_[part];
  if (each.form == nullptr) return copy_text(to, each.texts);
  return FilledForm{each.form.get(), each.others, each.texts}.write(to);
}

}  // namespace trainyard
