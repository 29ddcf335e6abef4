// The `-c` language, step four: running a program. Tensor operations become
// nodes of the graph; everything else happens here and now.
#pragma once

#include "src/python/build.h"
#include "src/python/value.h"

namespace sextant::python {

struct Interpreter {
  Interpreter(const Tables& tables, const Options& options, const Code& code);
  /// The graph of the whole program.
  torch::Graph run();

  /// Raises an `Error` at the place of the user's program that is running.
  template <class... Args_>
  [[noreturn]] void error(fmt::format_string<Args_...> text,
                          Args_&&... args) const {
    fail(code.span(at), text, std::forward<Args_>(args)...);
  }
  /// Notes an error and goes on: gives a tensor about which nothing more is
  /// said, so that all that is missing can be told at once.
  Value complain(const std::string& message);
  /// Work that may be large is counted, so that no program runs for ever.
  void tick(int64_t steps = 1);
  /// An object that lives as long as the interpreter.
  template <class T>
  T* make(T object) {
    auto owned = std::make_shared<T>(std::move(object));
    T* p = owned.get();
    heap.push_back(std::move(owned));
    return p;
  }
  Value make_list(List::Kind kind, std::vector<Value> items) {
    return make(List{kind, std::move(items)});
  }
  Value make_builtin(Name name,
                     Value (*call)(Interpreter&, const Builtin&, Args&)) {
    return make(Builtin{std::move(name), call});
  }

  // Statements and expressions.
  enum class Flow { Next, Break, Continue, Return };
  Flow run(const Node& statement);
  Flow run_all(const Node& block);
  Value eval(const Tree& e);
  void assign(const Node& target, const Value& value);
  Value define(const Tree& code);

  // Operators.
  Value binary(const std::string& op, const Value& a, const Value& b);
  Value compare(const std::string& op, const Value& a, const Value& b);
  bool truth(const Value& v);
  /// What a `for` goes through.
  std::vector<Value> items_of(const Value& v);
  Value item(const Value& object, const Value& index);
  void set_item(const Value& object, const Value& index, const Value& value);

  // Calls, attributes and modules.
  Value call(const Value& function, Args args);
  Value call_function(const Function& f, Args& args);
  Value call_module(Instance* module, Args args);
  void bind(const Function& f, Args& args, Scope& scope);
  bool is_module(const Value& v) const;
  void name_parameters(Instance* module, const Name& path);
  Value get(const Value& object, const Name& name);
  std::optional<Value> find(const Value& object, const Name& name);
  std::optional<Value> find_tensor(Tensor* t, const Name& name);
  std::optional<Value> find_in(Namespace* space, const Name& name);
  Value bound(const Value& self, const Value& member);
  void set(const Value& object, const Name& name, Value value);

  // Tensors.
  Value call_op(const Name& row, Args args);
  Value new_input(std::vector<Dim> shape, DType dtype);
  Value to_parameter(const Value& tensor, bool buffer);
  void cast_parameters(Instance* module, DType dtype);
  void place_in_graph(Tensor* t);
  const torch::Type& type(Tensor* tensor);
  torch::Arg to_arg(const Name& row, const Value& v);
  Value result(const Name& value, int memory);
  Value update(Tensor* t, const Value& v);
  std::vector<Name> outputs_of(const Value& v);

  /// Fills builtins and the modules torch, torch.nn, F and math.
  void install();
  Namespace* space(const Name& name);

  const Tables& tables;
  const Options& options;
  const Code& code;
  torch::GraphBuilder builder;
  DType default_dtype;
  std::vector<std::shared_ptr<void>> heap;
  std::map<Name, Namespace*> spaces;
  Scope ours, builtins, globals;
  Scope* scope = &globals;
  Value last;      // of the last expression statement
  Value returned;  // on its way out of a function
  Place at;        // in the user's program
  Name written;    // the operation there, as the user wrote it
  int64_t steps = 0;
  int depth = 0;
  std::vector<const Function*> functions;  // being called
  std::vector<Instance*> modules;          // being called
  Class* module_class = nullptr;
  std::vector<Tensor*> pending;  // inputs that are not in the graph yet
  int unnamed = 0, memories = 0;
  std::set<int> viewed;  // memories that have views
  std::set<Name> placed;
  std::map<Name, int64_t> symbols;
};

/// Whether a list, "relu exp ", has the name.
bool listed(const std::string& list, const Name& name);

/// A file of ours/, which is run in the scope of the module it is named after.
struct OurCode {
  const char* module;
  const char* text;
};
extern const std::vector<OurCode> kOurCode;

/// Counts a step, remembers the place, and goes back to the one before.
struct Step {
  Step(Interpreter& in, Place at);
  ~Step();
  Interpreter& in;
  Place before;
};

}  // namespace sextant::python
