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

bool share(const std::set<Name>& a, const std::set<Name>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const Name& name) { return b.count(name) != 0; });
}

// What the loop between two parts does not use moves behind it.
void sink(std::vector<Stmt>& from, const Stmt& loop, std::vector<Stmt>& to) {
  std::set<Name> used;
  collect_uses(loop, used);
  for (std::size_t i = from.size(); i-- > 0;) {
    std::set<Name> defined;
    collect_defined(from[i], defined);
    if (share(defined, used)) {
      collect_uses(from[i], used);
    } else {
      to.insert(to.begin(), from[i]);
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

// Loads come first, but for those that need what is computed beside them.
void append(const std::vector<Stmt>& stmts, std::vector<Stmt>& body) {
  std::set<Name> computed;
  std::vector<Stmt> rest;
  for (const Stmt& stmt : stmts) {
    std::set<Name> uses;
    collect_uses(stmt, uses);
    bool first = stmt.as<Load>() != nullptr && !share(uses, computed);
    if (!first) collect_defined(stmt, computed);
    (first ? body : rest).push_back(stmt);
  }
  body.insert(body.end(), rest.begin(), rest.end());
}

std::vector<Stmt> body_of(const Scope& scope) {
  std::vector<Stmt> body;
  std::vector<Scope::Part> parts = scope.parts;
  for (std::size_t i = 0; i < parts.size(); i++) {
    std::optional<Stmt> loop;
    if (parts[i].loop) {
      loop = loop_of(*parts[i].loop);
      sink(parts[i].stmts, *loop, parts[i + 1].stmts);
    }
    append(parts[i].stmts, body);
    if (loop) body.push_back(*loop);
  }
  if (scope.inner) body.push_back(loop_of(*scope.inner));
  return body;
}

}  // namespace

Scopes::Scopes(Bounds bounds) : bounds_(std::move(bounds)) {
  open_.push_back(std::make_shared<Scope>());
}

std::shared_ptr<Scope> Scopes::open(const Name& axis, const Dim& extent,
                                    const Origin& origin) {
  auto scope = std::make_shared<Scope>();
  scope->axis = axis;
  scope->extent = extent;
  scope->origin = origin;
  bounds_.set_extent(axis, extent);
  if (depth_of_.count(axis) == 0) named_.push_back(scope);
  depth_of_[axis] = open_.size();
  open_.push_back(scope);
  return scope;
}

void Scopes::open_free(const Name& axis, const Dim& extent,
                       const Origin& origin) {
  Scope& outer = *open_.back();
  outer.inner = open(axis, extent, origin);
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
  open(axis_name(depth + 1, extent), extent, origin);
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
  std::set<Name> there;
  for (const auto& [key, value] : from.known) {
    auto [known, is_new] = to.known.emplace(key, value);
    const Var* name = value.as<Var>();
    if (is_new || name == nullptr || known->second == value) continue;
    same[name->name] = known->second.get<Var>().name;
    there.insert(name->name);
  }
  for (const Stmt& stmt : from.parts[0].stmts) {
    std::set<Name> defined;
    collect_defined(stmt, defined);
    if (!share(defined, there)) place(to, rename(stmt, same));
  }
  to.carries.insert(to.carries.end(), from.carries.begin(), from.carries.end());
  to.origin = merge(to.origin, from.origin);
}

std::size_t Scopes::depth(const std::vector<Expr>& index,
                          const Expr& guard) const {
  std::set<Name> names;
  collect_uses(Load{"", "", index, guard, {}}, names);
  std::size_t deepest = 0;
  for (const Name& name : names) {
    if (depth_of_.count(name) != 0)
      deepest = std::max(deepest, depth_of_.at(name));
  }
  return deepest;
}

std::size_t Scopes::first_part(const Scope& scope, const std::set<Name>& uses) {
  std::size_t part = 0;
  for (const Name& name : uses) {
    if (scope.part_of.count(name) != 0)
      part = std::max(part, scope.part_of.at(name));
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
  scope.parts[part].stmts.push_back(stmt);
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
