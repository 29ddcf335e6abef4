// A whole program: its buffers, and its launches one after the other.
#include <set>

#include "chapters/05-kernel-ir/simulator.h"
#include "chapters/05-kernel-ir/simulator/machine.h"
#include "chapters/05-kernel-ir/verify.h"
#include "src/base/text.h"

namespace sextant::kernel {

Blocks parse_blocks(std::string_view text) {
  Blocks blocks;
  if (text == "all") return blocks;
  blocks.all = false;
  for (const std::string& part : split(text, ',')) {
    if (part == "first") {
      blocks.first = true;
    } else if (part == "last") {
      blocks.last = true;
    } else {
      bool random = part.substr(0, 7) == "random:" && part.size() > 7 &&
                    part.size() < 14 &&
                    part.find_first_not_of("0123456789", 7) == part.npos;
      if (!random)
        fail({}, "blocks are all, first, last or random:N, not '{}'", part);
      blocks.random = std::stoll(part.substr(7));
    }
  }
  return blocks;
}

namespace {

class Simulation {
 public:
  Simulation(const Tables& tables, const Program& program, Arrays& buffers,
             const SimOptions& options)
      : tables_(tables),
        program_(program),
        arrays_(buffers),
        options_(options) {}

  Report run() {
    check_symbols();
    for (const Buffer& b : program_.buffers) {
      if (b.alias.empty()) memories_[b.name] = make_memory(b);
    }
    for (const Buffer& b : program_.buffers) {
      if (b.alias.empty()) continue;
      memories_[b.name] = memories_.at(b.alias);
      memories_[b.name]->constant = false;
    }
    for (const Launch& launch : program_.launches)
      run_launch(launch);
    finish();
    return report_;
  }

 private:
  void check_symbols() {
    for (const Symbol& s : program_.symbols) {
      auto found = options_.symbols.find(s.name);
      if (found == options_.symbols.end())
        fail({}, "symbol {} needs a value", s.name);
      int64_t value = found->second;
      if (value < s.lo || value > s.hi || value % s.multiple_of != 0) {
        fail({}, "symbol {} is {}: wanted {} to {}, a multiple of {}", s.name,
             value, s.lo, s.hi, s.multiple_of);
      }
    }
  }

  std::shared_ptr<Memory> make_memory(const Buffer& b) {
    std::vector<int64_t> shape;
    for (const Dim& d : b.shape)
      shape.push_back(evaluate(d, options_.symbols));
    auto memory =
        std::make_shared<Memory>(b.name, b.dtype, element_count(shape));
    bool given = b.role == Role::Input || b.role == Role::Weight;
    memory->constant = given;
    memory->defined = given || b.role == Role::Workspace;
    auto found = arrays_.find(b.name);
    if (given && found == arrays_.end()) {
      if (!options_.generate) fail({}, "there is no array for {}", b.name);
      if (!options_.blocks.all) {
        memory->generate(options_.seed);
        return memory;
      }
      Array random = random_array(b.dtype, shape, options_.seed, b.name);
      found = arrays_.emplace(b.name, std::move(random)).first;
    }
    if (!given) {
      if (!options_.blocks.all) return memory;
      found = arrays_.insert_or_assign(b.name, Array(b.dtype, shape)).first;
      if (!memory->defined) {
        std::vector<unsigned char>& bytes = found->second.bytes();
        std::fill(bytes.begin(), bytes.end(), 0xff);  // NaN
      }
    }
    Array& array = found->second;
    if (array.dtype() != b.dtype || array.size() != memory->size()) {
      fail({}, "{} is {} elements of {}, not {} of {}", b.name, memory->size(),
           name_of(b.dtype), array.size(), name_of(array.dtype()));
    }
    memory->lie_in(array.bytes());
    return memory;
  }

  std::vector<int64_t> blocks_of(int64_t grid) const {
    const Blocks& b = options_.blocks;
    std::set<int64_t> chosen;
    if (b.first && grid > 0) chosen.insert(0);
    if (b.last && grid > 0) chosen.insert(grid - 1);
    Random random(options_.seed);
    for (int64_t i = 0; i < b.random && grid > 0; i++)
      chosen.insert(random.below(grid));
    for (int64_t i = 0; b.all && i < grid; i++)
      chosen.insert(i);
    return {chosen.begin(), chosen.end()};
  }

