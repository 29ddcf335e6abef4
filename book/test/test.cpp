TEST_CASE("5.1 one thing", "[5.1]") {}
