inf = math.inf
nan = math.nan
pi = math.pi
float, half, long = float32, float16, int64

def _sizes(size):
    if len(size) == 1 and not isinstance(size[0], int):
        return size[0]
    return size

# What these make are inputs of the program, unless they become parameters.

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

def cat(tensors, dim=0): return aten.cat(tensors, dim)
def stack(tensors, dim=0): return aten.stack(tensors, dim)
concat = cat

def manual_seed(seed): pass
def device(name, index=None): return name

def compile(model, fullgraph=False, dynamic=None, mode=None):
    return model

class no_grad:
    def __call__(self, function): return function
    def __enter__(self): return self

class inference_mode(no_grad):
    def __init__(self, mode=True): pass

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

# Names that PyTorch has and Sextant has not, to tell them from mistakes.
_known = (
    "addcdiv addcmul allclose argmax argmin argsort atan2 baddbmm bernoulli "
    "bincount bmm bucketize cdist ceil complex conv1d conv2d cross "
    "cross_entropy cummax cumprod cumsum diag diagonal diff dot einsum "
    "embedding eye fft flip float64 double float8_e4m3fn float8_e5m2 fmod "
    "gather group_norm batch_norm histc index_add index_put index_select "
    "int8 int16 int32 int uint8 short interpolate inverse isclose isfinite "
    "isinf isnan item kron lerp linalg linspace log10 log1p log2 logspace "
    "masked_select max_pool2d avg_pool2d median meshgrid mode movedim "
    "mse_loss multinomial mv nan_to_num nonzero norm normal normalize numpy "
    "one_hot ones_like pad pinverse pixel_shuffle polar quantile randperm "
    "remainder roll round scatter scatter_add searchsorted sign sort svd "
    "take tan tensor tensordot tolist topk trace unfold unique var_mean "
    "vmap Conv1d Conv2d BatchNorm1d BatchNorm2d GroupNorm Embedding "
    "MaxPool2d AvgPool2d AdaptiveAvgPool2d MultiheadAttention "
    "TransformerEncoderLayer ModuleDict ParameterList LSTM GRU "
    "CrossEntropyLoss MSELoss ")
