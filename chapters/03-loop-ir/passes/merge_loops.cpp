// Sibling loops over one extent share a name, and where nothing prevents it,
// a body:
//
//   for r0 in 0..64:  # reduce s0=add        for r0 in 0..64:  # reduce s0=add,
//     ... s0 <- add(s0, x)                                     #        s1=add
//   for r1 in 0..64:  # reduce s1=add          ... s0 <- add(s0, x)
//     ... s1 <- add(s1, y)                     ... s1 <- add(s1, y)
#include <algorithm>

#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {
namespace {

using Body = std::vector<Stmt>;

bool meet(const std::set<Name>& a, const std::set<Name>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const Name& name) { return b.count(name) != 0; });
}

// Statement i of the body, and what stands between i and j and is needed by j.
// Nothing if j needs, directly or not, what i computes.
std::optional<std::vector<bool>> needed_between(const Body& body, std::size_t i,
                                                std::size_t j) {
  std::vector<bool> needed(body.size(), false);
  std::set<Name> uses;
  collect_uses(body[j], uses);
  for (std::size_t k = j; k-- > i;) {
    std::set<Name> defined;
    collect_defined(body[k], defined);
    if (!meet(defined, uses)) continue;
    if (k == i) return std::nullopt;
    needed[k] = true;
    collect_uses(body[k], uses);
  }
  return needed;
}

// A statement of a body that computes the same as this one.
const Stmt* same_value(const Body& body, const Stmt& stmt) {
  const Load* load = stmt.as<Load>();
  const Let* let = stmt.as<Let>();
  for (const Stmt& s : body) {
    if (const Load* other = s.as<Load>(); other != nullptr && load != nullptr) {
      Load renamed = *other;
      renamed.out = load->out;
      if (renamed == *load) return &s;
    }
    if (const Let* other = s.as<Let>(); other != nullptr && let != nullptr) {
      if (other->value == let->value) return &s;
    }
  }
  return nullptr;
}

Name out_of(const Stmt& stmt) {
  const Load* load = stmt.as<Load>();
  return load != nullptr ? load->out : stmt.get<Let>().out;
}

// The second loop's body after the first's; what is there already is reused,
// and loads stay in front.
Stmt joined(const Stmt& first, const Stmt& second) {
  For loop = first.get<For>();
  const For& other = second.get<For>();
  loop.carries.insert(loop.carries.end(), other.carries.begin(),
                      other.carries.end());
  auto is_load = [](const Stmt& s) { return s.as<Load>() != nullptr; };
  auto leading = [&](const Body& body) {
    return std::find_if_not(body.begin(), body.end(), is_load) - body.begin();
  };
  std::ptrdiff_t loads = leading(loop.body), from_loads = leading(other.body);
  Renaming known;
  for (const Stmt& s : other.body) {
    Stmt stmt = rename(s, known);
    bool leads = from_loads-- > 0;
    if (const Stmt* same = same_value(loop.body, stmt)) {
      known[out_of(stmt)] = out_of(*same);
    } else if (leads) {
      loop.body.insert(loop.body.begin() + loads++, stmt);
    } else {
      loop.body.push_back(stmt);
    }
  }
  return Stmt(loop).with_origin(merge(first.origin(), second.origin()));
}

bool alike(const For* a, const For* b) {
  return a != nullptr && b != nullptr && a->extent == b->extent;
}

void share_names(Body& body) {
  for (std::size_t i = 0; i < body.size(); i++) {
    for (std::size_t j = i + 1; j < body.size(); j++) {
      const For* a = body[i].as<For>();
      const For* b = body[j].as<For>();
      if (alike(a, b) && a->axis != b->axis)
        body[j] = rename(body[j], {{b->axis, a->axis}});
    }
  }
}

bool merge_once(Body& body) {
  for (std::size_t i = 0; i < body.size(); i++) {
    for (std::size_t j = i + 1; j < body.size(); j++) {
      const For* a = body[i].as<For>();
      const For* b = body[j].as<For>();
      if (!alike(a, b) || a->carries.empty() || b->carries.empty()) continue;
      auto needed = needed_between(body, i, j);
      if (!needed) continue;
      Body next(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t k = i; k < j; k++) {
        if ((*needed)[k]) next.push_back(body[k]);
      }
      next.push_back(joined(body[i], body[j]));
      for (std::size_t k = i + 1; k < body.size(); k++) {
        if (k != j && !(*needed)[k]) next.push_back(body[k]);
      }
      body = next;
      return true;
    }
  }
  return false;
}

Body merged(Body body) {
  auto is_loop = [](const Stmt& s) { return s.as<For>() != nullptr; };
  if (std::count_if(body.begin(), body.end(), is_loop) > 1) {
    share_names(body);
    while (merge_once(body)) {
    }
  }
  for (Stmt& stmt : body) {
    const For* loop = stmt.as<For>();
    if (loop == nullptr ||
        std::none_of(loop->body.begin(), loop->body.end(), is_loop)) {
      continue;
    }
    For inner = *loop;
    inner.body = merged(inner.body);
    stmt = Stmt(inner).with_origin(stmt.origin());
  }
  return body;
}

}  // namespace

Kernel merge_loops(const Kernel& kernel) {
  Kernel result = kernel;
  result.body = merged(kernel.body);
  return result;
}

}  // namespace sextant::loop
