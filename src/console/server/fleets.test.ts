import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { s3StandIn } from "../../../test/support/fleet/s3-stand-in.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { FleetStore, RunOutcome, RunResult } from "../../fleet/fleet.ts";
import { openFleetStore } from "../../fleet/store/open-fleet-store.ts";
import type { FleetAnswer, FleetOverview, RunDetail, RunPage, RunSession } from "../api.ts";

const folder = temporaryFolder();
const hostile = '<img src=x onerror=alert(1)>\u202e"; DROP TABLE runs; --';
const secret = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");
const patch = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,2 @@
 const a = 1;
-old
+diff --git a/x b/x ${secret}
diff --git a/logo.png b/logo.png
new file mode 100644
index 000..333
GIT binary patch
literal 4
Lc$@(M0RR91

diff --git a/old.ts b/new.ts
similarity index 100%
rename from old.ts
rename to new.ts
`;
const conversation = [
  {
    number: 1,
    at: 1,
    entry: {
      kind: "user",
      turn: 1,
      source: "input",
      message: { role: "user", content: [{ type: "text", text: `Use ${secret}.` }] },
    },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");
let store: FleetStore;
let s3: Awaited<ReturnType<typeof s3StandIn>>;
let console: OpenConsole;
let page: Awaited<ReturnType<OpenConsole["login"]>>;
let ids: readonly string[];
const queued: string[] = [];

beforeAll(async () => {
  store = await openFleetStore({ file: join(folder.path, "fleet.sqlite") });
  const tasks = ["solved", hostile, "linked", "elsewhere", "waiting", "other", "in S3"];
  const specs = tasks.map((task) => specOf(task, { prompt: `Use ${secret}.` }));
  ids = (await store.submit("nightly", settingsWith({ budget: 50 }), specs)).added;
  await store.submit(hostile, settingsWith(), [specOf("one", { fleet: hostile })]);
  await store.heartbeat(workerOf("worker-1"), []);
  await store.pauseLane("anthropic", 60_000);
  await end(0, "solved", { patch: { files: 3, added: 1, removed: 1 }, artifacts: artifacts(0) });
  await end(1, "unsolved", { text: hostile });
  await end(2, "infrastructure", { patch: { files: 1, added: 1, removed: 0 }, artifacts: artifacts(2) });
  await end(3, "budget", { patch: { files: 1, added: 1, removed: 0 }, artifacts: "s3://bucket/x" });
  s3 = await s3StandIn({ secret: "key" });
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ENDPOINT_URL_S3", s3.url);
  const inS3 = `fleets/nightly/${ids[6]}/1`;
  s3.objects.set(`/bucket/${inS3}/patch.diff`, Buffer.from(patch));
  await end(6, "solved", {
    ...{ patch: { files: 3, added: 1, removed: 1 }, artifacts: `s3://bucket/${inS3}` },
  });
  console = await openTestConsole({
    openFleets: async () => ({
      store,
      enqueue: async (runs) => void queued.push(...runs),
      close: () => store.close(),
    }),
  });
  page = await console.login();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await s3[Symbol.asyncDispose]();
  await console[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Makes the artifacts of a run: those of the third are links to a file outside. */
function artifacts(index: number): string {
  const path = join(folder.path, "artifacts", ids[index]!, "1");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(folder.path, "outside"), "not for the page");
  writeFileSync(join(path, "session.jsonl"), conversation);
  for (const name of ["patch.diff", "session.html"]) {
    if (index === 2) symlinkSync(join(folder.path, "outside"), join(path, name));
    else writeFileSync(join(path, name), name === "patch.diff" ? patch : "<script>alert(1)</script>");
  }
  return path;
}

async function end(index: number, outcome: RunOutcome, change: Partial<RunResult>): Promise<void> {
  const claimed = await store.claim(ids[index]!, "worker-1");
  if (!claimed.claimed) throw new Error("The run was not claimed.");
  await store.setSession(claimed.claim, `session_${index}`);
  const names = ["patch.diff", "session.html", "session.jsonl", "../../../outside"];
  const result = { ...resultWith("Done."), artifactNames: names, ...change };
  await store.end(claimed.claim, outcome, `Ended with ${secret}.`, result);
}

