// Work on a range of items by several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace subword {

// Calls work(begin, end) for consecutive shares of the items 0 to count - 1, each on a thread of its own,
// the first one on this. Rethrows the exception of the first share that failed.
template <typename Work>
void in_shares(std::size_t count, std::uint32_t threads, const Work& work) {
  constexpr std::size_t kSmallestShare = 512;  // starting a thread costs as much as so many lines
  const std::size_t shares =
      std::clamp<std::size_t>(count / kSmallestShare, 1, std::max<std::uint32_t>(threads, 1));
  std::vector<std::exception_ptr> failures(shares);
  const auto run = [&](std::size_t share) {
    try {
      work(count * share / shares, count * (share + 1) / shares);
    } catch (...) {
      failures[share] = std::current_exception();
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t share = 1; share < shares; ++share) workers.emplace_back(run, share);
  run(0);
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace subword
