#include "src/python/tree.h"

namespace sextant::python {

// NAME: what follows the colon. 'x' is a token, "x" one whose text the node
// keeps, WORD a kind of token. [x] leaves an empty part where there is no x;
// x?, x* and x+ do not. A rule makes a node, named up to the dot; one that
// begins with _ gives its parts to whoever names it. In a rule that ends in <
// each part becomes the first part of the one behind it: `a` and `.b` and
// `(c)` become a call of an attribute of a.
const char* const kGrammar = R"(
program: (NEWLINE | _statement)* END
block: ':' (_line | NEWLINE INDENT _statement+ DEDENT)
_statement: if | for | while | with | def | class | _line
if: 'if' _expr block (if.2 | _else)?
if.2: 'elif' _expr block (if.2 | _else)?
_else: 'else' block
for: 'for' _targets 'in' _exprs block _else?
while: 'while' _expr block _else?
with: 'with' _expr [_as] block
_as: 'as' _primary
def: decorator* 'def' NAME '(' params ')' returns? block
decorator: '@' _expr NEWLINE
returns: '->' _expr
class: 'class' NAME ('(' args ')')? block
_line: _small (';' _small)* ';'? NEWLINE
_small: pass | break | continue | return | raise | assert | del | import
  | from | _value
pass: 'pass'
break: 'break'
continue: 'continue'
return: 'return' [_exprs]
raise: 'raise' [_expr]
assert: 'assert' _expr [_message]
_message: ',' _expr
del: 'del' _targets
import: 'import' dotted [name]
from: 'from' dotted 'import' (_names | '(' _names ','? ')')
_names: alias (',' alias)*
alias: (NAME | "*") [name]
name: 'as' NAME
dotted: NAME ("." NAME)*
_value<: _exprs (augmented | annotated | assign | evaluate)
augmented: ("+=" | "-=" | "*=" | "/=" | "//=" | "%=" | "**=" | "@=" | "&="
  | "|=" | "^=" | "<<=" | ">>=") _exprs
annotated: ':' _expr ('=' _exprs)?
assign: ('=' _exprs)+
evaluate:
params: (_param (',' _param)* ','?)?
_param: star2 | star | slash | param
param: NAME annotation? ['=' _expr]
annotation: ':' _expr
star: '*' (NAME annotation?)?
star2: '**' NAME annotation?
slash: '/'
params.2: (_plain (',' _plain)* ','?)?
_plain: star2.2 | star.2 | param.2
param.2: NAME ['=' _expr]
star.2: '*' NAME?
star2.2: '**' NAME
_exprs<: _star tuple?
tuple: ',' (_star (',' _star)* ','?)?
_star: starred | _expr
starred: '*' _bits
_targets<: _target tuple.2?
tuple.2: ',' (_target (',' _target)* ','?)?
_target: starred.2 | _primary
starred.2: '*' _primary
_expr: lambda | _choice
lambda: 'lambda' params.2 ':' _expr
_choice<: _or conditional?
conditional: 'if' _or 'else' _expr
_or<: _and or*
or: 'or' _and
_and<: _not and*
and: 'and' _not
_not: not | _compare
not: 'not' _not
_compare<: _bits compare?
compare: link+
link: ("<" | ">" | "==" | ">=" | "<=" | "!=" | "in" | "not" "in"
  | "is" "not" | "is") _bits
_bits<: _xor binary.1*
binary.1: "|" _xor
_xor<: _and_bits binary.2*
binary.2: "^" _and_bits
_and_bits<: _shift binary.3*
binary.3: "&" _shift
_shift<: _sum binary.4*
binary.4: ("<<" | ">>") _sum
_sum<: _term binary.5*
binary.5: ("+" | "-") _term
_term<: _factor binary.6*
binary.6: ("*" | "@" | "/" | "//" | "%") _factor
_factor: unary | _power
unary: ("-" | "+" | "~") _factor
_power<: _primary binary.7?
binary.7: "**" _factor
_primary<: _atom (attribute | call | subscript)*
attribute: '.' NAME
call: '(' args ')'
subscript: '[' _index ']'
args: (_arg (',' _arg)* ','?)?
_arg: keyword | double | starred | _generated
keyword: NAME '=' _expr
double: '**' _expr
_generated<: _expr generator?
generator: clause+
clause: 'for' _targets 'in' _or condition*
condition: 'if' _or
_index<: _sub tuple.3?
tuple.3: ',' (_sub (',' _sub)* ','?)?
_sub: slice0 | _from
_from<: _star slice?
slice: ':' [_expr] _step?
slice0: ':' [_expr] _step?
_step: ':' [_expr]
_atom: number | strings | none | true | false | ellipsis | empty | _paren
  | list | dict | variable
number: NUMBER
strings: (string | fstring)+
string: STRING
fstring: FSTRING
none: 'None'
true: 'True'
false: 'False'
ellipsis: '...'
empty: '(' ')'
_paren: '(' _inner ')'
_inner<: _star (tuple | generator)?
list: '[' (_element (',' _star)* ','?)? ']'
_element<: _star comprehension?
comprehension: clause+
dict: '{' (_entry (',' _pair)* ','?)? '}'
_entry<: _pair comprehension?
_pair: double | pair
pair: _expr (':' _expr)?
variable: NAME
field: '(' _expr ')' NEWLINE? END
)";

}  // namespace sextant::python
