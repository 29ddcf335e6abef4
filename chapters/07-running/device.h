// The card: what it is, its memory, and waiting for it.
#pragma once

#include "chapters/03-loop-ir/target.h"
#include "chapters/07-running/driver.h"

namespace sextant::running {

/// One GPU, the first that the driver lists. Its memory and streams are those
/// of the process: one `Device` serves all threads.
class Device {
 public:
  explicit Device(Lookup lookup = {});

  const Driver& driver() const { return driver_; }
  const std::string& name() const { return name_; }
  int multiprocessors() const { return multiprocessors_; }
  /// "9.0"
  std::string capability() const;
  /// The target row whose code runs here; an `Error` if there is none.
  const Target& target(const Tables& tables) const;

  /// The calling thread uses this card from here on.
  void make_current() const;
  /// Memory of the card; an `Error` says what was wanted and what is free.
  Address allocate(int64_t bytes, const std::string& what) const;
  void release(Address memory) const;

  /// Waits for all work of a stream; an `Error` says what it waited for, if
  /// that failed or took longer than `patience` seconds.
  void wait(Opaque stream, const std::string& what) const;
  double patience = 60;
  /// Something never ended, or failed: nothing can be asked of the card now,
  /// not even to take back its memory.
  bool lost() const { return *lost_; }

 private:
  Driver driver_;
  std::string name_;
  Opaque context_ = nullptr;
  int major_ = 0, minor_ = 0, multiprocessors_ = 0;
  std::shared_ptr<bool> lost_ = std::make_shared<bool>(false);
};

/// Whether this machine has a card that can be used; never an `Error`.
bool device_is_there();

}  // namespace sextant::running
