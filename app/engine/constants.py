"""Physical and conventional constants, each with its source."""

import math
from typing import Final

#: International nautical mile [m]; First International Extraordinary
#: Hydrographic Conference, Monaco 1929.
NAUTICAL_MILE_M: Final = 1852.0

HOURS_PER_DAY: Final = 24.0

#: WGS 84 equatorial radius [m] and flattening; NIMA TR8350.2, table 3.1.
WGS84_A_M: Final = 6_378_137.0
WGS84_F: Final = 1.0 / 298.257_223_563

#: Mean earth radius (2a + b) / 3 [m]; Moritz (2000), Geodetic Reference System 1980.
EARTH_MEAN_RADIUS_M: Final = 6_371_008.8

#: The same [nm]; also the length of a radian of a great circle.
EARTH_RADIUS_NM: Final = EARTH_MEAN_RADIUS_M / NAUTICAL_MILE_M

#: Length of a degree of a great circle [m] and [nm].
DEGREE_M: Final = math.radians(EARTH_MEAN_RADIUS_M)
DEGREE_NM: Final = DEGREE_M / NAUTICAL_MILE_M

#: Standard gravity [m/s2]; CGPM 1901, resolution 2 (rounded as in ITTC practice).
GRAVITY_MS2: Final = 9.806_65

#: Density [kg/m3] and kinematic viscosity [m2/s] of sea water at 15 degC and
#: 35 g/kg salinity; ITTC Recommended Procedure 7.5-02-01-03 (2011).
SEA_WATER_DENSITY_KGM3: Final = 1026.021
SEA_WATER_VISCOSITY_M2S: Final = 1.1892e-6

#: Density of dry air at 15 degC and 1013.25 hPa [kg/m3]; ISO 2533:1975.
AIR_DENSITY_KGM3: Final = 1.225
