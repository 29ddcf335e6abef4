#include <catch2/catch.hpp>

#include "chapters/05-kernel-ir/exercises/1/shadow.h"

namespace sextant::exercise {

TEST_CASE("5.1 write then read by another thread") {
  Shadow shadow(4);
  CHECK(shadow.write(0, 2));
  CHECK_FALSE(shadow.read(1, 2));
  CHECK(shadow.read(1, 3));  // another element
}

TEST_CASE("5.1 read then write by another thread") {
  Shadow shadow(4);
  CHECK(shadow.read(0, 2));
  CHECK_FALSE(shadow.write(1, 2));
}

TEST_CASE("5.1 the same thread is fine") {
  Shadow shadow(4);
  CHECK(shadow.write(7, 0));
  CHECK(shadow.read(7, 0));
  CHECK(shadow.write(7, 0));
}

TEST_CASE("5.1 a barrier separates") {
  Shadow shadow(4);
  CHECK(shadow.write(0, 2));
  shadow.barrier();
  CHECK(shadow.read(1, 2));
  shadow.barrier();
  CHECK(shadow.write(2, 2));
}

TEST_CASE("5.1 two writes of one value still race") {
  Shadow shadow(4);
  CHECK(shadow.write(0, 2));
  CHECK_FALSE(shadow.write(1, 2));
}

TEST_CASE("5.1 reads do not") {
  Shadow shadow(4);
  for (int thread = 0; thread < 64; thread++)
    REQUIRE(shadow.read(thread, 1));
}

TEST_CASE("5.1 one of many readers is enough") {
  Shadow shadow(4);
  CHECK(shadow.read(3, 1));
  CHECK(shadow.read(5, 1));
  CHECK_FALSE(shadow.write(5, 1));  // thread 3 has read it
}

TEST_CASE("5.1 who read before the barrier is forgotten") {
  Shadow shadow(4);
  CHECK(shadow.read(3, 1));
  shadow.barrier();
  CHECK(shadow.read(5, 1));
  CHECK(shadow.write(5, 1));
}

}  // namespace sextant::exercise