describe("the routes of fleets", () => {
  it("summarize fleets, workers and lanes", async () => {
    const overview = await page.get<FleetOverview>("/fleets");
    expect(overview.fleets.find(({ name }) => name === "nightly")).toEqual({
      name: "nightly",
      createdAt: expect.any(Number),
      spent: 0,
      budget: 50,
      remainingMs: expect.any(Number),
      states: { waiting: 2, running: 0, parked: 0, ended: 5 },
      outcomes: { solved: 2, unsolved: 1, infrastructure: 1, budget: 1, cancelled: 0 },
    });
    expect(overview.workers).toMatchObject([{ id: "worker-1", slots: 4 }]);
    expect(overview.lanes).toMatchObject([{ lane: "anthropic", inFlight: 0 }]);
    expect(overview.lanes[0]!.pausedUntil).toBeGreaterThan(overview.now);
  });

  it("page through runs by state, outcome and text, without secrets", async () => {
    const tasks = async (query: string) => {
      const { runs, total } = await page.get<RunPage>(`/fleets/nightly/runs?${query}`);
      return [total, ...runs.map(({ task }) => task)];
    };
    expect(await tasks("show=waiting")).toEqual([2, "waiting", "other"]);
    expect(await tasks("show=budget")).toEqual([1, "elsewhere"]);
    expect(await tasks("text=DROP%20table")).toEqual([1, hostile]);
    expect(await tasks("offset=1&limit=2")).toEqual([7, hostile, "linked"]);
    const { body } = await console.send({ path: `${page.api}/fleets/nightly/runs`, headers: page.headers });
    expect(body).toContain("Ended with");
    expect(body).not.toContain(secret);
  });

  it("show a run with its patch, and redact secrets", async () => {
    const run = await page.get<RunDetail>(`/fleets/nightly/runs/${ids[0]}`);
    expect(run).toMatchObject({ outcome: "solved", answer: "Done.", tokens: { input: 10, output: 5 } });
    expect(run.changed.map(({ path, kind, movedFrom, note }) => [path, kind, movedFrom, note])).toEqual([
      ["src/a.ts", "changed", null, null],
      ["logo.png", "created", null, "Binary file"],
      ["new.ts", "moved", "old.ts", null],
    ]);
    expect(run.changed[0]!.hunks[0]!.lines.map(({ kind }) => kind).join("")).toBe(" -+");
    expect(JSON.stringify(run)).not.toContain(secret);
    expect(run.downloads).toEqual(["patch.diff", "session.html", "session.jsonl"]);
  });

  it("show the conversation of a run, redacted", async () => {
    const { entries } = await page.get<RunSession>(`/fleets/nightly/runs/${ids[0]}/session`);
    expect(entries).toMatchObject([{ type: "user", text: expect.stringMatching(/^Use .*redacted/i) }]);
    expect(JSON.stringify(entries)).not.toContain(secret);
    const status = async (run: string | undefined) =>
      (await console.send({ path: `${page.api}/fleets/nightly/runs/${run}/session`, headers: page.headers }))
        .status;
    // One has not begun, one does not exist, and the address of the third does not name its run.
    expect([await status(ids[4]), await status("run_unknown"), await status(ids[3])]).toEqual([
      404, 404, 503,
    ]);
  });

  it("show a patch that is in S3, and say why one cannot be read", async () => {
    const run = await page.get<RunDetail>(`/fleets/nightly/runs/${ids[6]}`);
    expect([run.changed.map(({ path }) => path), run.patchNote]).toEqual([
      ["src/a.ts", "logo.png", "new.ts"],
      null,
    ]);
    expect(JSON.stringify(run)).not.toContain(secret);
    s3.objects.clear();
    const gone = await page.get<RunDetail>(`/fleets/nightly/runs/${ids[6]}`);
    expect(gone.patchNote).toMatch(/^The patch cannot be read: .*status 404/);
  });

  it("say where a patch is that is not on this machine, and follow no links", async () => {
    const elsewhere = await page.get<RunDetail>(`/fleets/nightly/runs/${ids[3]}`);
    expect(elsewhere).toMatchObject({
      changed: [],
      patchNote: "The patch is stored elsewhere: s3://bucket/x",
      downloads: [],
    });
    const linked = await page.get<RunDetail>(`/fleets/nightly/runs/${ids[2]}`);
    expect(linked.patchNote).toBe("The patch is missing or too large to show.");
  });

  it("download artifacts as files, never as pages", async () => {
    const path = `${page.api}/fleets/nightly/runs/${ids[0]}/artifacts/session.html`;
    const { status, headers, body } = await console.send({ path, headers: page.headers });
    expect([status, body]).toEqual([200, "<script>alert(1)</script>"]);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="session.html"',
      "x-content-type-options": "nosniff",
    });
  });

  it.each([
    ["a link", 2, "session.html"],
    ["a path out of the folder", 0, encodeURIComponent("../../../outside")],
    ["a name that the run does not list", 0, "fleet.sqlite"],
    ["another store", 3, "patch.diff"],
  ])("refuse to download %s", async (_what, index, name) => {
    const path = `${page.api}/fleets/nightly/runs/${ids[index]}/artifacts/${name}`;
    const { status, body } = await console.send({ path, headers: page.headers });
    expect(status).toBe(404);
    expect(body).not.toContain("not for the page");
  });

  it("refuse runs of another fleet, and queries that are not valid", async () => {
    const status = async (path: string) =>
      (await console.send({ path: page.api + path, headers: page.headers })).status;
    expect(await status(`/fleets/${encodeURIComponent(hostile)}/runs/${ids[0]}`)).toBe(404);
    expect(await status("/fleets/nightly/runs/run_unknown")).toBe(404);
    expect(await status("/fleets/nightly/runs?show=everything")).toBe(400);
    expect(await status("/fleets/nightly/runs?offset=-1")).toBe(400);
    expect(await status("/fleets/nightly/runs?limit=1e9")).toBe(400);
  });

  it("cancel and retry exactly the named runs, and queue what was retried", async () => {
    const act = async (body: object) => (await page.post("/fleets/act", body)).json as FleetAnswer;
    expect(await act({ fleet: "nightly", action: "cancel", runs: [ids[4]] })).toEqual({ count: 1 });
    expect(await act({ fleet: "nightly", action: "retry", outcomes: ["infrastructure"] })).toEqual({
      count: 1,
    });
    expect(queued).toEqual([ids[2]]);
    const states = (await store.runs({ fleet: "nightly" })).map(({ outcome, state }) => outcome ?? state);
    expect(states).toEqual(["solved", "unsolved", "waiting", "budget", "cancelled", "waiting", "solved"]);
  });

  it.each([
    [{ fleet: "nightly", action: "delete" }],
    [{ fleet: "nightly", action: "cancel", runs: [] }],
    [{ fleet: "nightly", action: "retry", outcomes: ["all"] }],
    [{ fleet: "nightly", action: "cancel", sql: "1" }],
    [{ action: "cancel" }],
  ])("refuse the action %j", async (body) => {
    expect((await page.post("/fleets/act", body)).status).toBe(400);
  });
});

