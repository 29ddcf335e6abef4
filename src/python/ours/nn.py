class Module:
    def __init__(self):
        self.training = False

    def eval(self): return self

    def train(self, mode=True):
        assert not mode, "training is not supported"
        return self

    def requires_grad_(self, requires_grad=True): return self

    def cuda(self, device=None): return self

    def cpu(self): return self

    def to(self, *args, dtype=None, device=None):
        for arg in args:
            if isinstance(arg, torch.dtype):
                dtype = arg
        return self if dtype is None else _cast(self, dtype)

    def half(self): return _cast(self, torch.float16)

    def bfloat16(self): return _cast(self, torch.bfloat16)

    def float(self): return _cast(self, torch.float32)

    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, _buffer(tensor))

    def register_parameter(self, name, param): setattr(self, name, param)

    def add_module(self, name, module): setattr(self, name, module)

def Parameter(data, requires_grad=True):
    return _parameter(data)

def _shape(normalized_shape):
    if isinstance(normalized_shape, int):
        return (normalized_shape,)
    return tuple(normalized_shape)

class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None,
                 dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        weight = torch.empty(out_features, in_features, dtype=dtype)
        self.weight = Parameter(weight)
        self.bias = None
        if bias:
            self.bias = Parameter(torch.empty(out_features, dtype=dtype))

    def forward(self, input): return F.linear(input, self.weight, self.bias)

class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True,
                 device=None, dtype=None):
        super().__init__()
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.weight = None
        if elementwise_affine:
            weight = torch.empty(self.normalized_shape, dtype=dtype)
            self.weight = Parameter(weight)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True,
                 bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.weight = self.bias = None
        if elementwise_affine:
            weight = torch.empty(self.normalized_shape, dtype=dtype)
            self.weight = Parameter(weight)
        if elementwise_affine and bias:
            shift = torch.empty(self.normalized_shape, dtype=dtype)
            self.bias = Parameter(shift)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight,
                            self.bias, self.eps)

class Softmax(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input): return F.softmax(input, self.dim)

class LogSoftmax(Softmax):
    def forward(self, input): return F.log_softmax(input, self.dim)

class ReLU(Module):
    def __init__(self, inplace=False): super().__init__()

    def forward(self, input): return F.relu(input)

class SiLU(ReLU):
    def forward(self, input): return F.silu(input)

class GELU(Module):
    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input): return F.gelu(input, approximate=self.approximate)

class Sigmoid(Module):
    def forward(self, input): return F.sigmoid(input)

class Tanh(Module):
    def forward(self, input): return F.tanh(input)

class Identity(Module):
    def __init__(self, *args, **kwargs): super().__init__()

    def forward(self, input): return input

class Dropout(Module):
    def __init__(self, p=0.5, inplace=False): super().__init__()

    def forward(self, input): return input

class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input): return input.flatten(self.start_dim, self.end_dim)

class _Several(Module):
    def _fill(self, modules):
        self._count = 0
        for module in modules:
            self.append(module)

    def append(self, module):
        setattr(self, str(self._count), module)
        self._count += 1
        return self

    def __iter__(self):
        return [getattr(self, str(i)) for i in range(self._count)]

    def __len__(self): return self._count

    def __getitem__(self, index): return self.__iter__()[index]

class Sequential(_Several):
    def __init__(self, *modules):
        super().__init__()
        self._fill(modules)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

class ModuleList(_Several):
    def __init__(self, modules=()):
        super().__init__()
        self._fill(modules)
