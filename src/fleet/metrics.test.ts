import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { resultWith, settingsWith, specOf, workerOf } from "../../test/support/fleet/examples.ts";
import { parseExposition, type Sample } from "../../test/support/fleet/exposition.ts";
import { fleetWith, runWith } from "../../test/support/fleet/fixtures.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { FleetCounts } from "./fleet.ts";
import { FleetMetrics } from "./metrics.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { openFleetStore } from "./store/open-fleet-store.ts";

const now = Date.UTC(2026, 10, 17);
const counts: FleetCounts = {
  states: { waiting: 3, running: 2, parked: 1, ended: 4 },
  outcomes: { solved: 2, unsolved: 1, infrastructure: 1, budget: 0, cancelled: 0 },
  cost: 1.5,
};
const hostile = 'x"} 1\n# TYPE evil counter\nevil\\';

function metricsOf(names: readonly string[] = ["nightly"]) {
  const fleets = names.map((name, at) => fleetWith({ name, spent: 1.25, createdAt: now + at }));
  return new FleetMetrics(
    {
      fleets: async () => fleets,
      counts: async () => counts,
      workers: async () => [{ ...workerOf("worker-1"), seenAt: now - 2_500, isDraining: true }],
      lanes: async () => [{ lane: "anthropic", inFlight: 7, pausedUntil: now + 30_000 }],
    },
    () => now,
  );
}

function sampleOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === `toolcrib_fleet_${name}` &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

it("renders the state of fleets, lanes and workers in valid exposition format", async () => {
  const { samples } = parseExposition(await metricsOf().render());
  const shown = {
    waiting: sampleOf(samples, "runs", { fleet: "nightly", state: "waiting" }),
    solved: sampleOf(samples, "outcomes", { fleet: "nightly", outcome: "solved" }),
    depth: sampleOf(samples, "queue_depth"),
    spent: sampleOf(samples, "spent_dollars", { fleet: "nightly" }),
    budget: sampleOf(samples, "budget_dollars", { fleet: "nightly" }),
    inFlight: sampleOf(samples, "requests_in_flight", { lane: "anthropic" }),
    paused: sampleOf(samples, "lane_paused_seconds", { lane: "anthropic" }),
    age: sampleOf(samples, "worker_heartbeat_age_seconds", { host: "localhost" }),
    draining: sampleOf(samples, "worker_draining"),
  };
  expect(shown).toEqual({
    waiting: 3,
    solved: 2,
    depth: 4,
    spent: 1.25,
    budget: 20,
    inFlight: 7,
    paused: 30,
    age: 2.5,
    draining: 1,
  });
});

it("counts what this worker did: deliveries, tokens, and durations in cumulative buckets", async () => {
  const metrics = metricsOf();
  const run = runWith({ fleet: "nightly", deliveries: 1 });
  metrics.delivered(run);
  metrics.delivered({ ...run, deliveries: 2 });
  metrics.parked(run);
  for (const workMs of [1_000, 45_000, 9_000_000])
    metrics.ended(run, "solved", { ...resultWith("done"), workMs });
  const { samples } = parseExposition(await metrics.render());
  expect(sampleOf(samples, "deliveries_total", { kind: "first" })).toBe(1);
  expect(sampleOf(samples, "deliveries_total", { kind: "again" })).toBe(1);
  expect(sampleOf(samples, "parked_total")).toBe(1);
  expect(sampleOf(samples, "ended_total", { outcome: "solved" })).toBe(3);
  expect(sampleOf(samples, "tokens_total", { kind: "input", model: run.spec.model })).toBe(30);
  const bucket = (le: string) => sampleOf(samples, "run_duration_seconds_bucket", { le });
  expect([bucket("5"), bucket("30"), bucket("60"), bucket("7200"), bucket("+Inf")]).toEqual([1, 1, 2, 2, 3]);
  expect(sampleOf(samples, "run_duration_seconds_sum")).toBe(9_046);
});

it("escapes a fleet whose name looks like metrics", async () => {
  const { samples, families } = parseExposition(await metricsOf([hostile]).render());
  expect(families).not.toContain("evil");
  expect(sampleOf(samples, "spent_dollars", { fleet: hostile })).toBe(1.25);
});

