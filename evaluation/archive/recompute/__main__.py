"""python -m recompute, in the folder of an unpacked zip."""

import sys
from pathlib import Path

from .checking import main

if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
