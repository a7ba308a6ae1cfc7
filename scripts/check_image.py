"""Build the image and run its processes read-only as an arbitrary user: `make image`.

Needs root and the Debian packages bubblewrap, buildah and debootstrap, but no daemon and no image
registry. A base image bootstrapped from Debian's packages replaces the one in the Dockerfile.
Set-up, web and workers run as in compose.yaml, with a new volume, as a user that the image does
not know. Then a voyage is planned. Base, layers and volume stay in var/image for the next check.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import run
from containers import Container, Runtime, Store, ask, need_commands
from greeting import ask_service, demo_vessel, first_order
from local_processes import ServiceError, free_port, tail
from local_services import LocalServices, run_as_script
from setup_steps import ROOT, VAR, SetupError, say

FOLDER = VAR / "image"
LOGS = FOLDER / "log"
BASE, RELEASE = "docker.io/library/debian:12-slim", "bookworm"
IMAGE = "localhost/chartroom:checked"
#: Certificate authorities of the machine, which the base image then trusts too.
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
#: A user that no image knows, in the group that container engines assign to such a user.
USER = (1_234_567, 0)
PYTHON = ".venv/bin/python"
SET_UP = f"{PYTHON} scripts/prepare.py && {PYTHON} -m flask --app wsgi migrate"
WORKERS = {"worker": "worker.py", "webhooks": "webhook_worker.py"}
PATIENCE_S = 600.0
SCRATCH = ("/run/chartroom", "/tmp")  # noqa: S108 (the container's own)
#: Folders where the processes may write, and some where they may not.
PLACES = {
    **dict.fromkeys(("/app/var", *SCRATCH), True),
    **dict.fromkeys(("/", "/app", "/app/app", "/app/.venv", "/etc", "/usr/lib"), False),
}


def build(store: Store) -> None:
    """Build the image, with a base made here. Raises SetupError."""
    if not store.has(BASE):
        say(f"Bootstrapping a base from Debian {RELEASE} …")
        _make_base(store)
    say("Building the image …")
    isolated = ("--isolation=chroot", "--pull-never", "--layers", "--format=docker")
    store.buildah("build", *isolated, "--tag", IMAGE, ROOT)


def _make_base(store: Store) -> None:
    files, authorities = store.folder / "base", "/etc/machine-authorities.crt"
    shutil.rmtree(files, ignore_errors=True)
    ask("debootstrap", "--variant=minbase", RELEASE, files)
    with store.container("scratch") as base:
        store.buildah("add", "--quiet", base, files, "/")
        if AUTHORITIES.exists():
            store.buildah("add", "--quiet", base, AUTHORITIES, authorities)
            for variable in ("PIP_CERT", "NODE_EXTRA_CA_CERTS"):
                store.buildah("config", "--env", f"{variable}={authorities}", base)
        store.buildah("commit", "--quiet", base, BASE)
    shutil.rmtree(files)


def make_volume(image: Path, place: str) -> Path:
    """Return the folder of a volume; a new one takes owner and rights from the image."""
    volume = FOLDER / "volume"
    if not volume.exists():
        there = (image / place.lstrip("/")).stat()
        volume.mkdir()
        os.chown(volume, there.st_uid, there.st_gid)
        volume.chmod(there.st_mode & 0o7777)
    return volume


@contextmanager
def runtime(store: Store, environment: Mapping[str, str]) -> Iterator[tuple[Runtime, list[str]]]:
    """Return the runtime of the image's processes, and the image's default command."""
    said = store.configuration(IMAGE)
    with store.container(IMAGE) as container:
        root = Path(store.buildah("mount", container).strip())
        (place,) = said["Volumes"]
        yield (
            Runtime(
                root=root,
                environment={**read_pairs(said["Env"]), **environment},
                user=USER,
                volumes={place: make_volume(root, place)},
                scratch=SCRATCH,
                working_directory=said["WorkingDir"],
            ),
            said["Cmd"],
        )


def read_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """Read `NAME=value`."""
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def check(store: Store, settings: run.Settings, addresses: Mapping[str, str]) -> None:
    """Run the services of compose.yaml and plan a voyage. Raises SetupError."""
    logins = run.database_logins(settings, addresses["DATABASE_URL"])
    secret = {"SECRET_KEY": run.kept_secret(settings, "secret-key"), "WEATHER_SOURCE": "none"}
    with ExitStack() as stack:
        owner, web = stack.enter_context(runtime(store, {**addresses, **secret, **logins}))
        check_what_is_written(owner)
        say("Setting up: atlas, climatology, kernels, database …")
        owner.run("setup", ["sh", "-c", SET_UP], LOGS / "setup.log")
        make_demo(owner, settings)
        commands = {"web": web, **{name: [PYTHON, file] for name, file in WORKERS.items()}}
        started = start(stack, owner, commands, settings, logins)
        wait_for(started, lambda: run.is_ready(settings), "web is ready")
        wait_for(started, lambda: all(are_well(owner)), "workers live")
        plan_a_voyage(started, settings)
        owner.run("doctor", [PYTHON, "-m", "flask", "--app", "wsgi", "doctor"], LOGS / "doctor.log")
        say("flask doctor finds no fault")
        check_ends(started)


def make_demo(owner: Runtime, settings: run.Settings) -> None:
    """Create the demo organization, and copy its key to where `settings` expect it."""
    written = {name: f"/app/var/{name}" for name in ("demo-key", "demo-password")}
    for name in written:
        (owner.volumes["/app/var"] / name).unlink(missing_ok=True)
    files = ["--key-file", written["demo-key"], "--password-file", written["demo-password"]]
    owner.run("demo", [PYTHON, "-m", "flask", "--app", "wsgi", "demo", *files], LOGS / "demo.log")
    shutil.copy(owner.volumes["/app/var"] / "demo-key", settings.demo_key)


def start(
    stack: ExitStack,
    owner: Runtime,
    commands: Mapping[str, Sequence[str]],
    settings: run.Settings,
    logins: Mapping[str, str],
) -> list[Container]:
    """Start web and workers, each with its own login; the stack stops them."""
    started = []
    for name, command in commands.items():
        kind = "WEB" if name == "web" else "WORKER"
        variables = dict(owner.environment) | {"DATABASE_URL": logins[f"{kind}_DATABASE_URL"]}
        own = {key: value for key, value in variables.items() if key not in logins}
        # the network is shared with the machine: use a free port on loopback
        line = [part.replace("0.0.0.0:8000", f"127.0.0.1:{settings.port}") for part in command]
        container = replace(owner, environment=own).start(name, line, LOGS / f"{name}.log")
        stack.callback(container.stop)
        started.append(container)
    return started


def are_well(runtime: Runtime) -> Iterator[bool]:
    """Yield for each worker whether its health check succeeds, as an engine runs it."""
    return (runtime.can(name, PYTHON, "scripts/worker_health.py") for name in WORKERS)


def wait_for(started: Sequence[Container], condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition. Raises SetupError if a container ends or the time runs out."""
    began = time.monotonic()
    while not condition():
        ended = [each for each in started if each.process.poll() is not None]
        for each in ended or (started if time.monotonic() - began > PATIENCE_S else []):
            raise SetupError(f"Failed: {what}. The log of {each.name} ends:\n{tail(each.log, 30)}")
        time.sleep(0.5)
    say(f"{what} ({time.monotonic() - began:.0f} s)")


