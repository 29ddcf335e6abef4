# Functions that are there without an import.

def enumerate(items, start=0):
    out = []
    for item in items:
        out.append((start + len(out), item))
    return out

def dict(*sources, **entries):
    out = {}
    for source in sources:
        for key, value in source.items() if _kind(source) == "dict" else source:
            out[key] = value
    return {**out, **entries}

def zip(*lists):
    lists = [list(items) for items in lists]
    n = min([len(items) for items in lists]) if lists else 0
    return [tuple([items[i] for items in lists]) for i in range(n)]

def map(f, *lists): return [f(*items) for items in zip(*lists)]
def reversed(items): return list(items)[::-1]
def abs(x): return x.abs() if hasattr(x, "abs") else x if x >= 0 else -x

def sum(items, start=0):
    for item in items:
        start = start + item
    return start

def _best(items, better):
    items = list(items[0]) if len(items) == 1 else items
    assert items, "min() or max() of nothing"
    best = items[0]
    for item in items:
        if better(item, best):
            best = item
    return best

def min(*items): return _best(items, lambda a, b: a < b)
def max(*items): return _best(items, lambda a, b: a > b)

def any(items):
    for item in items:
        if item:
            return True
    return False

def all(items):
    for item in items:
        if not item:
            return False
    return True
