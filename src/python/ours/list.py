def append(self, item): self += [item]
def extend(self, items): self += items
