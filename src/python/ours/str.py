def startswith(self, part): return self[:len(part)] == part
def endswith(self, part): return part == "" or self[-len(part):] == part

def join(self, parts):
    out = ""
    for i, part in enumerate(parts):
        out = out + self + part if i else part
    return out
