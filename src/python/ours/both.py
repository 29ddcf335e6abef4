# Functions of torch that are methods of tensors as well. `aten.name` is a row
# of the op table; names that begin with `_` are functions in library.cpp.

def sum(input, dim=None, keepdim=False, *, dtype=None):
    return aten.sum(input if dtype is None else input.to(dtype), dim, keepdim)

def max(input, dim=None, keepdim=False):
    if dim is None:
        return aten.amax(input)
    if isinstance(dim, torch.Tensor):
        return aten.maximum(input, dim)
    return _refuse("max over a dimension gives indices, which are not "
                   "supported: amax gives the values")

def min(input, dim=None, keepdim=False):
    if dim is None:
        return aten.amin(input)
    if isinstance(dim, torch.Tensor):
        return aten.minimum(input, dim)
    return _refuse("min over a dimension gives indices, which are not "
                   "supported: amin gives the values")

def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    if correction is None:
        correction = 1 if unbiased else 0
    return aten.var(input, dim, correction=correction, keepdim=keepdim)

def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    if correction is None:
        correction = 1 if unbiased else 0
    return aten.std(input, dim, correction=correction, keepdim=keepdim)

def clip(input, min=None, max=None): return aten.clamp(input, min, max)
def numel(input): return math.prod(input.shape)
def clone(input, memory_format=None): return _copy(input)
def detach(input): return input
