"""pyproj with a PROJ library of its own, whatever else the process has loaded.

ecCodes brings a PROJ, too, and shows it to all. A pyproj that is loaded after it
would call into that one, which is of another build and knows no database, and
die of it. Bound deeply it prefers its own library (``RTLD_DEEPBIND``; dlopen(3),
of glibc, elsewhere the two do not meet). Nothing else in the project imports
pyproj, and so nothing depends on the order.
"""

import os
import sys

_flags = sys.getdlopenflags()
sys.setdlopenflags(_flags | getattr(os, "RTLD_DEEPBIND", 0))
try:
    from pyproj import Geod, Proj
finally:
    sys.setdlopenflags(_flags)

__all__ = ["Geod", "Proj"]
