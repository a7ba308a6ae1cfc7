"""The report of a finished voyage, as served."""

from app.engine.monitoring.voyage_report import FuelByCause, TimeByCause, VoyageReport
from app.records.figures import figure, instant, known, part, texts
from app.records.record import Record


class FuelByCauseSchema(Record):
    """Fuel of the main engine: planned, what each cause added, and reported, their sum."""

    record = FuelByCause

    plannedMt = figure("By the plan [t]", 3)
    weatherMt = figure("By other weather than forecast [t]", 3, least=None)
    speedMt = figure("By other speeds than planned [t]", 3, least=None)
    trackMt = figure("By another track than planned [t]", 3, least=None)
    modelMt = figure("By the ship, which burns otherwise than its model, and its reports [t]", 3,
                     least=None)  # fmt: skip
    reportedMt = figure("By the reports [t]", 3)


class TimeByCauseSchema(Record):
    """Hours from departure to arrival: planned, what each cause added, and sailed, their sum."""

    record = TimeByCause

    plannedH = figure("By the plan [h]", 2)
    weatherH = figure("By other weather than forecast [h]", 2, least=None)
    conductH = figure("By other speeds and another track than planned [h]", 2, least=None)
    sailedH = figure("From departure to arrival [h]", 2)


class VoyageReportSchema(Record):
    """A finished voyage: planned and made good, with what caused the difference."""

    record = VoyageReport

    departedAt = instant("Departure by the reports")
    arrivedAt = instant("Arrival by the reports")
    plannedNm = figure("Distance by the plan [nm]", 2)
    sailedNm = figure("Distance that was sailed [nm]", 2)
    plannedWaveM = known("Highest waves planned for [m]", 2)
    metWaveM = known("Highest waves met, by the weather as it is known since [m]", 2)
    fuel = part(FuelByCauseSchema, "Fuel by cause")
    time = part(TimeByCauseSchema, "Time by cause")
    weatherRuns = texts("Forecast runs of the weather as it is known since")
    forecastCoveragePct = figure(
        "Share of the time sailed in which waves and wind are both theirs [%]",
        1,
        greatest=100.0,
    )
