"""The project: settings, addresses, the task queue."""

import os

# Products of matrices are small here, and threads that wait for each other cost ten times as much as one. It is read
# when numpy is loaded, which is after this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
