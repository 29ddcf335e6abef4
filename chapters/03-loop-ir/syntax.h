// The text of Loop IR: one format string per node.
#pragma once

#include "chapters/03-loop-ir/ir.h"

namespace sextant {

template <>
inline constexpr const char* format_of<loop::Carry> =
    "{name}{?:{dtype}?}={combiner}";
template <>
inline constexpr const char* format_of<loop::For> =
    "for {axis} in 0..{extent}:{?  # reduce {carries}?}{body}";
template <>
inline constexpr const char* format_of<loop::Load> =
    "{out} = load {buffer}[{index}]{? if {guard}?}{? else {otherwise}?}";
template <>
inline constexpr const char* format_of<loop::Let> = "{out} = {value}";
template <>
inline constexpr const char* format_of<loop::Accum> =
    "{state} <- {combiner}({state}, {value}){? if {guard}?}";
template <>
inline constexpr const char* format_of<loop::Store> =
    "store {buffer}[{index}] = {value}{? if {guard}?}";
template <>
inline constexpr const char* format_of<loop::Kernel> = "kernel {name}:{body}";

}  // namespace sextant