it("shows the newest 50 fleets only", async () => {
  const { samples } = parseExposition(
    await metricsOf(Array.from({ length: 60 }, (_, at) => `f${at}`)).render(),
  );
  const shown = samples.filter(({ name }) => name === "toolcrib_fleet_spent_dollars");
  expect(shown.map(({ labels }) => labels.fleet)).toEqual(
    Array.from({ length: 50 }, (_, at) => `f${59 - at}`),
  );
});

async function get(port: number, path: string, { host = `127.0.0.1:${port}`, method = "GET" } = {}) {
  const sent = request({ host: "127.0.0.1", port, path, method, headers: { host }, agent: false });
  sent.end();
  const answer = await new Promise<import("node:http").IncomingMessage>((resolve) =>
    sent.on("response", resolve),
  );
  return { status: answer.statusCode, type: answer.headers["content-type"], body: await text(answer) };
}

it("serves metrics and health on loopback, and refuses other hosts, methods and paths", async () => {
  await using served = await serveMetrics({ metrics: metricsOf(), port: 0 });
  const { port } = served;
  const metrics = await get(port, "/metrics");
  expect([metrics.status, metrics.type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  parseExposition(metrics.body);
  expect(await get(port, "/healthz")).toMatchObject({ status: 200, body: "ok\n" });
  expect((await get(port, "/metrics", { host: "evil.example" })).status).toBe(403);
  expect((await get(port, "/metrics", { method: "POST" })).status).toBe(405);
  expect((await get(port, "/../etc/passwd")).status).toBe(404);
});

it("listens on loopback only, unless another address is given", async () => {
  await using served = await serveMetrics({ metrics: metricsOf(), port: 0 });
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of others) {
    const socket = connect(served.port, address);
    const [error] = await Promise.race([once(socket, "error"), once(socket, "connect")]);
    socket.destroy();
    expect([address, error?.code]).toEqual([address, "ECONNREFUSED"]);
  }
});

it.each(["localhost.evil.example", "127.0.0.1.evil.example", "[::ffff:7f00:1]", "evil.example:80"])(
  "refuses the host name %j, with which a web page could read metrics",
  async (host) => {
    await using served = await serveMetrics({ metrics: metricsOf(), port: 0 });
    for (const path of ["/metrics", "/healthz", "/livez"])
      expect((await get(served.port, path, { host })).status).toBe(403);
  },
);

it("shows no prompts, reasons, addresses or keys", async () => {
  await using folder = temporaryFolder();
  await using store = await openFleetStore({ file: join(folder.path, "fleet.sqlite") });
  const secret = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");
  const spec = specOf("task", {
    prompt: secret,
    repository: `https://${secret}@host/x`,
    data: { key: secret },
  });
  const { added } = await store.submit("nightly", settingsWith(), [spec]);
  await store.heartbeat(workerOf("worker-1"), []);
  const claimed = await store.claim(added[0]!, "worker-1");
  if (!claimed.claimed) throw new Error("The run was not claimed.");
  await store.end(claimed.claim, "infrastructure", secret, { ...resultWith(secret), artifacts: secret });
  const metrics = new FleetMetrics(store);
  metrics.delivered(claimed.run);
  metrics.ended(claimed.run, "infrastructure", resultWith(secret));
  const text = await metrics.render();
  expect([text.includes("nightly"), text.includes(secret), text.includes(folder.path)]).toEqual([
    ...[true, false, false],
  ]);
});

it("is not healthy without a database, but stays alive", async () => {
  const broken = {
    render: async () => Promise.reject(new Error("secret url")),
    ping: async () => Promise.reject(new Error("secret url")),
  };
  await using served = await serveMetrics({ metrics: broken, port: 0 });
  expect(await get(served.port, "/healthz")).toMatchObject({
    status: 503,
    body: "The database does not answer.\n",
  });
  expect((await get(served.port, "/metrics")).status).toBe(503);
  expect((await get(served.port, "/livez")).status).toBe(200);
});

it("refuses a host name and a port that is in use", async () => {
  await expect(serveMetrics({ metrics: metricsOf(), port: 0, host: "example.com" })).rejects.toMatchObject({
    code: "invalid-input",
  });
  await using served = await serveMetrics({ metrics: metricsOf(), port: 0 });
  await expect(serveMetrics({ metrics: metricsOf(), port: served.port })).rejects.toMatchObject({
    code: "unavailable",
  });
});
