"""One widget per file. Each shows what it is given; none of them decides anything."""
