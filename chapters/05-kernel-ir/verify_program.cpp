// What must hold between kernels, launches and buffers.
#include <algorithm>

#include "chapters/05-kernel-ir/intrinsics.h"
#include "chapters/05-kernel-ir/verify.h"
#include "src/base/walk.h"

namespace sextant::kernel {

std::vector<Var> assigned_by(const Stmt& stmt) {
  if (const Let* x = stmt.as<Let>()) return {x->out};
  if (const Load* x = stmt.as<Load>()) return {x->out};
  const Call* x = stmt.as<Call>();
  return x == nullptr ? std::vector<Var>{} : x->out;
}

int64_t elements_of(const Object& object) {
  int64_t count = 1;
  for (const Dim& extent : object.shape)
    count = checked_mul(count, value_of(extent), object.name);
  return count;
}

const Name& buffer_of(const Launch& launch, const Name& object) {
  for (const Binding& b : launch.bindings) {
    if (b.param == object) return b.buffer;
  }
  return object;
}

int64_t shared_bytes(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Object& object : kernel.objects) {
    if (object.space != Space::Smem) continue;
    int64_t align = std::max(object.align, size_of(object.dtype));
    bytes =
        (bytes + align - 1) / align * align +
        checked_mul(elements_of(object), size_of(object.dtype), object.name);
  }
  return bytes;
}

int64_t shared_limit(const std::string& target) {
  // CUDA C++ Programming Guide, technical specifications: what one block may
  // ask for. Every target has at least 48 KB.
  if (target.substr(0, 5) == "sm_90") return 227 * 1024;
  if (target.substr(0, 5) == "sm_80") return 163 * 1024;
  return 48 * 1024;
}

std::set<Name> written_objects(const Tables& tables, const Kernel& kernel) {
  std::set<Name> names;
  walk<Stmt>(kernel.body, [&](const Stmt& s) {
    if (const Store* x = s.as<Store>()) names.insert(x->to);
    const Call* x = s.as<Call>();
    const Intrinsic* row =
        x == nullptr ? nullptr : tables.find<Intrinsic>(x->intrinsic);
    if (row == nullptr || row->effects.writes < 0) return;
    names.insert(x->in[row->effects.writes].get<Var>().name);
  });
  return names;
}

namespace {

// A launch gives each global object of its kernel a buffer.
void verify_launch(const Program& program, const Launch& launch,
                   const std::set<Name>& written, Diagnostics& list) {
  const Kernel& kernel = *program.kernel(launch.kernel);
  for (const Binding& b : launch.bindings) {
    const Object* object = find_object(kernel, b.param);
    if (object == nullptr || object->space != Space::Global) {
      list.add({}, "launch {}: {} is no parameter", launch.kernel, b.param);
    }
  }
  for (const Object& object : kernel.objects) {
    if (object.space != Space::Global) continue;
    const Name& name = buffer_of(launch, object.name);
    const Buffer* buffer = program.buffer(name);
    if (buffer == nullptr) {
      list.add({}, "launch {}: no buffer is named {}", launch.kernel, name);
      continue;
    }
    if (buffer->dtype != object.dtype) {
      list.add({}, "launch {}: {} is {}, and the kernel takes {}",
               launch.kernel, name, name_of(buffer->dtype),
               name_of(object.dtype));
    }
    auto product = [](const std::vector<Dim>& shape) {
      Dim all = 1;
      for (const Dim& d : shape)
        all = all * d;
      return simplify(all);
    };
    Dim wanted = product(object.shape), there = product(buffer->shape);
    if (wanted != there) {
      list.add({}, "launch {}: {} has {} elements, and the kernel takes {}",
               launch.kernel, name, to_string(there), to_string(wanted));
    }
    bool given = buffer->role == Role::Input || buffer->role == Role::Weight;
    if (given && written.count(object.name) != 0) {
      list.add({}, "launch {}: the kernel writes {}, which is {} {}",
               launch.kernel, name, buffer->role == Role::Input ? "an" : "a",
               kRoleWords[static_cast<int>(buffer->role)]);
    }
  }
}

}  // namespace

void verify(const Tables& tables, const Program& program) {
  Diagnostics all;
  std::set<Name> names;
  for (const Kernel& kernel : program.kernels) {
    if (!names.insert(kernel.name).second)
      all.add({}, "two kernels are named {}", kernel.name);
    Diagnostics found = diagnose(tables, program, kernel);
    for (const Diagnostic& d : found.list())
      all.add(d.where, "{}", d.message);
  }
  all.raise();
  for (const Launch& launch : program.launches) {
    const Kernel* kernel = program.kernel(launch.kernel);
    if (kernel == nullptr) {
      all.add({}, "launch {}: there is no such kernel", launch.kernel);
    } else {
      verify_launch(program, launch, written_objects(tables, *kernel), all);
    }
  }
  all.raise();
}

}  // namespace sextant::kernel
