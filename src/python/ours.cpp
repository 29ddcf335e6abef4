// What can be said in the `-c` language itself is: each text below is run in
// the scope of its module before the user's program. `aten.name` is a row of
// the op table. Names that begin with `_` are functions in library.cpp.
#include "src/python/interpreter.h"

namespace sextant::python {
namespace {

constexpr const char* kBuiltinsText = R"py(
def enumerate(items, start=0):
    out = []
    for item in items:
        out.append((start + len(out), item))
    return out

def zip(*lists):
    lists = [list(l) for l in lists]
    n = min([len(l) for l in lists]) if lists else 0
    return [tuple([l[i] for l in lists]) for i in range(n)]

def reversed(items):
    return list(items)[::-1]

def map(f, *lists):
    return [f(*items) for items in zip(*lists)]

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

def min(*items):
    return _best(items, lambda a, b: a < b)

def max(*items):
    return _best(items, lambda a, b: a > b)

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
)py";

constexpr const char* kMathText = R"py(
pi = 3.141592653589793
e = 2.718281828459045
inf = float("inf")
nan = float("nan")

def prod(items):
    n = 1
    for item in items:
        n = n * item
    return n

def pow(a, b):
    return float(a) ** float(b)
)py";

// Functions of torch that are methods of tensors as well.
constexpr const char* kBothText = R"py(
def _typed(x, dtype):
    return x if dtype is None else x.to(dtype)

def sum(input, dim=None, keepdim=False, *, dtype=None):
    return aten.sum(_typed(input, dtype), dim, keepdim)

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
    return var(input, dim, unbiased, keepdim, correction=correction).sqrt()

def numel(input):
    return math.prod(input.shape)

def clip(input, min=None, max=None):
    return aten.clamp(input, min, max)

def clone(input, memory_format=None):
    return _copy(input)

def detach(input):
    return input
)py";

constexpr const char* kTorchText = R"py(
inf = math.inf
nan = math.nan
pi = 3.141592653589793

def _sizes(size):
    if len(size) == 1 and not isinstance(size[0], int):
        return size[0]
    return size

def randn(*size, dtype=None, device=None, requires_grad=False,
          generator=None):
    return _input(_sizes(size), dtype)

def rand(*size, dtype=None, device=None, requires_grad=False, generator=None):
    return _input(_sizes(size), dtype)

def empty(*size, dtype=None, device=None, requires_grad=False):
    return _input(_sizes(size), dtype)

def randint(low, high, size=None, dtype=None, device=None):
    return _input(high if size is None else size, dtype or int64)

def randn_like(input, dtype=None, device=None):
    return _input(input.shape, dtype or input.dtype)

rand_like = randn_like
empty_like = randn_like

def full(size, fill_value, dtype=None, device=None, requires_grad=False):
    if dtype is None and not isinstance(fill_value, int):
        dtype = get_default_dtype()
    return aten.full(size, fill_value, dtype=dtype)

def zeros(*size, dtype=None, device=None, requires_grad=False):
    return aten.full(_sizes(size), 0, dtype=dtype or get_default_dtype())

def ones(*size, dtype=None, device=None, requires_grad=False):
    return aten.full(_sizes(size), 1, dtype=dtype or get_default_dtype())

def full_like(input, fill_value, dtype=None, device=None):
    return aten.full(input.shape, fill_value, dtype=dtype or input.dtype)

def zeros_like(input, dtype=None, device=None):
    return full_like(input, 0, dtype)

def ones_like(input, dtype=None, device=None):
    return full_like(input, 1, dtype)

def tensor(data, dtype=None, device=None, requires_grad=False):
    if isinstance(data, (list, tuple)):
        assert len(data) <= 64, "torch.tensor of more than 64 numbers"
        return stack([tensor(item, dtype) for item in data])
    return full([], data, dtype)

def arange(start, end=None, step=1, *, dtype=None, device=None):
    if end is None:
        return aten.arange(0, start, step, dtype=dtype)
    return aten.arange(start, end, step, dtype=dtype)

