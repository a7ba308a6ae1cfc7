// The tutorial's flow by types that openapi-typescript has generated: node tutorial.js ADDRESS KEY
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Order = components["schemas"]["Charting"];
type Told = components["schemas"]["WebhookEvent"];

declare const process: { argv: string[] };
const [address = "", key = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: address, headers: { "X-API-Key": key } });

function need<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

// a receiver of webhooks reads what the description says of them
export const readEvent = (told: Told): string =>
  `${told.data.chartingId} of ${told.data.vesselId}: ${told.data.failure?.code ?? told.data.status}`;

need(await api.GET("/v1/organization"));
const vessel = need(await api.POST("/v1/vessel", {
  body: {
    name: "Noordster IV", dateConstructed: "2016-09-15", type: 1, dwt: 82000, loa: 229, lbp: 225.5,
    breadth: 32.26, depth: 20.05, draftDesign: 12.2, draftScant: 14.45, serviceSpeed: 14, pitch: 5.1,
  },
}));
const constraint = need(await api.POST("/v1/constraints", {
  body: {
    name: "Firing practice", type: "MILITARY", level: "VESSEL_TYPE", vesselTypeIds: ["1"],
    geometry: {
      type: "Polygon",
      coordinates: [[[-6.5, 48.2], [-5.6, 48.2], [-5.6, 48.8], [-6.5, 48.8], [-6.5, 48.2]]],
    },
  },
}));
// what has a default need not be given
const order: Order = {
  portFromName: "Rotterdam", latFrom: 51.98, lngFrom: 4.0, portToName: "London", latTo: 51.5,
  lngTo: 1.2, startDate: "2026-04-10T06:00:00Z", vesselId: vessel.id, speedRangeMin: 10,
  speedRangeMax: 14, draft: 10.5, trim: 0, rpm: 95, dwt: 64000, lbp: 225.5, pitch: 5.1,
  optimizationType: "FUEL", routeType: "WX",
};
const { id: chartingId } = need(await api.POST("/v1/charting", { body: order }));
const params = { path: { chartingId } };
let record = need(await api.GET("/v1/charting/{chartingId}", { params }));
while (record.status === "QUEUED" || record.status === "RUNNING") {
  await new Promise((resolve) => setTimeout(resolve, 500));
  record = need(await api.GET("/v1/charting/{chartingId}", { params }));
}
if (record.status !== "COMPLETED") throw new Error(record.failure?.code);
const explained = need(await api.GET("/v1/charting/{chartingId}/explanation", { params }));
const csv = need(await api.GET("/v1/charting/{chartingId}/csv", { params, parseAs: "text" }));
const rtz = need(await api.GET("/v1/charting/{chartingId}/rtz", { params, parseAs: "text" }));
if (!csv.startsWith("index,lat,lng") || !rtz.startsWith("<?xml")) throw new Error("no files");
if (!explained.summary.includes("nm")) throw new Error(explained.summary);
// a PUT needs nothing that only the service sets
const again = await api.PUT("/v1/charting/{chartingId}", { params, body: { ...order, draft: 11 } });
if (need(again).latestRevision !== 2) throw new Error("no new revision");
need(await api.POST("/v1/charting/{chartingId}/cancel", { params }));
const { error } = await api.GET("/v1/vessel/{vesselId}", { params: { path: { vesselId: "none" } } });
if (error?.code !== "NOT_FOUND") throw new Error(JSON.stringify(error));
await api.DELETE("/v1/constraints/{constraintId}", {
  params: { path: { constraintId: constraint.id } },
});
console.log("done");
