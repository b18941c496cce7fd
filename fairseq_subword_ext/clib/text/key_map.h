// A growing hash table from 64-bit keys to numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/hash.h"
#include "text/types.h"

namespace subword {

class KeyMap {
 public:
  explicit KeyMap(std::size_t expected) {
    std::size_t size = 64;
    while (size < expected * 2) size *= 2;
    slots_.assign(size, {0, kNone});
  }

  // The key's number, valid until the next call. That of a new key is kNone, and the caller has to set it.
  std::uint32_t& at(std::uint64_t key) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = find(key);
    used_ += slot.number == kNone;
    return slot.number;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number;  // kNone if free
  };

  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key, 1) & mask;
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
    slots_[at].key = key;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2, Slot{0, kNone});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) find(slot.key).number = slot.number;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace subword
