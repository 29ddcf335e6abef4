// The text of Kernel IR: one format string per node.
#pragma once

#include "chapters/05-kernel-ir/ir.h"

namespace sextant {

template <>
inline constexpr const char* const* words_of<kernel::Space> =
    kernel::kSpaceWords;
template <>
inline constexpr const char* format_of<kernel::Object> =
    "{space} {name}[{shape}] ({dtype}){? align={align}?}";
template <>
inline constexpr const char* format_of<kernel::For> =
    "for {var} in {begin}..{end}{? step {step}?}{? unroll{unroll}?}:{body}";
template <>
inline constexpr const char* format_of<kernel::If> =
    "if {cond}:{body}{?else:{otherwise}?}";
template <>
inline constexpr const char* format_of<kernel::Sync> =
    "Sync{? barrier={barrier}?}";
template <>
inline constexpr const char* format_of<kernel::Call> =
    "{?{out} = ?}call {intrinsic}({in})";
template <>
inline constexpr const char* format_of<kernel::Load> =
    "{out} = load {from}[{offset}]{? if {guard}?}{? else {otherwise}?}"
    "{? width={width}?}{? cache={cache}?}";
template <>
inline constexpr const char* format_of<kernel::Store> =
    "store {to}[{offset}] = {value}{? if {guard}?}{? width={width}?}"
    "{? cache={cache}?}";
template <>
inline constexpr const char* format_of<kernel::Let> = "{out} = {value}";

namespace kernel {

/// `kernel NAME grid=G block=B min_blocks=M:`, then the objects, a line each,
/// then the statements.
void print_field(Printer& p, const Kernel& kernel);
bool parse_field(Parser& p, Kernel& kernel);

}  // namespace kernel
}  // namespace sextant
