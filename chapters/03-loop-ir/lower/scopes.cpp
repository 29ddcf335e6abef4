#include "chapters/03-loop-ir/lower/scopes.h"

#include <algorithm>

#include "chapters/03-loop-ir/names.h"

namespace sextant::loop {
namespace {

std::vector<Stmt> body_of(const Scope& scope);

Stmt loop_of(const Scope& scope) {
  return Stmt(For{scope.axis, scope.extent, scope.carries, body_of(scope)})
      .with_origin(scope.origin);
}

// What the loop of this part does not use moves behind it, last ones first.
void sink(std::vector<Stmt>& from, std::vector<Stmt>& to,
          std::set<Name>& used) {
  for (std::size_t i = from.size(); i-- > 0;) {
    std::set<Name> defined;
    collect_defined(from[i], defined);
    if (std::any_of(defined.begin(), defined.end(),
                    [&](const Name& name) { return used.count(name) != 0; })) {
      collect_uses(from[i], used);
      continue;
    }
    to.insert(to.begin(), from[i]);
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<Stmt> body_of(const Scope& scope) {
  std::vector<Stmt> body;
  std::vector<Scope::Part> parts = scope.parts;
  for (std::size_t i = 0; i < parts.size(); i++) {
    Scope::Part& part = parts[i];
    std::optional<Stmt> loop;
    if (part.loop) {
      loop = loop_of(*part.loop);
      std::set<Name> used;
      collect_uses(*loop, used);
      sink(part.rest, parts[i + 1].rest, used);
      sink(part.loads, parts[i + 1].loads, used);
    }
    body.insert(body.end(), part.loads.begin(), part.loads.end());
    body.insert(body.end(), part.rest.begin(), part.rest.end());
    if (loop) body.push_back(*loop);
  }
  if (scope.inner) body.push_back(loop_of(*scope.inner));
  return body;
}

}  // namespace

Scopes::Scopes(Bounds bounds) : bounds_(std::move(bounds)) {
  open_.push_back(std::make_shared<Scope>());
}

void Scopes::open(const std::shared_ptr<Scope>& scope) {
  bounds_.set_extent(scope->axis, scope->extent);
  if (depth_of_.count(scope->axis) == 0) named_.push_back(scope);
  depth_of_[scope->axis] = open_.size();
  open_.push_back(scope);
}

void Scopes::open_free(const Name& axis, const Dim& extent,
                       const Origin& origin) {
  auto scope = std::make_shared<Scope>();
  scope->axis = axis;
  scope->extent = extent;
  scope->origin = origin;
  open_.back()->inner = scope;
  open(scope);
}

Name Scopes::axis_name(std::size_t depth, const Dim& extent) const {
  for (const std::shared_ptr<Scope>& scope : named_) {
    bool same = depth_of_.at(scope->axis) == depth && scope->extent == extent;
    if (same) return scope->axis;
  }
  return fmt::format("r{}", named_.size());
}

void Scopes::enter_fold(std::size_t depth, const Dim& extent,
                        const Origin& origin) {
  auto deeper = open_.begin() + static_cast<std::ptrdiff_t>(depth) + 1;
  aside_.emplace_back(deeper, open_.end());
  open_.erase(deeper, open_.end());
  auto loop = std::make_shared<Scope>();
  loop->axis = axis_name(depth + 1, extent);
  loop->extent = extent;
  loop->origin = origin;
  open(loop);
}

void Scopes::leave_fold(const Carry& state) {
  std::shared_ptr<Scope> loop = open_.back();
  loop->carries.push_back(state);
  open_.pop_back();
  Scope& outer = *open_.back();
  std::set<Name> uses;
  collect_uses(loop_of(*loop), uses);
  // The first loop of equal extent behind all that this one uses, or the end.
  std::size_t i = first_part(outer, uses);
  while (outer.parts[i].loop && !(outer.parts[i].loop->extent == loop->extent &&
                                  loop->parts.size() == 1)) {
    i++;
  }
  if (outer.parts[i].loop) {
    join(*loop, *outer.parts[i].loop);
  } else {
    outer.parts[i].loop = loop;
    outer.parts.push_back({});
  }
  outer.part_of[state.name] = i + 1;
  depth_of_[state.name] = innermost();
  open_.insert(open_.end(), aside_.back().begin(), aside_.back().end());
  aside_.pop_back();
}

// One loop instead of two; what both compute is computed once.
void Scopes::join(const Scope& from, Scope& to) {
  Renaming same;
  for (const auto& [key, value] : from.known) {
    auto [there, is_new] = to.known.emplace(key, value);
    const Var* name = value.as<Var>();
    if (is_new || name == nullptr || there->second == value) continue;
    same[name->name] = there->second.get<Var>().name;
  }
  for (const auto* list : {&from.parts[0].loads, &from.parts[0].rest}) {
    for (const Stmt& stmt : *list) {
      std::set<Name> defined;
      collect_defined(stmt, defined);
      bool there =
          std::any_of(defined.begin(), defined.end(),
                      [&](const Name& name) { return same.count(name) != 0; });
      if (!there) place(to, rename(stmt, same));
    }
  }
  to.carries.insert(to.carries.end(), from.carries.begin(), from.carries.end());
  to.origin = merge(to.origin, from.origin);
}

std::size_t Scopes::depth(const std::vector<Expr>& index,
                          const Expr& guard) const {
  std::size_t deepest = 0;
  std::function<void(const Expr&)> look = [&](const Expr& e) {
    if (const Var* v = e.as<Var>()) {
      auto found = depth_of_.find(v->name);
      if (found != depth_of_.end()) deepest = std::max(deepest, found->second);
    }
    std::visit([&](const auto& node) { visit_inside<Expr>(node, look); },
               e.variant());
  };
  for (const Expr& e : index)
    look(e);
  if (guard) look(guard);
  return deepest;
}

std::size_t Scopes::first_part(const Scope& scope, const std::set<Name>& uses) {
  std::size_t part = 0;
  for (const Name& name : uses) {
    auto found = scope.part_of.find(name);
    if (found != scope.part_of.end()) part = std::max(part, found->second);
  }
  return part;
}

void Scopes::place(Scope& scope, const Stmt& stmt) {
  std::set<Name> uses, defined;
  collect_uses(stmt, uses);
  collect_defined(stmt, defined);
  std::size_t part = first_part(scope, uses);
  for (const Name& name : defined)
    scope.part_of[name] = part;
  bool is_load = stmt.as<Load>() != nullptr;
  (is_load ? scope.parts[part].loads : scope.parts[part].rest).push_back(stmt);
}

void Scopes::emit(std::size_t depth, const Stmt& stmt) {
  std::set<Name> defined;
  collect_defined(stmt, defined);
  for (const Name& name : defined)
    depth_of_[name] = depth;
  place(*open_[depth], stmt);
}

std::vector<Stmt> Scopes::finish() const {
  return body_of(*open_[0]);
}

}  // namespace sextant::loop
