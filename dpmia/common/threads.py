"""One thread for each process: jobs run side by side."""

#: Variables by which libraries take the number of their threads, as they are imported.
THREADS = ("MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