def check_what_is_written(runtime: Runtime) -> None:
    """Raise SetupError if a process can write outside volume and scratch, or not inside."""
    for place, may in PLACES.items():
        if runtime.can("writer", "mktemp", f"{place}/written.XXXXXX") is not may:
            raise SetupError(f"A process {'cannot' if may else 'can'} write to {place}.")
    say("only the volume and the scratch folders are writable")


def plan_a_voyage(started: Sequence[Container], settings: run.Settings) -> None:
    """Request a voyage from Rotterdam to Singapore and wait for its plan. Raises SetupError."""
    departure = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    vessel = demo_vessel(settings)
    if vessel is None:
        raise SetupError("The demo organization has no vessel.")
    order = first_order(vessel, departure)
    charting = ask_service(settings, "/charting", order)
    path = f"/charting/{charting['id']}"
    ended = {"COMPLETED", "FAILED", "CANCELLED"}
    wait_for(started, lambda: ask_service(settings, path)["status"] in ended, "a voyage is planned")
    outcome = ask_service(settings, path)
    if outcome["status"] != "COMPLETED":
        raise SetupError(f"The voyage was not planned: {json.dumps(outcome)[:2000]}")


def check_ends(started: Sequence[Container]) -> None:
    """Stop everything as an engine does. Raises SetupError if a process ends with an error."""
    for container in started:
        status = container.stop()
        if status:
            raise SetupError(f"{container.name} ended with {status}:\n{tail(container.log, 30)}")
    say("all processes stop on request")


def main(_arguments: Sequence[str]) -> int:
    """Build and check the image; 0 on success."""
    try:
        need_commands("bubblewrap", "buildah", "debootstrap")
        LOGS.mkdir(parents=True, exist_ok=True)
        store = Store(FOLDER)
        build(store)
        settings = run.Settings(free_port(), "127.0.0.1", 1, FOLDER, external={})
        services = LocalServices(FOLDER / "servers", throwaway=True)
        with services.tied() as addresses:
            check(store, settings, addresses)
    except (SetupError, ServiceError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    run_as_script(main)
