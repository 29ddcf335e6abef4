// The `-c` language, step four: running a program. Tensor operations become
// nodes of the graph; everything else happens here and now.
#pragma once

#include <memory>
#include <set>

#include "src/python/build.h"
#include "src/python/value.h"

namespace sextant::python {

class Interpreter {
 public:
  Interpreter(const Tables& tables, const Options& options, const Code& code);
  /// The graph of the whole program.
  torch::Graph run();

  // --- what library functions use ---
  /// Raises an `Error` at the place of the user's program that is running.
  template <class... Args_>
  [[noreturn]] void error(fmt::format_string<Args_...> text,
                          Args_&&... args) const {
    fail(code_.span(at_), text, std::forward<Args_>(args)...);
  }
  /// Work that may be large is counted, so that no program runs for ever.
  void tick(int64_t steps = 1);
  /// An object that lives as long as the interpreter.
  template <class T>
  T* make(T object) {
    auto owned = std::make_shared<T>(std::move(object));
    T* p = owned.get();
    heap_.push_back(std::move(owned));
    return p;
  }
  Value make_list(List::Kind kind, std::vector<Value> items) {
    return make(List{kind, std::move(items)});
  }
  Value make_builtin(Name name,
                     Value (*call)(Interpreter&, const Builtin&, Args&)) {
    return make(Builtin{std::move(name), call});
  }

  Value call(const Value& function, Args args);
  Value get(const Value& object, const Name& name);
  /// The attribute, or nothing.
  std::optional<Value> find(const Value& object, const Name& name);
  void set(const Value& object, const Name& name, Value value);
  bool truth(const Value& v);
  /// What a `for` would go through.
  std::vector<Value> items_of(const Value& v);
  Value binary(const std::string& op, const Value& a, const Value& b);
  bool compare(const std::string& op, const Value& a, const Value& b);
  Value item(const Value& object, const Value& index);
  void set_item(const Value& object, const Value& index, const Value& value);

  // Tensors.
  /// Calls a row of the op table.
  Value call_op(const Name& row, Args args);
  /// A tensor that is an input of the program unless it becomes a parameter.
  Value new_input(std::vector<Dim> shape, DType dtype);
  Value to_parameter(const Value& tensor, bool buffer);
  /// The same value, in memory of its own.
  Value copy_of(Tensor* t);
  /// Changes the type of a module's parameters, which no call used yet.
  void cast_parameters(Instance* module, DType dtype);
  const torch::Type& type(Tensor* tensor);
  Value update(Tensor* t, const Value& v);
  Value complain(const std::string& message);

  const Tables& tables() const { return tables_; }
  DType& default_dtype() { return default_dtype_; }
  /// The names that are there without an import.
  Scope& builtins() { return builtins_; }
  /// A module: torch, nn, F, math, and those that only Sextant's code sees.
  Namespace* space(const Name& name);
  Value super_call(Args& args);

 private:
  friend struct Step;
  enum class Flow { Next, Break, Continue, Return };

  // Fills builtins and the modules torch, torch.nn, F and math.
  void install();
  // Runs code that comes with Sextant; its definitions enter the scope.
  void run_ours(std::string_view code, Scope& scope);
  bool noted(const Diagnostic& d);

  // Statements.
  Flow run(const Block& block);
  Flow run(const Statement& statement);
  Flow run(const Assign& s);
  Flow run(const AugmentedAssign& s);
  Flow run(const Evaluate& s);
  Flow run(const Return& s);
  Flow run(const Jump& s);
  Flow run(const Import& s);
  Flow run(const Assert& s);
  Flow run(const Raise& s);
  Flow run(const Delete& s);
  Flow run(const If& s);
  Flow run(const For& s);
  Flow run(const While& s);
  Flow run(const With& s);
  Flow run(const Define& s);
  Flow run(const DefineClass& s);
  void assign(const Expression& target, const Value& value);
  void unpack(const Display& targets, const Value& value);
  void assign_name(const Name& name, const Value& value);

  // Expressions.
  Value eval(const Expression& e);
  Value eval(const Variable& e);
  Value eval(const Constant& e);
  Value eval(const FormatString& e);
  Value eval(const Display& e);
  Value eval(const DictDisplay& e);
  Value eval(const Starred& e);
  Value eval(const Attribute& e);
  Value eval(const Subscript& e);
  Value eval(const SliceOf& e);
  Value eval(const CallOf& e);
  Value eval(const Unary& e);
  Value eval(const Binary& e);
  Value eval(const Logical& e);
  Value eval(const Comparison& e);
  Value eval(const Conditional& e);
  Value eval(const Lambda& e);
  Value eval(const Comprehension& e);
  void comprehend(const Comprehension& e, std::size_t clause, const Value& out);
  Value link(const std::string& op, const Value& a, const Value& b);
  Name written(const CallOf& e, const Value& callee) const;
  Value define(const FunctionCodePtr& code);

  // Calls.
  Value call_function(const Function& f, Args& args);
  void bind(const Function& f, Args& args, Scope& scope);
  Value instantiate(Class* type, Args args);
  Value call_module(Instance* module, Args args);
  void name_parameters(Instance* module, const Name& path);
  bool is_module(const Value& v) const;
  std::optional<Value> find_tensor(Tensor* t, const Name& name);
  std::optional<Value> find_member(Instance* object, const Name& name);
  std::optional<Value> find_in(Namespace* space, const Name& name);
  Value bound(const Value& self, const Value& member);

  // Tensors.
  void flush();
  void place_in_graph(Tensor* t);
  void add_symbol(const Name& name, const Dim& size);
  torch::Arg to_arg(const Name& row, const Value& v);
  Value result(const Name& value, int memory);
  Value index_tensor(Tensor* t, const Value& index);
  std::vector<Name> outputs_of(const Value& v);
  torch::Graph arranged(torch::Graph graph);
  Source source() const;

  const Tables& tables_;
  const Options& options_;
  const Code& code_;
  torch::GraphBuilder builder_;
  DType default_dtype_;
  std::vector<std::shared_ptr<void>> heap_;
  std::map<Name, Namespace*> spaces_;
  Scope ours_, builtins_, globals_;
  Scope* scope_ = &globals_;
  Value last_;      // of the last expression statement
  Value returned_;  // on its way out of a function
  Place at_;        // in the user's program
  Name written_;    // the call there, as the user wrote it
  int64_t steps_ = 0;
  int depth_ = 0;
  std::vector<const Function*> functions_;  // being called
  std::vector<Instance*> modules_;          // being called
  std::vector<Tensor*> pending_;  // inputs that are not in the graph yet
  int unnamed_ = 0, memories_ = 0;
  std::set<int> viewed_;  // memories that have views
  std::set<Name> made_inputs_;
  std::map<Name, int64_t> symbols_;
  Class* module_class_ = nullptr;
};

/// Counts a step, remembers the place, and goes back to the one before.
struct Step {
  Step(Interpreter& in, Place at);
  ~Step();
  Interpreter& in;
  Place before;
};

/// A method of a list, a dict or a string; nothing if there is none.
std::optional<Value> find_method(Interpreter& in, const Value& object,
                                 const Name& name);

/// Sextant's own code in the `-c` language, by module.
struct OurCode {
  const char* module;
  const char* text;
};
extern const OurCode kOurCode[8];  // the last one is empty

}  // namespace sextant::python
