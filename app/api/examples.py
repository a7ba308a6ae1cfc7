"""Example bodies of requests; they work with the demo organization."""

from typing import Any

from app.services.upkeep.demo import VESSEL, VESSEL_ID

_VESSEL = {
    "name": "Noordster II",
    "dateConstructed": "2016-09-15",
    "dwt": 82_000,
    "loa": 229,
    "lbp": 225.5,
    "breadth": 32.26,
    "depth": 20.05,
    "draftDesign": 12.2,
    "serviceSpeed": 14,
    "draftScant": 14.45,
    "pitch": 5.1,
    "type": 1,
    "gt": 43_000,
    "fuelType": "VLSFO",
    "installedPowerKw": 9_800,
    "propellerDiameter": 7.1,
}

_CHARTING = {
    "latFrom": 51.98,
    "lngFrom": 4.0,
    "nidFrom": "NLRTM",
    "portFromName": "Rotterdam",
    "latTo": 38.65,
    "lngTo": -9.35,
    "nidTo": "PTLIS",
    "portToName": "Lisboa",
    "startDate": "2026-03-01T06:00:00Z",
    "vesselId": str(VESSEL_ID),
    "speedRangeMin": 10,
    "speedRangeMax": 14,
    "draft": 10.5,
    "trim": 0,
    "rpm": 95,
    "dwt": 64_000,
    "lbp": 225.5,
    "pitch": 5.1,
    "optimizationType": "FUEL",
    "routeType": "WX",
    "maxWaveHeight": 5,
    "waveUnit": "meters",
    "maxWindBf": 8,
    "windUnit": "bf",
}

_AREA = {
    "name": "Cable works off Orford Ness",
    "geometry": {
        "type": "Polygon",
        "coordinates": [[[1.9, 52.1], [2.1, 52.1], [2.1, 52.3], [1.9, 52.3], [1.9, 52.1]]],
    },
    "type": "USER_DEFINED",
    "level": "VESSEL_TYPE",
    "vesselTypeIds": ["1", "2"],
    "start_date": "2026-03-01",
    "end_date": "2026-04-30",
    "description": "Keep 5 nm clear of the cable ship",
}

_TELEMETRY = {
    "timestamp": "2026-03-01T12:00:00Z",
    "latitude": 51.9,
    "longitude": 2.4,
    "speed": 12.4,
    "heading": 278,
    "rpm": 84,
    "fuelConsumption": 24.6,
    "draft": 10.5,
    "engineLoad": 61,
    "windSpeed": 9.5,
    "windDirection": 240,
    "seaState": 4,
    "waterDepth": 34,
    "trimFore": 10.4,
    "trimAft": 10.6,
    "mePower": 5_950,
}

_WEBHOOK = {
    "url": "https://fleet.chartroom.example/hooks",
    "events": ["charting.completed", "charting.failed"],
    "description": "fleet system",
}

#: Example bodies by operationId.
BODIES: dict[str, Any] = {
    "createVessel": _VESSEL,
    "updateVessel": _VESSEL | {"name": VESSEL["name"], "imo": VESSEL["imo"], "captain": "A. Vos"},
    "patchVessel": {"captain": "A. Vos"},
    "createCharting": _CHARTING,
    "createChartingBatch": {
        "common": _CHARTING,
        "items": [{"startDate": f"2026-03-0{day}T06:00:00Z"} for day in (1, 2, 3)],
    },
    "updateCharting": _CHARTING | {"speedRangeMax": 13},
    "computeChartingSegments": {"splitIndices": [1, 3]},
    "compareChartingDepartures": {
        "departFrom": "2026-03-01T06:00:00Z",
        "departTo": "2026-03-03T06:00:00Z",
        "departStepH": 12,
        "departDurationH": 120,
    },
    "startCharting": {"at": "2026-03-01T06:30:00Z"},
    "finishCharting": {"at": "2026-03-05T14:00:00Z"},
    "abandonCharting": {"reason": "Orders changed: bound for Sines"},
    "declineChartingAdvice": {"reason": "Engine at reduced load until Tuesday"},
    "createConstraint": _AREA,
    "updateConstraint": _AREA | {"is_active": False},
    "createClientData": _AREA,
    "updateClientData": _AREA | {"is_active": False},
    "createTelemetry": _TELEMETRY,
    "createTelemetryBatch": [_TELEMETRY, _TELEMETRY | {"timestamp": "2026-03-01T12:10:00Z"}],
    "correctTelemetry": _TELEMETRY | {"speed": 12.1},
    "importNoonReports": [
        {
            "timestamp": "2026-03-02T12:00:00Z",
            "latitude": 47.9,
            "longitude": -6.2,
            "steamingHours": 24,
            "distance": 312,
            "speedThroughWater": 13.2,
            "speedOverGround": 13,
            "heading": 210,
            "draftFore": 10.2,
            "draftAft": 10.6,
            "rpm": 84,
            "fuel": 24.6,
            "windBeaufort": 5,
            "windFrom": 290,
            "waveHeight": 2.2,
        }
    ],
    "quoteRoute": {
        "vesselId": str(VESSEL_ID),
        "latFrom": 51.98,
        "lngFrom": 4.0,
        "latTo": 38.65,
        "lngTo": -9.35,
        "speed": 13,
        "draft": 10.5,
    },
    "checkRoute": {
        "vesselId": str(VESSEL_ID),
        "draft": 10.5,
        "startDate": "2026-03-01T06:00:00Z",
        "speed": 12,
        "waypoints": [
            {"lat": 49.8, "lng": -4.6},
            {"lat": 49.8, "lng": -6.0},
            {"lat": 48.6, "lng": -6.5, "xtdM": 1852},
        ],
    },
    "compareRoute": {
        "speed": 12,
        "waypoints": [
            {"lat": 51.98, "lng": 4.0},
            {"lat": 48.6, "lng": -6.5},
            {"lat": 38.65, "lng": -9.35},
        ],
    },
    "optimizeRoute": {
        "vessel_imo": VESSEL["imo"],
        "from": "NLRTM",
        "to": "USNYC",
        "depart": "2026-03-01T06:00:00Z",
        "mode": "FUEL",
        "constraints": {"cii_target": "C", "max_wave_m": 6},
    },
    "issueKey": {"role": "planner", "name": "fleet system", "expiresAt": "2040-01-01T00:00:00Z"},
    "rotateKey": {"overlapHours": 24},
    "createUser": {"email": "anna.vos@chartroom.example", "name": "Anna Vos", "role": "planner"},
    "patchOrganization": {"plannersManageWebhooks": False},
    "createWebhook": _WEBHOOK,
    "updateWebhook": _WEBHOOK | {"events": ["charting.completed"]},
    "rotateWebhookSecret": {"overlapHours": 24},
    "updateUser": {"email": "anna.vos@chartroom.example", "name": "Anna Vos", "role": "viewer"},
}
