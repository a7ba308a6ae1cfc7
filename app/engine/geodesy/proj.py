"""pyproj, bound to the PROJ library that it ships with.

ecCodes loads another build of PROJ, without a database, and exports its symbols globally; a
pyproj loaded after it would call that build and crash. ``RTLD_DEEPBIND`` makes pyproj prefer its
own library (dlopen(3) of glibc; other systems do not need it). All other modules import pyproj
from here, so that the order of imports does not matter.
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
