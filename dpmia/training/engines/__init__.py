"""Training engines: each trains models of some architectures by one recipe."""
