"""Attacks on sign-in, sessions, the audit log, the queue and caches."""

import http.client
import json
import re
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from email.message import Message
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from redis import Redis

from benchmarks.attack_target import Outcome, Target
from benchmarks.installation import run

WRONG_TRIES = 60
AWAY = ("////evil.example/x", "//evil.example", "https://evil.example", "/\\evil.example")
HISTORY = (
    "UPDATE audit_entry SET action = 'none'",
    "DELETE FROM audit_entry",
    "TRUNCATE audit_entry",
    "ALTER TABLE audit_entry DISABLE ROW LEVEL SECURITY",
)
#: Roles of each login, without the eraser, which deletes an organization's history.
ROLES = {
    "WEB_DATABASE_URL": ("none", "chartroom_web", "chartroom_gate"),
    "WORKER_DATABASE_URL": ("none", "chartroom_worker", "chartroom_gate"),
}
READ = ("/v1/charting", "/v1/vessel", "/v1/constraints", "/v1/keys", "/v1/users", "/v1/audit",
        "/v1/zones", "/v1/ports?search=rotterdam")  # fmt: skip
_TOKEN = re.compile(r'name="csrf-token" content="([^"]+)"')


class _Stay(urllib.request.HTTPRedirectHandler):
    """Redirect handler that follows no redirect, because the target itself is tested."""

    def redirect_request(self, *_arguments: Any) -> None:
        """Do not follow."""


class Visitor:
    """Minimal browser: cookies and forms, without redirects."""

    def __init__(self, address: str) -> None:
        self.address, self.cookies = address, CookieJar()
        jar = urllib.request.HTTPCookieProcessor(self.cookies)
        self._opener = urllib.request.build_opener(jar, _Stay)

    def get(self, path: str) -> tuple[int, str, Message]:
        """Open a page; return status, text and headers."""
        return self._open(urllib.request.Request(self.address + path))  # noqa: S310

    def post(self, path: str, form: dict[str, str], token_from: str) -> tuple[int, str, Message]:
        """Send a form with the token of a page."""
        found = _TOKEN.search(self.get(token_from)[1])
        fields = form | {"csrf_token": found.group(1) if found else ""}
        data = urllib.parse.urlencode(fields).encode()
        return self._open(urllib.request.Request(self.address + path, data))  # noqa: S310

    def sign_in(self, email: str, password: str, path: str = "/sign-in") -> tuple[int, str]:
        """Sign in; return the status and the target of the redirect."""
        form = {"email": email, "password": password}
        status, _, headers = self.post(path, form, path)
        return status, headers.get("Location", "")

    def _open(self, request: urllib.request.Request) -> tuple[int, str, Message]:
        request.add_header("Accept", "text/html")
        try:
            with self._opener.open(request, timeout=60.0) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace"), error.headers
        except (OSError, http.client.HTTPException):
            return 0, "", Message()


def make_user(target: Target) -> tuple[str, str]:
    """Create a user of the attacked organization; return address and password."""
    email = f"{uuid4().hex[:12]}@attack.example"
    names = ["--org", "Other", "--email", email, "--name", "Reader"]
    environment = run.build_environment() | target.service.services.environment()
    return email, run.flask(environment, "users", "create", *names).strip()


def visitor(target: Target) -> Visitor:
    """Return a new browser."""
    return Visitor(target.service.settings.address)


def guess_passwords(target: Target) -> Outcome:
    """Fail to sign in repeatedly; then another user of the same network signs in."""
    victim, _ = make_user(target)
    other, password = make_user(target)
    visitor(target).sign_in(other, password)
    guesser = visitor(target)
    statuses = {guesser.sign_in(victim, f"wrong {n}")[0] for n in range(WRONG_TRIES)}
    status, _ = visitor(target).sign_in(other, password)
    after = f"guesses {sorted(statuses)}, another user {status}"
    is_slow = 429 in statuses and status == 302
    return Outcome(5, "guessed passwords", "50 wrong ones lock out all users", after, is_slow)


