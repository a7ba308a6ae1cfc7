"""Noon reports from spreadsheets: CSV and XLSX, in whatever units and order they are."""

from app.datasources.noon_reports.dates import DateOrder
from app.datasources.noon_reports.mapping import Choice, Column
from app.datasources.noon_reports.reading import NoonTable, RowFault, read_noon_reports
from app.datasources.noon_reports.refusals import SheetRefused
from app.datasources.noon_reports.sheets import read_sheet
