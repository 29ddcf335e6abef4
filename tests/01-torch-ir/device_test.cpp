#include "tests/01-torch-ir/device.h"

#include "chapters/01-torch-ir/syntax.h"

namespace sextant::test {
namespace {

using torch::BoundCall;

std::vector<int64_t> sizes(const std::vector<Dim>& shape) {
  std::vector<int64_t> list;
  for (const Dim& dim : shape)
    list.push_back(value_of(dim));
  return list;
}

int64_t position(const std::vector<int64_t>& index,
                 const std::vector<int64_t>& shape) {
  int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); d++)
    at = at * shape[d] + index[d];
  return at;
}

// Terms are dealt to lanes in turn; lanes are joined from the last.
class Sum {
 public:
  explicit Sum(const Device& device)
      : device_(device), lanes_(static_cast<std::size_t>(device.lanes), 0.0f) {}
  void add(double term) {
    int64_t number = count_++;
    if (device_.drop >= 0 && number >= device_.drop &&
        number < device_.drop + device_.dropped)
      return;
    float& lane = lanes_[static_cast<std::size_t>(number % device_.lanes)];
    lane = static_cast<float>(lane + term);
    if (device_.half_sums) {
      lane = static_cast<float>(round_to(DType::Float16, lane));
    }
  }
  float total() const {
    float sum = 0;
    for (std::size_t i = lanes_.size(); i-- > 0;)
      sum += lanes_[i];
    return sum;
  }

 private:
  const Device& device_;
  std::vector<float> lanes_;
  int64_t count_ = 0;
};

class Run {
 public:
  Run(const Device& device, const Tables& tables, const torch::Graph& graph,
      Arrays arrays)
      : device_(device),
        tables_(tables),
        types_(torch::types_of(graph)),
        arrays_(std::move(arrays)) {
    for (const torch::Node& node : graph.nodes) {
      BoundCall call = torch::call_of(tables, types_, node);
      if (call.row().as<torch::Leaf>() != nullptr) continue;
      result_ = Array(node.type.dtype, sizes(node.type.shape));
      run(node, call);
      arrays_[node.name] = result_;
    }
  }
  Arrays take() { return std::move(arrays_); }

 private:
  void run(const torch::Node& node, const BoundCall& call) {
    const torch::OpRow& row = call.row();
    if (row.as<torch::Elementwise>() != nullptr) {
      Expr e = torch::elementwise_value(tables_, call);
      each([&](const auto& index) { return scalar(e, index, index); });
    } else if (const auto* maker = row.as<torch::Maker>()) {
      Expr e = maker->make(call).value;
      each([&](const auto& index) { return scalar(e, index, index); });
    } else if (const auto* view = row.as<torch::View>()) {
      torch::IndexMap map = view->map(call);
      each([&](const auto& index) { return mapped(map, index); });
    } else if (row.as<torch::Reduction>() != nullptr) {
      torch::Reduced r = torch::reduction_of(call);
      each([&](const auto& index) { return reduced(r, node, index); });
    } else {
      torch::Product p = row.as<torch::Contraction>()->product(call);
      each([&](const auto& index) { return contracted(p, node, index); });
    }
  }

  template <class F>
  void each(F&& f) {
    each_index(result_.shape(), [&](const std::vector<int64_t>& index) {
      result_.set(position(index, result_.shape()), f(index));
    });
  }

  DType type(const Name& name) const {
    bool index = name.size() == 1 && name[0] >= 'i' && name[0] <= 'p';
    return index && arrays_.count(name) == 0 ? DType::Int64
                                             : types_(name).dtype;
  }

  // `at`: the index of operands; `index`: what i, j, ... stand for.
  Scalar scalar(const Expr& e, const std::vector<int64_t>& at,
                const std::vector<int64_t>& index) {
    return compute(
        tables_, e, [&](const Name& name) { return type(name); },
        [&](const Var& v) -> Scalar {
          auto found = arrays_.find(v.name);
          if (found == arrays_.end()) {
            return {0, index.at(static_cast<std::size_t>(v.name[0] - 'i'))};
          }
          std::vector<int64_t> cell = at;
          if (!v.index.empty()) cell = numbers(v.index, index);
          return found->second.at(position(cell, found->second.shape()));
        });
  }

