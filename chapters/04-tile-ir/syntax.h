// The text of Tile IR: one format string per node.
#pragma once

#include "chapters/04-tile-ir/ir.h"

namespace sextant {
namespace tile {

void print_field(Printer& p, const Note& note);
bool parse_field(Parser& p, Note& note);
void print_field(Printer& p, const Transport& transport);
bool parse_field(Parser& p, Transport& transport);
/// `kernel NAME  # SCHEDULE`, then `Tile(axes=(...)):`, then the statements.
void print_field(Printer& p, const Kernel& kernel);
bool parse_field(Parser& p, Kernel& kernel);

}  // namespace tile

template <>
inline constexpr const char* const* words_of<tile::Level> = tile::kLevelWords;
template <>
inline constexpr const char* format_of<tile::Axis> = "{name}:{extent}={level}";
template <>
inline constexpr const char* format_of<tile::Carry> =
    "{cell}{?:{dtype}?}={combiner}";
template <>
inline constexpr const char* format_of<tile::For> =
    "for {axis} in 0..{extent}{? pipeline={pipeline}?}{? unroll{unroll}?}"
    "{? prefetch{prefetch}?}:{?  # reduce {carries}?}{body}";
template <>
inline constexpr const char* format_of<tile::Carries> = "carry {carries}";
template <>
inline constexpr const char* format_of<tile::Slab> = "{axis}:{extent}@{dim}";
template <>
inline constexpr const char* format_of<tile::What> =
    "{buffer}, origin=({origin}), slab=({slab})";
template <>
inline constexpr const char* format_of<tile::How> =
    "{? pad=({pad})?}{? swizzle={swizzle}?}";
template <>
inline constexpr const char* format_of<tile::Who> =
    "{? buffers={buffers}@{over}?}{? {transport}?}{? width={width}?}";
template <>
inline constexpr const char* format_of<tile::Stage> =
    "{name} = Stage({what}){how}{who}";
template <>
inline constexpr const char* format_of<tile::Combine> =
    "Combine({state}, op={combiner}, axes=({axes}))";
template <>
inline constexpr const char* format_of<tile::When> = "when {cond}:{body}";
template <>
inline constexpr const char* format_of<tile::Last> =
    "last of ({axes}) by {ticket}[{index}]:{body}";
template <>
inline constexpr const char* format_of<tile::Load> =
    "{out} = load {from}[{index}]{? if {guard}?}{? else {otherwise}?}"
    "{? width={width}?}{? cache={cache}?}";
template <>
inline constexpr const char* format_of<tile::Accum> =
    "{state} <- {combiner}({state}, {value}){? if {guard}?}";
template <>
inline constexpr const char* format_of<tile::Store> =
    "store {to}[{index}] = {value}{? if {guard}?}{? width={width}?}"
    "{? cache={cache}?}";
template <>
inline constexpr const char* format_of<tile::Let> = "{out} = {value}";

}  // namespace sextant
