// Reading of schemas in ATen's notation.
#include <algorithm>

#include "chapters/01-torch-ir/arg_text.h"
#include "chapters/01-torch-ir/op_table.h"

namespace sextant::torch {
namespace {

// `int[]? dim=None`
Param read_param(Cursor& cursor, bool keyword_only) {
  Param param;
  param.keyword_only = keyword_only;
  Name word;
  std::size_t start = cursor.position();
  if (cursor.name(word) && cursor.literal("[]")) word += "[]";
  auto found =
      std::find_if(std::begin(kParamWords), std::end(kParamWords),
                   [&](const ParamWord& row) { return row.schema == word; });
  if (found == std::end(kParamWords)) {
    fail(cursor.where(start), "expected a type");
  }
  param.type = static_cast<ParamType>(found - kParamWords);
  param.optional = cursor.literal("?");
  cursor.skip_spaces();
  if (!cursor.name(param.name)) {
    fail(cursor.where(cursor.position()), "expected the parameter's name");
  }
  if (cursor.literal("=")) {
    param.usual.emplace();
    if (!read_arg(cursor, *param.usual)) {
      fail(cursor.where(cursor.position()), "expected the default value");
    }
  }
  return param;
}

}  // namespace

std::vector<Param> parse_schema(std::string_view schema) {
  std::string text(schema);
  Line line{0, text, {"schema", 1, 1, text}};
  Cursor cursor(line);
  std::vector<Param> params;
  Name name;
  if (!cursor.name(name) || !cursor.literal("(")) {
    fail(cursor.where(cursor.position()), "expected 'name('");
  }
  bool keyword_only = false;
  while (!cursor.literal(")")) {
    if (cursor.literal("*")) {
      keyword_only = true;
    } else {
      params.push_back(read_param(cursor, keyword_only));
    }
    if (cursor.literal(",")) cursor.skip_spaces();
  }
  if (!cursor.literal(" -> Tensor")) {
    fail(cursor.where(cursor.position()), "expected ' -> Tensor'");
  }
  return params;
}

}  // namespace sextant::torch
