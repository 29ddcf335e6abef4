pi = 3.141592653589793
e = 2.718281828459045
inf = float("inf")
nan = float("nan")

def pow(a, b): return float(a) ** float(b)

def prod(items):
    n = 1
    for item in items:
        n = n * item
    return n