def lead_away(target: Target) -> Outcome:
    """Try to make a sign-in redirect to another site."""
    email, password = make_user(target)
    led = []
    for place in AWAY:
        path = f"/sign-in?next={urllib.parse.quote(place, safe='')}"
        _, leads_to = visitor(target).sign_in(email, password, path)
        led.append(leads_to)
    own = urllib.parse.urlsplit(target.service.settings.address).netloc
    away = [to for to in led if "evil" in to or urllib.parse.urlsplit(to).netloc not in ("", own)]
    after = f"{len(away)} of {len(AWAY)}"
    return Outcome(6, "redirect to another site", "////evil.example", after, not away)


def keep_cookie(target: Target) -> Outcome:
    """Use a copied cookie after its owner has signed out."""
    email, password = make_user(target)
    owner, thief = visitor(target), visitor(target)
    owner.sign_in(email, password)
    for cookie in owner.cookies:
        thief.cookies.set_cookie(cookie)
    before, _, _ = thief.get("/account")
    owner.post("/sign-out", {}, "/account")
    status, _, _ = thief.get("/account")
    after = f"{before} before, {status} after signing out"
    return Outcome(7, "copied session", "lives on", after, (before, status) == (200, 302))


def rewrite_history(target: Target) -> Outcome:
    """Try to change the audit log, by the API and by the database logins."""
    changed = sum(
        target.ask(method, "/v1/audit", {})[0] < 400 for method in ("PUT", "DELETE", "PATCH")
    )
    tries = 3
    for variable, roles in ROLES.items():
        for role in roles:
            for statement in HISTORY:
                tries += 1
                with psycopg.connect(target.service.logins[variable]) as database:
                    try:
                        database.execute(f"SET ROLE {role}")
                        database.execute(statement)  # type: ignore[arg-type]
                        changed += 1
                    except psycopg.Error:
                        pass
                    database.rollback()
    return Outcome(12, "audit record", "none was kept", f"{changed} of {tries}", not changed)


def run_code_by_redis(target: Target) -> Outcome:
    """Put a job into Redis that names a function of the system."""
    redis = Redis.from_url(target.service.services.environment()["REDIS_URL"])
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made"
        for kind, data in (
            ("json", json.dumps(["os.mkdir", None, [str(made)], {}]).encode()),
            ("pickle", b"cos\nmkdir\n(V" + str(made).encode() + b"\ntR."),
        ):
            id_ = f"attack-{kind}-{uuid4().hex}"
            job = {"data": data, "created_at": "2026-01-01T00:00:00Z", "status": "queued",
                   "origin": "planning", "timeout": 60}  # fmt: skip
            redis.hset(f"rq:job:{id_}", mapping=job)
            redis.sadd("rq:queues", "rq:queue:planning")
            redis.rpush("rq:queue:planning", id_)
        time.sleep(target.seconds)
        vessel = target.make_vessel(target.attacker)
        charting = json.loads(target.order(target.attacker, vessel)[1])["id"]
        status, body = target.ask("GET", f"/v1/charting/{charting}?addCharting=false&wait=30")
        for _ in range(3):
            if json.loads(body)["status"] in ("COMPLETED", "FAILED"):
                break
            status, body = target.ask("GET", f"/v1/charting/{charting}?addCharting=false&wait=30")
        state = json.loads(body)["status"] if status == 200 else str(status)
        is_run = made.exists()
    after = f"{'run' if is_run else 'not run'}; the next request {state}"
    is_repelled = not is_run and state == "COMPLETED"
    return Outcome(13, "code through Redis", "run as the worker", after, is_repelled)


def read_caches(target: Target) -> Outcome:
    """Look for answers that a shared cache may store and give to others."""
    kept = []
    for path in READ:
        request = urllib.request.Request(  # noqa: S310
            target.service.settings.address + path, headers={"X-API-Key": target.attacker}
        )
        with urllib.request.urlopen(request, timeout=60.0) as answer:  # noqa: S310
            control = answer.headers.get("Cache-Control", "")
            if not {"private", "no-store"} & set(re.split(r"[,\s]+", control)):
                kept.append(path)
    after = f"{len(kept)} of {len(READ)} {' '.join(kept)}".rstrip()
    return Outcome(14, "shared caches", "no Cache-Control", after, not kept)


TRUST_ATTACKS: tuple[Callable[[Target], Outcome], ...] = (
    lead_away,
    keep_cookie,
    rewrite_history,
    run_code_by_redis,
    read_caches,
    guess_passwords,
)
