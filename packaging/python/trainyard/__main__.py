"""`python -m trainyard ARGUMENTS`: runs the program in place of Python."""

import os
import sys

from trainyard import program

os.execv(program(), ["trainyard", *sys.argv[1:]])
