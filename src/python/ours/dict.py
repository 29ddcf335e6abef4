def keys(self): return list(self)
def values(self): return [self[key] for key in self]
def items(self): return [(key, self[key]) for key in self]
def get(self, key, default=None): return self[key] if key in self else default
