// What must hold between kernels, launches and buffers.
#include <algorithm>

#include "chapters/05-kernel-ir/intrinsics.h"
#include "chapters/05-kernel-ir/verify.h"

namespace sextant::kernel {

int64_t shared_bytes(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Object& object : kernel.objects) {
    if (object.space != Space::Smem) continue;
    int64_t size = size_of(object.dtype);
    int64_t align = std::max(object.align, size);
    for (const Dim& extent : object.shape)
      size = checked_mul(size, value_of(extent), object.name);
    bytes = (bytes + align - 1) / align * align + size;
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

namespace {

void collect_written(const Tables& tables, const std::vector<Stmt>& body,
                     std::set<Name>& names) {
  for (const Stmt& s : body) {
    if (const Store* x = s.as<Store>()) {
      names.insert(x->to);
    } else if (const Call* x = s.as<Call>()) {
      const Intrinsic* row = tables.find<Intrinsic>(x->intrinsic);
      if (row == nullptr || row->effects.writes < 0) continue;
      names.insert(x->in[row->effects.writes].get<Var>().name);
    } else if (const For* x = s.as<For>()) {
      collect_written(tables, x->body, names);
    } else if (const If* x = s.as<If>()) {
      collect_written(tables, x->body, names);
      collect_written(tables, x->otherwise, names);
    }
  }
}

}  // namespace

std::set<Name> written_objects(const Tables& tables, const Kernel& kernel) {
  std::set<Name> names;
  collect_written(tables, kernel.body, names);
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
    Name name = object.name;
    for (const Binding& b : launch.bindings) {
      if (b.param == object.name) name = b.buffer;
    }
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
    Dim wanted = 1, there = 1;
    for (const Dim& d : object.shape)
      wanted = wanted * d;
    for (const Dim& d : buffer->shape)
      there = there * d;
    if (!(simplify(wanted) == simplify(there))) {
      list.add({}, "launch {}: {} has {} elements, and the kernel takes {}",
               launch.kernel, name, to_string(simplify(there)),
               to_string(simplify(wanted)));
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
