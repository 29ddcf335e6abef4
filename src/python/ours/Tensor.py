requires_grad = False
is_cuda = True
device = "cuda"

@property
def ndim(self): return len(self.shape)

@property
def T(self): return self.permute(list(range(len(self.shape)))[::-1])

@property
def mT(self): return self.transpose(-2, -1)

def dim(self): return len(self.shape)
def size(self, dim=None): return self.shape if dim is None else self.shape[dim]

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

def type_as(self, other): return self.to(other.dtype)
def float(self): return self.to(torch.float32)
def half(self): return self.to(torch.float16)
def bfloat16(self): return self.to(torch.bfloat16)
def long(self): return self.to(torch.int64)
def bool(self): return self.to(torch.bool)
def is_floating_point(self): return self.dtype not in (torch.int64, torch.bool)

def cuda(self, device=None): return self
def cpu(self): return self
def contiguous(self, memory_format=None): return self
def is_contiguous(self): return True
def requires_grad_(self, requires_grad=True): return self

def __getitem__(self, index):
    parts = index if _kind(index) in ("tuple", "torch.Size") else (index,)
    kinds = [_kind(part) for part in parts]
    rank, used = len(self.shape), 0
    for kind in kinds:
        used += kind in ("int", "bool", "slice")
    if used > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank}")
    dim = 0
    for i, kind in enumerate(kinds):
        if kind == "NoneType":
            self = self.unsqueeze(dim)
            dim += 1
        elif kind == "slice":
            start, stop, step = _slice(parts[i])
            step = 1 if step is None else step
            if step <= 0:
                raise ValueError("step must be greater than zero")
            if start is not None or stop is not None or step != 1:
                self = aten.slice(self, dim, start, stop, step)
            dim += 1
        elif kind == "int":
            self = aten.select(self, dim, parts[i])
        elif kind == "ellipsis" and kind not in kinds[:i]:
            dim += rank - used
        else:
            return _refuse(f"indexing a tensor by a {kind} is not supported")
    return self

def expand_as(self, other): return self.expand(other.shape)
def view_as(self, other): return self.view(other.shape)
def reshape_as(self, other): return self.reshape(other.shape)

def new_zeros(self, *size, dtype=None, device=None):
    return torch.zeros(*size, dtype=dtype or self.dtype)

def new_ones(self, *size, dtype=None, device=None):
    return torch.ones(*size, dtype=dtype or self.dtype)
