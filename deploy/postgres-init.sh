#!/bin/sh
# Runs once, in a new cluster: creates the database and its owner. The owner is no superuser, because
# row-level security does not bind superusers.
set -eu

psql --set=ON_ERROR_STOP=1 --set=password="$CHARTROOM_PASSWORD" \
    --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE chartroom LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE chartroom OWNER chartroom;
\connect chartroom
CREATE EXTENSION IF NOT EXISTS postgis;
SQL
