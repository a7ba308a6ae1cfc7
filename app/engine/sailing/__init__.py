"""A ship on a track: the track, its simulation in time, constant speeds and waits."""
