#include "cel/collections.h"

#include "cel/compare.h"

namespace trainyard::cel {

std::size_t size_of(const Value& collection) {
  return collection.is_foreign() ? collection.owner()->size(collection) : collection.native_size();
}

Walker::Walker(const Value& collection) : collection_(collection) {
  if (collection.is_foreign()) child_ = collection.owner()->first(collection);
}

void Walker::next() {
  ++index_;
  if (collection_.is_foreign()) child_ = collection_.owner()->next(collection_, child_);
}

Value Walker::key() const {
  if (!collection_.is_foreign()) return collection_.entries()[index_].key;
  return Value::string(collection_.owner()->key(collection_, child_));
}

Value Walker::value() const {
  if (collection_.is_foreign()) return collection_.owner()->value(collection_, child_);
  return collection_.is(Type::Map) ? collection_.entries()[index_].value
                                   : collection_.items()[index_];
}

Value item_at(const Value& list, std::size_t index) {
  if (!list.is_foreign()) return list.items()[index];
  Walker at(list);
  while (at.index() < index) at.next();
  return at.value();
}

std::optional<Value> find_key(const Value& map, const Value& key) {
  if (map.is_foreign()) {
    if (!key.is(Type::String)) return std::nullopt;
    return map.owner()->find(map, key.text());
  }
  for (std::size_t i = 0; i < map.native_size(); ++i) {
    if (equal(map.entries()[i].key, key)) return map.entries()[i].value;
  }
  return std::nullopt;
}

}  // namespace trainyard::cel
