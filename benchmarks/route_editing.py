"""Response time of the editor when a waypoint of a long route is dropped.

``python -m benchmarks.route_editing [--moves N] [--waypoints N] [--port N]``

Rotterdam to Hong Kong by the Cape of Good Hope is planned, and its legs are split until there are
enough waypoints. Chromium opens the editor and sends what it sends for a dropped waypoint: the
whole route with one waypoint moved by two hundredths of a degree, another one each time. *Answer*
is the time from sending until findings and figures are read.
"""

import argparse
from statistics import median, quantiles
from typing import Final

from playwright.sync_api import sync_playwright

from benchmarks.installation import find_chromium, installation
from benchmarks.memory import LONG_VOYAGE
from benchmarks.pages import ARGUMENTS, VIEWPORT, plan, sign_in
from benchmarks.report import print_result

ROUND_AFRICA: Final = LONG_VOYAGE | {
    "latTo": 22.2, "lngTo": 114.2, "portToName": "Hong Kong",
    "avoidWarZones": True, "avoidPiracyAreas": True,
}  # fmt: skip

#: Moves waypoints one after another; returns the milliseconds of each answer.
MOVE = """
async (moves) => {
    const data = JSON.parse(document.getElementById("page-data").textContent);
    const token = document.querySelector("meta[name=csrf-token]").content;
    const json = "application/json";
    const headers = { Accept: json, "Content-Type": json, "X-CSRFToken": token };
    const times = [];
    for (let n = 0; n < moves; n++) {
        const waypoints = structuredClone(data.waypoints);
        waypoints[1 + Math.floor((n + 0.5) * (waypoints.length - 2) / moves)].lat += 0.02;
        const sent = performance.now();
        const body = JSON.stringify({ waypoints });
        const answer = await fetch(data.checkAddress, { method: "POST", headers, body });
        const found = await answer.json();
        if (!found.summary) throw new Error(JSON.stringify(found));
        times.push(performance.now() - sent);
    }
    return times;
}
"""


def main() -> None:
    """Plan, move waypoints, and print the times; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--waypoints", type=int, default=400)
    parser.add_argument("--port", type=int, default=8042)
    asked = parser.parse_args()
    with installation(asked.port) as service, sync_playwright() as playwright:
        charting_id = plan(service, asked.waypoints, ROUND_AFRICA)
        miles = service.ask("GET", f"/charting/{charting_id}")[1]["summary"]["distanceNm"]
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        user = sign_in(service, browser)
        page = browser.new_context(storage_state=user, viewport=VIEWPORT).new_page()
        page.goto(f"{service.settings.address}/voyages/{charting_id}/edit")
        first, *later = page.evaluate(MOVE, asked.moves + 1)
    print(f"{miles:.0f} nm, {asked.waypoints} waypoints; the first answer took {first:.0f} ms")
    print_result(
        {
            "moves": len(later),
            "distance_nm": round(miles),
            "first_ms": round(first),
            "median_ms": round(median(later)),
            "p95_ms": round(quantiles(later, n=20)[-1]),
            "worst_ms": round(max(later)),
        }
    )


if __name__ == "__main__":
    main()
