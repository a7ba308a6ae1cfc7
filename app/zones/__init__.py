"""Built-in zones: emission control, piracy, war-risk, ice and advisory areas.

The polygons are data written here from the regulations, dated and with a source
and a quality for each part of a boundary; :mod:`app.zones.catalogue` reads them.
"""
