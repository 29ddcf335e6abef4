// Exercise 5.1, must, about 20 minutes.
int f() { return 1; }