def concat(tensors, dim=0):
    return cat(tensors, dim)

def cat(tensors, dim=0):
    return aten.cat(tensors, dim)

def stack(tensors, dim=0):
    return aten.stack(tensors, dim)

def manual_seed(seed):
    pass

def device(name, index=None):
    return name

def compile(model, fullgraph=False, dynamic=None, mode=None):
    return model

class no_grad:
    def __call__(self, function):
        return function
    def __enter__(self):
        return self

class inference_mode(no_grad):
    def __init__(self, mode=True):
        pass

class autocast(no_grad):
    def __init__(self, device_type=None, dtype=None, enabled=True):
        assert not enabled, "torch.autocast is not supported"

class finfo:
    def __init__(self, dtype):
        self.dtype = dtype
        figures = {
            float32: (3.4028234663852886e38, 2.0 ** -23, 2.0 ** -126),
            float16: (65504.0, 2.0 ** -10, 2.0 ** -14),
            bfloat16: (3.3895313892515355e38, 2.0 ** -7, 2.0 ** -126)}
        self.max, self.eps, self.tiny = figures[dtype]
        self.min = -self.max
)py";

constexpr const char* kTensorText = R"py(
requires_grad = False
is_cuda = True
device = "cuda"

@property
def ndim(self):
    return len(self.shape)

@property
def T(self):
    return self.permute(list(range(len(self.shape)))[::-1])

@property
def mT(self):
    return self.transpose(-2, -1)

def dim(self):
    return len(self.shape)

def size(self, dim=None):
    return self.shape if dim is None else self.shape[dim]

def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False,
       memory_format=None):
    for arg in args:
        if isinstance(arg, torch.dtype):
            dtype = arg
        if isinstance(arg, torch.Tensor):
            dtype = arg.dtype
    if dtype is None or dtype == self.dtype:
        return self
    return aten.to(self, dtype)

def type_as(self, other):
    return self.to(other.dtype)

def float(self):
    return self.to(torch.float32)

def half(self):
    return self.to(torch.float16)

def bfloat16(self):
    return self.to(torch.bfloat16)

def long(self):
    return self.to(torch.int64)

def bool(self):
    return self.to(torch.bool)

def cuda(self, device=None):
    return self

def cpu(self):
    return self

def contiguous(self, memory_format=None):
    return self

def is_contiguous(self):
    return True

def is_floating_point(self):
    return self.dtype != torch.int64 and self.dtype != torch.bool

def requires_grad_(self, requires_grad=True):
    return self

def expand_as(self, other):
    return self.expand(other.shape)

def view_as(self, other):
    return self.view(other.shape)

def reshape_as(self, other):
    return self.reshape(other.shape)

def new_zeros(self, *size, dtype=None, device=None):
    return torch.zeros(*size, dtype=dtype or self.dtype)

def new_ones(self, *size, dtype=None, device=None):
    return torch.ones(*size, dtype=dtype or self.dtype)
)py";

constexpr const char* kFunctionalText = R"py(
def relu(input, inplace=False):
    return aten.relu(input)

def silu(input, inplace=False):
    return aten.silu(input)

def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        dim = 0 if input.dim() in (0, 1, 3) else 1
    return aten.softmax(input, dim, dtype)

def dropout(input, p=0.5, training=True, inplace=False):
    if training and p > 0:
        return _refuse("dropout in training is not supported: "
                       "training=False makes it the identity")
    return input
)py";

}  // namespace

// nn is long enough for a file of its own.
extern const char* const kModulesText;

const OurCode kOurCode[] = {{"builtins", kBuiltinsText}, {"math", kMathText},
                            {"both", kBothText},         {"torch", kTorchText},
                            {"Tensor", kTensorText},     {"F", kFunctionalText},
                            {"nn", kModulesText},        {nullptr, nullptr}};

}  // namespace sextant::python
