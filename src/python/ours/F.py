def relu(input, inplace=False): return aten.relu(input)
def silu(input, inplace=False): return aten.silu(input)

def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        dim = 0 if input.dim() in (0, 1, 3) else 1
    return aten.softmax(input, dim, dtype)

def dropout(input, p=0.5, training=True, inplace=False):
    if training and p > 0:
        return _refuse("dropout in training is not supported: "
                       "training=False makes it the identity")
    return input
