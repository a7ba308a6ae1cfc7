"""Distances, courses and points of legs on the WGS 84 ellipsoid."""

from app.engine.geodesy.great_circle import (
    great_circle_course_deg,
    great_circle_destination,
    great_circle_distance_nm,
    great_circle_steps_nm,
    interpolate_great_circle,
)
from app.engine.geodesy.leg import interpolate_leg, leg_course_deg, leg_distance_nm, sample_leg
from app.engine.geodesy.rhumb import (
    interpolate_rhumb,
    rhumb_course_deg,
    rhumb_courses_along,
    rhumb_distance_nm,
)
from app.engine.geodesy.vectors import unit_vectors