  void run_launch(const Launch& launch) {
    const Kernel& kernel = *program_.kernel(launch.kernel);
    auto code = codes_.find(kernel.name);
    if (code == codes_.end()) {
      Code fresh = compile(tables_, kernel, options_.symbols);
      code = codes_.emplace(kernel.name, std::move(fresh)).first;
    }
    std::vector<std::shared_ptr<Memory>> own;
    std::vector<Memory*> objects;
    for (const Object& object : kernel.objects) {
      Memory* memory = nullptr;
      if (object.space == Space::Global) {
        memory = memories_.at(buffer_of(launch, object.name)).get();
      } else if (object.space == Space::Smem) {
        own.push_back(std::make_shared<Memory>(object.name, object.dtype,
                                               elements_of(object)));
        memory = own.back().get();
        memory->shared = true;
      }
      objects.push_back(memory);
    }
    Machine machine(code->second, kernel, objects, clocks_, report_.faults);
    for (int64_t block : blocks_of(code->second.grid))
      machine.run_block(block);
    count(machine.take_counts(), launch);
  }

  void count(KernelCount counts, const Launch& launch) {
    std::map<Name, BufferCount> sums;
    for (AccessCount& a : counts.accesses) {
      if (a.shared) continue;
      a.object = buffer_of(launch, a.object);
      BufferCount& sum = sums[a.object];
      (a.writes ? sum.written : sum.read) += a.bytes;
    }
    for (const Buffer& b : program_.buffers) {
      auto found = sums.find(b.name);
      if (found == sums.end()) continue;
      found->second.buffer = b.name;
      found->second.least = memories_.at(b.name)->size() * size_of(b.dtype);
      counts.buffers.push_back(found->second);
    }
    report_.kernels.push_back(counts);
  }

  void complain(const char* kind, const Name& buffer, int64_t at, int64_t times,
                std::string_view what) {
    Fault& fault = report_.faults.emplace_back();
    fault.kind = kind;
    fault.object = buffer;
    fault.offset = at;
    fault.what = fmt::format("{}[{}] {}", buffer, at, what);
    fault.times = times;
  }

  // What must hold when all blocks have run.
  void finish() {
    for (const Buffer& b : program_.buffers) {
      Memory& memory = *memories_.at(b.name);
      if (b.role == Role::Output && !options_.blocks.all) {
        Written& written = report_.written[b.name];
        written.offsets = memory.written();
        for (int64_t i : written.offsets)
          written.values.push_back(memory.get(i));
      } else if (b.role == Role::Output) {
        check_written(b, memory);
      } else if (b.role == Role::Workspace && options_.blocks.all) {
        check_zero(b, memory);
      }
    }
  }

  void check_written(const Buffer& b, Memory& memory) {
    int64_t missing = 0, first = -1;
    for (int64_t i = 0; i < memory.size() && b.alias.empty(); i++) {
      if (memory.cell(i).written != 0) continue;
      if (missing++ == 0) first = i;
    }
    if (missing == 0) return;
    complain("unwritten", b.name, first, missing,
             "is an output that nobody wrote");
  }

  void check_zero(const Buffer& b, Memory& memory) {
    for (int64_t i = 0; i < memory.size(); i++) {
      Scalar x = memory.get(i);
      if (x.f == 0 && x.i == 0) continue;
      return complain("workspace", b.name, i, 1,
                      "is workspace and must be zero again at the end");
    }
  }

  const Tables& tables_;
  const Program& program_;
  Arrays& arrays_;
  const SimOptions& options_;
  std::map<Name, std::shared_ptr<Memory>> memories_;
  std::map<Name, Code> codes_;
  Clocks clocks_;
  Report report_;
};

}  // namespace

Report simulate(const Tables& tables, const Program& program, Arrays& buffers,
                const SimOptions& options) {
  verify(tables, program);
  return Simulation(tables, program, buffers, options).run();
}

}  // namespace sextant::kernel
