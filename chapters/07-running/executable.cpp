#include "chapters/07-running/executable.h"

#include <algorithm>
#include <set>

#include "chapters/05-kernel-ir/verify.h"
#include "chapters/06-cuda/emit.h"
#include "chapters/07-running/memory_plan.h"

namespace sextant::running {
namespace {

// Every buffer begins at a line of the L2 cache, and at what any access asks.
constexpr int64_t kAlignment = 256;

// The name in the program of what a kernel calls `param`.
Name bound(const Launch& launch, const Name& param) {
  for (const Binding& b : launch.bindings) {
    if (b.param == param) return b.buffer;
  }
  return param;
}

// From when to when each buffer holds something. Only temporaries may share:
// inputs stay for the next run, outputs for the reader, and the zeros of a
// workspace for both.
std::map<Name, Lifetime> lifetimes_of(const kernel::Program& program) {
  const auto end = static_cast<int64_t>(program.launches.size());
  std::map<Name, Lifetime> out;
  for (const Buffer& b : program.buffers) {
    bool shares = b.role == Role::Temp;
    out[b.name] = {0, shares ? end : 0, shares ? 0 : end};
  }
  for (int64_t i = 0; i < end; i++) {
    const Launch& launch = program.launches[static_cast<std::size_t>(i)];
    const kernel::Kernel* k = program.kernel(launch.kernel);
    for (const kernel::Object& o : k->objects) {
      if (o.space != kernel::Space::Global) continue;
      Lifetime& life = out[bound(launch, o.name)];
      life.first = std::min(life.first, i);
      life.last = std::max(life.last, i);
    }
  }
  return out;
}

}  // namespace

Executable::Executable(const Device& device, const kernel::Program& program,
                       const std::vector<std::string>& codes,
                       const Values& sizes)
    : device_(device) {
  INVARIANT(codes.size() == program.kernels.size() + 1, "a code a kernel");
  device.make_current();
  device.driver().cuStreamCreate(&stream_, 1);  // waits for no other stream
  try {
    place(program, sizes);
    for (const std::string& code : codes)
      load(code);
    make_ready(program, sizes);
    poison();
  } catch (const Error&) {
    clear();
    throw;
  }
}

Executable::~Executable() {
  clear();
}

void Executable::clear() {
  if (device_.lost()) return;
  device_.release(memory_);
  for (Opaque module : modules_)
    device_.driver().cuModuleUnload.code(module);
  device_.driver().cuStreamDestroy_v2.code(stream_);
}

void Executable::place(const kernel::Program& program, const Values& sizes) {
  std::map<Name, Lifetime> lifetimes = lifetimes_of(program);
  std::vector<Name> names;
  std::vector<Lifetime> lives;
  for (const Buffer& b : program.buffers) {
    Placed p{b, {}, 0, 0};
    for (const Dim& d : b.shape)
      p.shape.push_back(evaluate(d, sizes));
    p.bytes = checked_mul(element_count(p.shape), size_of(b.dtype), "a buffer");
    buffers_[b.name] = p;
    if (!b.alias.empty()) continue;  // it has its input's memory
    names.push_back(b.name);
    lives.push_back(lifetimes[b.name]);
    lives.back().bytes = p.bytes;
  }
  MemoryPlan plan = plan_memory(lives, kAlignment);
  memory_bytes_ = plan.bytes;
  memory_ = device_.allocate(plan.bytes, "the program");
  for (std::size_t i = 0; i < names.size(); i++) {
    buffers_[names[i]].address =
        memory_ + static_cast<Address>(plan.offsets[i]);
  }
  for (auto& [name, p] : buffers_) {
    if (!p.buffer.alias.empty()) p.address = placed(p.buffer.alias).address;
  }
}

void Executable::load(const std::string& code) {
  const Driver& driver = device_.driver();
  Opaque module = nullptr;
  if (int failed = driver.cuModuleLoadData.code(&module, code.data())) {
    fail({},
         "the code cannot be loaded on {}, whose driver knows CUDA {}: {}\n"
         "A compiler that is newer than the driver makes such code.",
         device_.name(), version_text(driver.version),
         (*driver.describe)(failed));
  }
  modules_.push_back(module);
}

void Executable::make_ready(const kernel::Program& program,
                            const Values& sizes) {
  const Driver& driver = device_.driver();
  for (const Launch& l : program.launches) {
    ReadyLaunch launch = ready(program, l, sizes);
    if (launch.grid == 0) continue;  // there is nothing to compute
    auto number = program.kernel(l.kernel) - program.kernels.data();
    driver.cuModuleGetFunction(&launch.function,
                               modules_[static_cast<std::size_t>(number)],
                               l.kernel.c_str());
    if (launch.shared > 0) {
      driver.cuFuncSetAttribute(launch.function, kDynamicLimit,
                                static_cast<int>(launch.shared));
    }
    launches_.push_back(launch);
  }
}

ReadyLaunch Executable::ready(const kernel::Program& program, const Launch& l,
                              const Values& sizes) const {
  const kernel::Kernel& k = *program.kernel(l.kernel);
  ReadyLaunch launch;
  launch.kernel = k.name;
  launch.grid = evaluate(k.grid, sizes);
  launch.block = k.block;
  if (launch.grid > INT32_MAX) {
    fail({}, "{} has {} blocks: more than a launch takes", k.name, launch.grid);
  }
  int64_t shared = kernel::shared_bytes(k);
  if (shared > cuda::kStaticShared) launch.shared = shared;
  std::set<Address> counted;
  for (const kernel::Object& o : k.objects) {
    if (o.space != kernel::Space::Global) continue;
    const Placed& p = placed(bound(l, o.name));
    launch.parameters.push_back(p.address);
    if (counted.insert(p.address).second) launch.bytes += p.bytes;
  }
  // An int is read from the lower half of its 8 bytes.
  for (const Symbol& s : cuda::symbols_of(program, k))
    launch.parameters.push_back(static_cast<uint64_t>(sizes.at(s.name)));
  return launch;
}

const Executable::Placed& Executable::placed(const Name& buffer) const {
  auto found = buffers_.find(buffer);
  INVARIANT(found != buffers_.end(), "no buffer {}", buffer);
  return found->second;
}

void Executable::poison() {
  for (const auto& [name, p] : buffers_) {
    Role role = p.buffer.role;
    if (role == Role::Input || role == Role::Weight || p.bytes == 0 ||
        !p.buffer.alias.empty()) {
      continue;
    }
    device_.driver().cuMemsetD8Async(
        p.address, role == Role::Workspace ? 0 : 0xff,
        static_cast<std::size_t>(p.bytes), stream_);
  }
  device_.wait(stream_, "filling the outputs");
}

void Executable::write(const Name& buffer, const Array& array) {
  const Placed& p = placed(buffer);
  INVARIANT(array.bytes().size() == static_cast<std::size_t>(p.bytes),
            "{} has {} bytes", buffer, p.bytes);
  if (p.bytes == 0) return;
  device_.driver().cuMemcpyHtoD_v2(p.address, array.bytes().data(),
                                   array.bytes().size());
}

Array Executable::read(const Name& buffer) const {
  const Placed& p = placed(buffer);
  Array array(p.buffer.dtype, p.shape);
  if (p.bytes == 0) return array;
  device_.driver().cuMemcpyDtoH_v2(array.bytes().data(), p.address,
                                   array.bytes().size());
  return array;
}

void Executable::start(const ReadyLaunch& launch, Opaque stream) const {
  std::vector<uint64_t> values = launch.parameters;
  std::vector<void*> parameters;
  for (uint64_t& value : values)
    parameters.push_back(&value);
  try {
    device_.driver().cuLaunchKernel(launch.function,
                                    static_cast<unsigned>(launch.grid), 1, 1,
                                    static_cast<unsigned>(launch.block), 1, 1,
                                    static_cast<unsigned>(launch.shared),
                                    stream, parameters.data(), nullptr);
  } catch (const Error& e) {
    fail({}, "kernel {}: {}", launch.kernel, e.diagnostics().front().message);
  }
}

void Executable::start(Opaque stream) const {
  for (const ReadyLaunch& launch : launches_)
    start(launch, stream);
}

void Executable::run() {
  device_.make_current();
  for (const ReadyLaunch& launch : launches_) {
    start(launch, stream_);
    device_.wait(stream_, "kernel " + launch.kernel);
  }
}

KernelFacts Executable::facts(const ReadyLaunch& launch) const {
  const Driver& driver = device_.driver();
  KernelFacts facts;
  int shared = 0, spilled = 0;
  driver.cuFuncGetAttribute(&facts.registers, kRegisters, launch.function);
  driver.cuFuncGetAttribute(&shared, kSharedSize, launch.function);
  driver.cuFuncGetAttribute(&spilled, kLocalSize, launch.function);
  facts.shared = shared + launch.shared;
  facts.spilled = spilled;
  driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &facts.blocks, launch.function, static_cast<int>(launch.block),
      static_cast<std::size_t>(launch.shared));
  return facts;
}

Graph::Graph(const Device& device, Opaque stream,
             const std::function<void(Opaque)>& work)
    : device_(device), stream_(stream) {
  const Driver& driver = device.driver();
  constexpr int kThisThread = 1;  // what others do meanwhile is no part of it
  driver.cuStreamBeginCapture_v2(stream, kThisThread);
  Opaque graph = nullptr;
  try {
    work(stream);
  } catch (const Error&) {
    driver.cuStreamEndCapture.code(stream, &graph);
    throw;
  }
  driver.cuStreamEndCapture(stream, &graph);
  driver.cuGraphInstantiateWithFlags(&ready_, graph, 0);
  driver.cuGraphDestroy(graph);
}

Graph::~Graph() {
  if (!device_.lost()) device_.driver().cuGraphExecDestroy.code(ready_);
}

void Graph::start() const {
  device_.driver().cuGraphLaunch(ready_, stream_);
}

}  // namespace sextant::running
