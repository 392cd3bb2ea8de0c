"""The Python interface: arrays in, frozen results out. Its names are those of `dpmia` itself."""