describe("a request that is not from the page", () => {
  const paths = () => [
    "/fleets",
    "/fleets/nightly/runs",
    `/fleets/nightly/runs/${ids[0]}/session`,
    `/fleets/nightly/runs/${ids[0]}/artifacts/patch.diff`,
  ];

  it("gets nothing without the cookie, with a wrong key, or from another origin", async () => {
    const { cookie: _, ...withoutCookie } = page.headers;
    for (const path of paths()) {
      const sent = [
        { path: page.api + path, headers: withoutCookie },
        { path: `/api${path}`, headers: page.headers },
        { path: page.api + path, headers: { ...page.headers, origin: "http://evil.example" } },
        { path: page.api + path, headers: { ...page.headers, "sec-fetch-site": "cross-site" } },
      ];
      const statuses = await Promise.all(sent.map(async (request) => (await console.send(request)).status));
      expect(statuses).toEqual([401, 401, 403, 403]);
    }
  });

  it("gets nothing through another spelling of the path", async () => {
    const spellings = [
      "/fleets/..%2f..%2foverview",
      `/fleets/nightly/runs/${ids[0]}/artifacts/..%2f..%2f..%2foutside`,
      `/fleets/nightly/runs/${ids[0]}/artifacts/%2e%2e%2f%2e%2e%2f%2e%2e%2foutside`,
      `/fleets/nightly/runs/${ids[0]}/artifacts/patch.diff%00.html`,
      `/fleets/nightly/runs/${ids[0]}/artifacts/${encodeURIComponent(join(folder.path, "outside"))}`,
      `/fleets/nightly/runs/${encodeURIComponent(`../${ids[0]}`)}/session`,
      `/fleets/%00/runs/${ids[0]}/session`,
      `/fleets/nightly%2fruns/${ids[0]}`,
    ];
    for (const spelling of spellings) {
      const { status, body } = await console.send({ path: page.api + spelling, headers: page.headers });
      expect([spelling, status >= 400 && status < 500]).toEqual([spelling, true]);
      expect(body).not.toMatch(/not for the page|SQLite|\/tmp\//);
    }
  });

  it("cannot use another method, or a host name that leads here", async () => {
    const send = async (method: string, path: string, headers: Readonly<Record<string, string>>) =>
      (await console.send({ method, path: page.api + path, headers })).status;
    expect(await send("GET", "/fleets/act?fleet=nightly&action=cancel", page.headers)).toBe(404);
    for (const method of ["PUT", "DELETE", "PATCH"])
      expect(await send(method, "/fleets/act", page.headers)).toBeGreaterThanOrEqual(400);
    expect(await send("GET", "/fleets", { ...page.headers, host: "evil.example" })).toBe(403);
    expect((await store.runs({ fleet: "nightly", states: ["waiting"] })).length).toBe(2);
  });

  it("cannot cancel or retry", async () => {
    const body = JSON.stringify({ fleet: "nightly", action: "cancel" });
    const post = async (headers: Readonly<Record<string, string>>, path = `${page.api}/fleets/act`) =>
      (await console.send({ method: "POST", path, headers, body })).status;
    const json = { ...page.headers, "content-type": "application/json" };
    const { cookie: _, ...withoutCookie }: Record<string, string> = json;
    expect(await post(withoutCookie)).toBe(401);
    expect(await post({ ...json, origin: "http://evil.example" })).toBe(403);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
      expect(await post({ ...page.headers, "content-type": type })).toBe(415);
    expect(await post({ ...json, "sec-fetch-site": "same-site" })).toBe(403);
    expect(await post({ ...json, origin: "null" })).toBe(403);
    expect(await post(json, "/api/fleets/act")).toBe(401);
    expect((await store.runs({ fleet: "nightly", states: ["waiting"] })).length).toBe(2);
  });
});

describe("a console without fleets", () => {
  it("shows none, and finds those that appear later", async () => {
    let opened: FleetStore | undefined;
    await using empty = await openTestConsole({
      openFleets: async () => opened && { store: opened, close: () => opened!.close() },
    });
    const other = await empty.login();
    expect((await other.get<FleetOverview>("/fleets")).fleets).toEqual([]);
    expect((await other.post("/fleets/act", { fleet: "x", action: "cancel" })).status).toBe(404);
    opened = await openFleetStore({ file: join(folder.path, "later.sqlite") });
    await opened.submit("later", settingsWith(), [specOf("one", { fleet: "later" })]);
    expect((await other.get<FleetOverview>("/fleets")).fleets.map(({ name }) => name)).toEqual(["later"]);
  });
});

it("marks the superseded run of an edited task, counts the other, and retries only that", async () => {
  const submit = (prompt: string) =>
    store.submit("edited", settingsWith(), [specOf("one", { fleet: "edited", prompt })]);
  const [old] = (await submit("First.")).added;
  const [latest] = (await submit("Second.")).added;
  const { runs } = await page.get<RunPage>("/fleets/edited/runs");
  expect(runs.map(({ id, isSuperseded }) => [id, isSuperseded])).toEqual([
    [old, true],
    [latest, false],
  ]);
  const { fleets } = await page.get<FleetOverview>("/fleets");
  const edited = fleets.find(({ name }) => name === "edited");
  expect(Object.values(edited!.states).reduce((sum, count) => sum + count, 0)).toBe(1);
});