  std::vector<int64_t> numbers(const std::vector<Expr>& list,
                               const std::vector<int64_t>& index) {
    std::vector<int64_t> values;
    for (const Expr& e : list)
      values.push_back(scalar(e, index, index).i);
    return values;
  }

  Scalar element(const torch::Piece& piece, const std::vector<int64_t>& index) {
    const Array& from = arrays_.at(piece.value);
    return from.at(position(numbers(piece.index, index), from.shape()));
  }

  Scalar mapped(const torch::IndexMap& map, const std::vector<int64_t>& index) {
    for (const torch::Piece& piece : map.pieces) {
      if (!piece.where || scalar(piece.where, index, index).i != 0) {
        return element(piece, index);
      }
    }
    return scalar(map.otherwise, index, index);
  }

  Scalar reduced(const torch::Reduced& r, const torch::Node& node,
                 const std::vector<int64_t>& index) {
    const Array& from = arrays_.at(r.operand);
    std::vector<int64_t> walked;
    for (std::size_t axis : r.axes)
      walked.push_back(from.shape()[axis]);
    const Combiner& row = combiner(tables_, r.combiner);
    Scalar state = compute(tables_, identity_of(row, r.compute), {}, {});
    Sum sum(device_);
    bool sums = r.combiner == "add" && is_float(r.compute);
    each_index(walked, [&](const std::vector<int64_t>& inner) {
      std::vector<int64_t> at = index;
      for (std::size_t i = 0; i < r.axes.size(); i++) {
        auto where = at.begin() + static_cast<std::ptrdiff_t>(r.axes[i]);
        if (r.keepdim) {
          *where = inner[i];
        } else {
          at.insert(where, inner[i]);
        }
      }
      Scalar x =
          convert(from.at(position(at, from.shape())), from.dtype(), r.compute);
      if (sums) {
        sum.add(x.f);
      } else {
        state = compute(
            tables_, row.combine[0], [&](const Name&) { return r.compute; },
            [&](const Var& v) { return v.name == "s0" ? state : x; });
      }
    });
    if (sums) state.f = sum.total();
    return convert(state, r.compute, node.type.dtype);
  }

  Scalar contracted(const torch::Product& p, const torch::Node& node,
                    std::vector<int64_t> index) {
    auto at =
        index.insert(index.begin() + static_cast<std::ptrdiff_t>(p.axis), 0);
    auto place = static_cast<std::size_t>(at - index.begin());
    Sum sum(device_);
    int64_t whole = 0;
    for (int64_t k = 0; k < value_of(p.space[p.axis]); k++) {
      index[place] = k;
      Scalar x = element(p.left, index), y = element(p.right, index);
      double product = x.f * y.f;
      sum.add(device_.fused ? product : static_cast<float>(product));
      whole += x.i * y.i;
    }
    bool floats = is_float(node.type.dtype);
    return convert({sum.total(), whole}, floats ? DType::Float32 : DType::Int64,
                   node.type.dtype);
  }

  const Device& device_;
  const Tables& tables_;
  BoundCall::TypeOf types_;
  Arrays arrays_;
  Array result_;
};

}  // namespace

Arrays run_on(const Device& device, const Tables& tables,
              const torch::Graph& graph, const Arrays& inputs) {
  torch::Graph plain = torch::expand_composites(tables, graph);
  return Run(device, tables, plain, inputs).take();
}

const Tables& tables() {
  static const Tables all = all_tables();
  return all;
}

torch::Graph parse(const std::string& lines) {
  torch::Graph graph =
      torch::parse_graph(tables(), "sextant torch\n" + lines, "test");
  torch::verify(tables(), graph);
  return graph;
}

std::string complaint(const std::string& lines) {
  try {
    parse(lines);
  } catch (const Error& e) {
    return e.diagnostics().at(0).message;
  }
  return "";
}

Arrays random_inputs(const torch::Graph& graph, uint64_t seed) {
  Arrays arrays;
  for (const torch::Node& node : graph.nodes) {
    if (node.op != "input" && node.op != "weight") continue;
    arrays[node.name] =
        random_array(node.type.dtype, sizes(node.type.shape), seed, node.name);
  }
  return arrays;
}

}  // namespace sextant::test
