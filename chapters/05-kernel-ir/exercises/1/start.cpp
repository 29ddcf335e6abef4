// Exercise 5.1, must, about 20 minutes.
// Two accesses of one element by different threads race if at least one of
// them writes and no barrier stands between. The state, `elements_` and
// `phase_`, is given in chapters/05-kernel-ir/exercises/1/shadow.h; these three
// functions keep it and ask it. A race is answered with false, and noted all
// the same.
// make exercise-5.1 test      your file: my/5.1.cpp, made at the first call
#include "chapters/05-kernel-ir/exercises/1/shadow.h"
#include "src/base/error.h"

namespace sextant::exercise {

bool Shadow::read(int, int64_t) {
  fail({}, "5.1 is yours to write");
}

bool Shadow::write(int, int64_t) {
  fail({}, "5.1 is yours to write");
}

void Shadow::barrier() {
  fail({}, "5.1 is yours to write");
}

}  // namespace sextant::exercise
