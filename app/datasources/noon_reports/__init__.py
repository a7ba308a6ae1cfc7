"""Noon reports from spreadsheets: CSV and XLSX, in whatever units and order they are."""
