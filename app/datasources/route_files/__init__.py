"""Route files: RTZ 1.0 to 1.2, GPX, KML, GeoJSON, CSV and XLSX, recognised by content.

Files are untrusted: XML with a document type is refused, so that no entity is resolved, and
nothing is fetched. Errors are reported with their line.
"""
