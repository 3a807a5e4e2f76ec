/** Serves a built page with made-up data. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import type { ConsoleEvent, Overview, RunPage } from "../../../src/console/api.ts";
import {
  callAt,
  detailOf,
  fleets,
  health,
  latestCall,
  overview,
  rules,
  runAt,
  runCount,
  runDetailAt,
  sessionDetail,
  sessions,
} from "./fixture.ts";

const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'";

export interface FixtureServer {
  readonly url: string;
  /** What the page has posted. */
  readonly posted: { path: string; body: Record<string, unknown> }[];
  /** The number of the latest call. */
  newest: number;
  /** How many event streams are open. */
  readonly streamCount: number;
  /** What a stream begins with. */
  overview: Overview;
  /** Sends an event to every page. */
  send(event: ConsoleEvent): void;
  /** Answers that replace the fixture's, by path. */
  readonly answers: Map<string, FixtureAnswer>;
  /** Breaks the event streams, and refuses new ones until `resume`. */
  lose(): void;
  resume(): void;
  close(): Promise<void>;
}

interface FixtureAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Answers only when this is settled. */
  readonly after?: Promise<void>;
}

export async function startFixtureServer(folder: string): Promise<FixtureServer> {
  const posted: FixtureServer["posted"] = [];
  const answers: FixtureServer["answers"] = new Map();
  const streams = new Set<ServerResponse>();
  let isLost = false;
  let newest = latestCall;
  let shown = overview;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (!url.pathname.startsWith("/api/")) return sendFile(join(folder, url.pathname), response);
    const body = request.method === "POST" ? await readBody(request) : {};
    if (request.method === "POST") posted.push({ path: url.pathname, body });
    if (url.pathname === "/api/events") {
      if (isLost) return void response.writeHead(503).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify({ type: "overview", overview: shown })}\n\n`);
      streams.add(response);
      response.on("close", () => streams.delete(response));
      return;
    }
    const prepared: FixtureAnswer | undefined = answers.get(url.pathname);
    const usual = () => (url.pathname === "/api/overview" ? shown : answerTo(url, body, newest));
    const { status, body: answer, after } = prepared ?? { status: 200, body: usual() };
    await after;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    posted,
    answers,
    get newest() {
      return newest;
    },
    set newest(sequence) {
      newest = sequence;
    },
    get overview() {
      return shown;
    },
    set overview(next) {
      shown = next;
    },
    get streamCount() {
      return streams.size;
    },
    send: (event) => {
      for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
    },
    lose: () => {
      isLost = true;
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
    resume: () => {
      isLost = false;
    },
    close: async () => {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendFile(path: string, response: ServerResponse): void {
  const name = path.endsWith("/") ? `${path}index.html` : path;
  try {
    const content = readFileSync(name);
    response
      .writeHead(200, { "content-type": types[extname(name)] ?? "", "content-security-policy": policy })
      .end(content);
  } catch {
    response.writeHead(404).end();
  }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

function answerTo(url: URL, body: Record<string, unknown>, newest: number): unknown {
  const [, , kind, first = "", second = ""] = url.pathname.split("/").map(decodeURIComponent);
  if (kind === "login") return { api: "/api" };
  if (kind === "calls" && second !== "") return detailOf(second);
  if (kind === "calls") return callPage(url.searchParams, newest);
  if (kind === "outputs")
    return { handle: first, text: "More output.\n", offset: 65_536, bytes: 4_200_000, next: null };
  if (kind === "undo")
    return {
      callId: body["dryRun"] ? null : "call-100000",
      calls: ["call-99994"],
      files: detailOf("call-99994").changed.slice(0, 1),
      notes: [],
      leftAlone: [],
      commits: [{ hash: "0123456789abcdef", subject: "Fix the login" }],
    };
  if (kind === "sessions" && first === "") return { sessions, next: null };
  if (kind === "sessions" && url.pathname.split("/").length > 4)
    return { ...sessionDetail, ...sessions.find(({ session }) => session === second) };
  if (kind === "sessions") return { workspace: "w-main", session: "s-agent" };
  if (kind === "fleets" && first === "") return fleets;
  if (kind === "fleets" && first === "act") return { count: 119 };
  if (kind === "fleets" && second === "runs") {
    if (url.pathname.endsWith("/session")) return { entries: sessionDetail.entries };
    const run = /run_(\d+)$/.exec(url.pathname)?.[1];
    return run === undefined ? runPage(url.searchParams) : runDetailAt(Number(run));
  }
  if (url.pathname === "/api/rules") return rules;
  if (first === "explain")
    return {
      verdict: "ask",
      risk: "network",
      reason: "Commands need approval.",
      rule: "ask run *",
      source: "mode cautious",
      parts: [
        {
          verdict: "ask",
          kind: "execute",
          what: "npm publish",
          reason: "Publishes a package.",
          rule: "ask run npm publish",
        },
      ],
    };
  if (first === "try")
    return {
      calls: 79_999,
      changed: [3, 11, 19].map((sequence) => ({
        ...callAt(sequence),
        before: "ask",
        after: "allow",
        reason: "The new rule allows it.",
      })),
    };
  if (first === "verify")
    return {
      isIntact: true,
      records: 412_345,
      head: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      faults: [],
    };
  if (kind === "health") return health;
  return {};
}

function runPage(query: URLSearchParams): RunPage {
  const [show, text] = [query.get("show") ?? "", query.get("text") ?? ""];
  const offset = Number(query.get("offset") ?? 0);
  const runs = Array.from({ length: runCount }, (_, index) => runAt(index)).filter(
    (run) =>
      (show === "" || run.state === show || run.outcome === show) &&
      `${run.task} ${run.model} ${run.reason}`.includes(text),
  );
  const limit = Number(query.get("limit") ?? 200);
  return { runs: runs.slice(offset, offset + limit), offset, total: runs.length };
}

function callPage(query: URLSearchParams, newest: number): unknown {
  const start = Number(query.get("before") ?? newest + 1);
  const limit = Number(query.get("limit") ?? 100);
  const text = query.get("text") ?? "";
  const calls = [];
  let sequence = start;
  while (calls.length < limit && sequence > 0) {
    sequence -= 1;
    const call = callAt(sequence);
    if (query.get("workspace") && call.workspace !== query.get("workspace")) continue;
    if (query.get("failed") && call.state === "ok") continue;
    if (query.get("verdict") && call.verdict !== query.get("verdict")) continue;
    if (`${call.tool} ${call.title} ${call.message}`.includes(text)) calls.push(call);
  }
  return { calls, next: sequence > 0 ? String(sequence) : null, total: text === "" ? 100_000 : null };
}
