"""Database tables. Every row belongs to an organization, except weather, which all share."""

from app.models.advice import AdviceState, VoyageAdvice
from app.models.area import AreaCollection, AreaLevel, AreaRecord, AreaType
from app.models.audit import AuditEntry
from app.models.base import Base, new_id, utc_now
from app.models.charting import Charting, ChartingRevision, PointReview
from app.models.departure import ComparedDeparture, DepartureComparisonRecord
from app.models.erasure import Erasure, SubjectKind
from app.models.event import Event, EventKind, IdempotencyRecord
from app.models.execution import ExecutionState, VoyageExecution
from app.models.noon_report import NoonReport
from app.models.organization import ALL_SCOPES, ApiKey, Organization, Role, Scope, User
from app.models.run import ACTIVE, BackgroundRun, ChartingStatus, NoonImport, Run, VesselCalibration
from app.models.signing_in import OneTimeLink, Passkey, RecoveryCode, SecondFactor
from app.models.telemetry import AisPosition, TelemetryDay, TelemetryRecord
from app.models.vessel import Vessel
from app.models.weather import WeatherRunRecord
from app.models.webhook import DeliveryStatus, EndpointState, WebhookDelivery, WebhookEndpoint
