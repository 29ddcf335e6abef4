// The kernels that a search has priced, each once.
#pragma once

#include "chapters/03-loop-ir/lower/build.h"
#include "chapters/03-loop-ir/target.h"

namespace sextant::loop {

/// One kernel as the search sees it: a function of what it stores and loads.
struct Priced : Cone {
  double us = 0;       // infinite without a role
  std::string reason;  // why it has none; else what bounds it, "memory"
};

/// The stored values and the kernels that follow from them, by their roots.
struct State {
  std::vector<bool> is_stored;
  std::vector<const Priced*> kernels;
};
Stored stored_of(const std::vector<const Priced*>& kernels);

class Ledger {
 public:
  Ledger(const Flow& flow, const Tables& tables, const Target& target);

  const Priced& kernel(const std::vector<bool>& is_stored,
                       const std::vector<int>& roots);
  State state(const Stored& stored);

 private:
  const Flow& flow_;
  const Tables& tables_;
  const Target& target_;
  Program frame_;  // symbols, and a buffer for each value
  std::map<std::pair<std::vector<int>, std::vector<int>>, Priced> known_;
};

}  // namespace sextant::loop
