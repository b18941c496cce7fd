// Splits a range of items over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "text/types.h"

namespace subword {

// Splits the items 0 to count - 1 into one contiguous share per thread; the calling thread takes the first.
// Each thread calls start() once, then calls the function it returned on consecutive ranges (begin, end) of
// its share. The calling thread polls `interrupt` between ranges. If shares fail, rethrows the exception of
// the first of them, so the reported error does not depend on the number of threads.
template <typename Start>
void in_shares(std::size_t count, std::uint32_t threads, const Interrupt& interrupt, const Start& start) {
  constexpr std::size_t kRange = 512;  // starting a thread costs as much as this many lines
  const std::size_t shares =
      std::clamp<std::size_t>(count / kRange, 1, std::max<std::uint32_t>(threads, 1));
  std::vector<std::exception_ptr> failures(shares);
  std::atomic<bool> stop{false};
  const auto run = [&](std::size_t share) {
    try {
      auto&& work = start();
      const std::size_t end = count * (share + 1) / shares;
      for (std::size_t at = count * share / shares; at < end && !stop;) {
        if (share == 0) poll(interrupt);
        const std::size_t next = std::min(at + kRange, end);
        work(at, next);
        at = next;
      }
    } catch (...) {
      failures[share] = std::current_exception();
      // Only share 0, which also gets Ctrl-C, may stop the others: before any other share's error, an
      // earlier share may still hit one of its own.
      if (share == 0) stop = true;
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
