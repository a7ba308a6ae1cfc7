#!/usr/bin/env python3
"""Take screenshots of every page of a separate service with the demo fleet.

Each page is taken at the size of a laptop and of a tablet, by day and by night, into `var/img`,
with few colours to keep files small. Those that `docs/img` has are then copied there. The
browser's clock starts at the fleet's hour, so that the same pages give the same screenshots.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from demo_data import NOW, Api, seed
from local_processes import free_port
from local_services import LocalServices
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from setup_steps import ROOT, find_chromium

STATE = ROOT / "var" / "screenshots-service"
PICTURES = ROOT / "var" / "img"
#: Screenshots that pages of the documentation show.
SHOWN = ROOT / "docs" / "img"
CHROMIUM_ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--lang=en-GB"]
SIZES = {"laptop": (1440, 900), "tablet": (820, 1180)}
PALETTES = ("day", "night")
#: Colours of a screenshot: one byte per pixel.
COLOURS = 256
#: The chart is drawn: its tiles are loaded and faded in.
CHART_DRAWN = """() => [...document.querySelectorAll(".leaflet-tile")].every(
    (tile) => tile.matches(".leaflet-tile-loaded") && getComputedStyle(tile).opacity === "1")"""
SETTLED_MS = 600
#: Looks at a page until it stays the same.
MOST_LOOKS = 50


def main() -> None:
    """Start the service, fill it, and take every page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with service() as (address, email, password):
        key = (STATE / "demo-key").read_text().strip()
        api = Api(address, key)
        pages = list_pages(api, seed(api)[-1])
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS
            )
            take_all(browser, address, pages, (email, password))
            browser.close()
    for shown in SHOWN.glob("*.png"):
        shutil.copyfile(PICTURES / shown.name, shown)
    total = sum(picture.stat().st_size for picture in PICTURES.glob("*.png"))
    print(f"{len(pages) + 1} pages, {total / 1e6:.1f} MB in {PICTURES.relative_to(ROOT)}")


def list_pages(api: Api, charting_id: str) -> dict[str, str]:
    """Return the path of each page by the name of its screenshots."""
    fleet = api.call("/vessel")["items"]
    ship = next(vessel["id"] for vessel in fleet if vessel["name"] == "Noordster")
    year = f"from={NOW.year - 1}-01-01&to={NOW.year - 1}-12-31"
    return {
        "chart": "/",
        "voyages": "/voyages",
        "route": f"/voyages/{charting_id}",
        "route-edit": f"/voyages/{charting_id}/edit",
        "check": "/check",
        "constraints": "/constraints",
        "vessel": f"/fleet/{ship}?{year}",
        "vessel-form": f"/fleet/{ship}/edit",
        "noon-reports": f"/fleet/{ship}/noon-reports",
        "keys": "/admin/keys",
        "users": "/admin/users",
        "zones": "/admin/zones",
        "weather": "/admin/weather",
        "account": "/account",
    }


def take_all(browser: Browser, address: str, pages: dict[str, str], user: tuple[str, str]) -> None:
    """Take each page at each size and palette; the sign-in page only once, by day."""
    signed_in = None
    for device, (width, height) in SIZES.items():
        for palette in PALETTES:
            context = browser.new_context(
                base_url=address,
                viewport={"width": width, "height": height},
                locale="en-GB",
                storage_state=signed_in,
            )
            context.add_init_script(f"localStorage.setItem('palette', '{palette}')")
            page = context.new_page()
            page.clock.install(time=NOW)
            if signed_in is None:
                take(page, "/sign-in", f"sign-in-{device}-{palette}")
                sign_in(page, user)
                signed_in = context.storage_state()
            for name, path in pages.items():
                take(page, path, f"{name}-{device}-{palette}")
            context.close()


def sign_in(page: Page, user: tuple[str, str]) -> None:
    """Sign in on the sign-in page."""
    page.get_by_label("E-mail").fill(user[0])
    page.get_by_label("Password").fill(user[1])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/$"))


def take(page: Page, path: str, name: str) -> None:
    """Open a page, wait until it is stable, and save the visible part."""
    page.goto(path)
    page.wait_for_load_state("networkidle")
    picture = PICTURES / f"{name}.png"
    picture.write_bytes(look_until_stable(page))
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE)
        few.save(picture, optimize=True)


def look_until_stable(page: Page) -> bytes:
    """Return a screenshot that shows the same as the one before it. Raises RuntimeError."""
    before = b""
    for _ in range(MOST_LOOKS):
        page.wait_for_timeout(SETTLED_MS)
        page.wait_for_function(CHART_DRAWN)
        shown = page.screenshot()
        if shown == before:
            return shown
        before = shown
    raise RuntimeError(f"{page.url} does not come to rest")


@contextmanager
def service() -> Iterator[tuple[str, str, str]]:
    """Run a new service; yield its address, and its user's e-mail address and password."""
    LocalServices(STATE).remove()
    shutil.rmtree(STATE, ignore_errors=True)
    own = {"PORT": str(free_port()), "STATE_DIR": str(STATE), "PYTHONUNBUFFERED": "1"}
    environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
    command = [sys.executable, str(ROOT / "scripts" / "run.py")]
    process = subprocess.Popen(
        command, env=environment | own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield greeting(process)
    finally:
        process.terminate()
        process.wait(timeout=60)
        LocalServices(STATE).remove()
        shutil.rmtree(STATE, ignore_errors=True)


def greeting(process: subprocess.Popen[str]) -> tuple[str, str, str]:
    """Read on until the service is ready. Raises RuntimeError when it ends before."""
    said = ""
    for line in process.stdout or ():
        said += line
        address = re.search(r"Map\s+(\S+?)/?\n", said)
        user = re.search(r"Sign in\s+(\S+), password (\S+)", said)
        if line.startswith("Ctrl-C stops") and address and user:
            return address.group(1), user.group(1), user.group(2)
    raise RuntimeError(f"the service did not start:\n{said}")


if __name__ == "__main__":
    main()
