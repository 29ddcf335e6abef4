// The random graphs of chapter 2's tests, built into chapter 3's.
#include "tests/02-tensor-ir/random_graph_test.cpp"
