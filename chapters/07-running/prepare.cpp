#include "chapters/07-running/prepare.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "chapters/06-cuda/emit.h"

namespace sextant::running {

void in_parallel(std::size_t n, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  auto worker = [&] {
    for (std::size_t i; (i = next++) < n;) {
      try {
        work(i);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex);
        failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  while (threads.size() + 1 < std::min(n, cores))
    threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads)
    thread.join();
  if (failure) std::rethrow_exception(failure);
}

std::vector<std::string> compile_kernels(const Tables& tables,
                                         const kernel::Program& program,
                                         const Compiler& compiler,
                                         const std::string& arch,
                                         const std::string& folder) {
  std::vector<std::string> texts;
  for (const kernel::Kernel& k : program.kernels) {
    kernel::Program alone = program;
    alone.kernels = {k};
    texts.push_back(cuda::emit(tables, alone).text);
  }
  texts.push_back(kFillText);
  std::vector<std::string> codes(texts.size());
  in_parallel(texts.size(), [&](std::size_t i) {
    codes[i] = compile_cached(folder, compiler, texts[i], arch);
  });
  return codes;
}

std::unique_ptr<Executable> prepare(const Device& device, const Tables& tables,
                                    const kernel::Program& program,
                                    const Values& sizes,
                                    const Compiler& compiler,
                                    const std::string& folder) {
  // The card's own architecture, even if the schedules are for an older one:
  // code of one generation does not run on the next.
  const Name& arch = device.target(tables).name;
  return std::make_unique<Executable>(
      device, program, compile_kernels(tables, program, compiler, arch, folder),
      sizes);
}

}  // namespace sextant::running
