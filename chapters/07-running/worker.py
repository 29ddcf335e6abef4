"""PyTorch's side of a benchmark: reads requests, a line of JSON each, from its
input and answers with a line each. Times are taken as measure.cpp takes them.
"""

import ast
import json
import os
import statistics
import sys

# The answers have a stream of their own: libraries may print.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError as error:
    print(json.dumps({"error": str(error)}), file=answers, flush=True)
    sys.exit(1)

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
ready = {}  # how PyTorch runs it: the graph


def function_of(code, names):
    """The program as a function of its inputs. A module that the last line
    makes and calls is made once."""
    scope = {"torch": torch, "nn": nn, "F": F}
    body = ast.parse(code).body
    exec(compile(ast.Module(body[:-1], []), "program", "exec"), scope)
    last = body[-1].value
    if isinstance(last, ast.Call) and isinstance(last.func, ast.Call):
        scope["module"] = eval(ast.unparse(last.func), scope)
        last.func = ast.Name("module")
    text = f"def function({', '.join(names)}): return {ast.unparse(last)}"
    exec(text, scope)
    return scope["function"]


def graph_of(function, inputs):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            function(**inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = function(**inputs)
    return graph, inputs, output


@torch.no_grad()
def prepare(code, inputs, dtype):
    ready.clear()
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    torch.manual_seed(0)
    torch.set_default_device("cuda")
    torch.set_default_dtype(DTYPES[dtype])
    tensors = {name: torch.randn(shape) for name, shape in inputs.items()}
    function = function_of(code, tensors)
    ready["eager"] = graph_of(function, tensors)
    compiled = torch.compile(function, fullgraph=True, dynamic=False)
    ready["compile"] = graph_of(compiled, tensors)
    return {}


def microseconds(work):
    flushed = torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def run(n):
        events = []
        for _ in range(n):
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            flushed.zero_()
            begin.record()
            work()
            end.record()
            events.append((begin, end))
        torch.cuda.synchronize()
        return [1e3 * begin.elapsed_time(end) for begin, end in events]

    run(1)
    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    begin.record()
    run(5)
    end.record()
    torch.cuda.synchronize()
    one = begin.elapsed_time(end) / 5
    run(int(min(max(10 / one, 1), 2000)))
    return statistics.median(run(int(min(max(60 / one, 1), 2000))))


def measure():
    return {how: microseconds(graph[0].replay)
            for how, graph in ready.items()}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"prepare": prepare, "measure": measure}[request.pop("do")](
            **request)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(answer), file=answers, flush=True)
