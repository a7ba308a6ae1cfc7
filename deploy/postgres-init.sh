#!/bin/sh
# Runs once, when the cluster is new: the database and its owner, who is no superuser, because
# superusers pass row-level security by.
set -eu

psql --set=ON_ERROR_STOP=1 --set=password="$CHARTROOM_PASSWORD" \
    --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE chartroom LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE chartroom OWNER chartroom;
\connect chartroom
CREATE EXTENSION IF NOT EXISTS postgis;
SQL
