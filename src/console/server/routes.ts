import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as z from "zod/mini";
import { type ErrorCode, ToolError, textForUser } from "../../contract/error.ts";
import type { CallQuery, RunQuery } from "../api.ts";
import { callDetail, listCalls } from "./calls.ts";
import { readOutput } from "./changes.ts";
import { streamEvents } from "./events.ts";
import type { Fleets } from "./fleets.ts";
import type { Follower } from "./follower.ts";
import type { Gate } from "./gate.ts";
import { readHealth, verifyChain } from "./health.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { PageFiles } from "./page-files.ts";
import type { Questions } from "./questions.ts";
import * as requests from "./requests.ts";
import { addRules, checkRules, listGrants, revokeRules } from "./rules.ts";
import type { ConsoleServices } from "./services.ts";
import type { Sessions } from "./sessions.ts";
import type { Undos } from "./undo.ts";
import type { Workspaces } from "./workspaces.ts";

export interface ConsoleParts extends ConsoleServices {
  readonly gate: Gate;
  readonly workspaces: Workspaces;
  readonly follower: Follower;
  readonly questions: Questions;
  readonly sessions: Sessions;
  readonly live: LiveSessions;
  readonly undos: Undos;
  readonly fleets: Fleets;
}

/** The routes of `api.ts`. The gate has checked every request before. */
export function routes(parts: ConsoleParts): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError: (context) => fail(context, tooLarge) }));
  app.onError((error, context) => fail(context, error));
  app.notFound((context) => fail(context, new ToolError("not-found", "There is nothing at this address.")));
  addLogin(app, parts);
  addReading(app, parts);
  addActions(app, parts);
  addSteering(app, parts);
  addRuleRoutes(app, parts);
  addHealth(app, parts);
  addFleets(app, parts);
  const files = new PageFiles(parts.pageFolder);
  app.get("*", (context) => {
    const file = context.req.path.startsWith("/api/") ? undefined : files.find(context.req.path);
    if (file === undefined) return context.notFound();
    return context.body(file.bytes, 200, { "content-type": file.type });
  });
  return app;
}

function addLogin(app: Hono, { gate }: ConsoleParts): void {
  app.post("/api/login", async (context) => {
    const { code } = await readBody(context, requests.login);
    const login = gate.login(code);
    if (!("api" in login)) {
      const { status, code, message, hint } = login;
      return context.json({ error: { code, message, hint } }, status);
    }
    return context.json({ api: login.api }, 200, { "set-cookie": login.cookie });
  });
}

function addReading(app: Hono, parts: ConsoleParts): void {
  const { workspaces, follower, sessions } = parts;
  const { config } = parts.directories;
  app.get("/api/overview", (context) => context.json(follower.overview()));
  app.get("/api/events", (context) => streamEvents(context, parts));
  app.get("/api/calls", (context) => context.json(listCalls(workspaces, context.req.query() as CallQuery)));
  app.get("/api/calls/:workspace/:call", async (context) => {
    const { workspace, call } = context.req.param();
    return context.json(await callDetail(workspaces, { workspace, callId: call, config }));
  });
  app.get("/api/outputs/:workspace/:handle", async (context) => {
    const { workspace, handle } = context.req.param();
    const offset = Number(context.req.query("offset") ?? 0);
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new ToolError("invalid-input", "`offset` must be a number of bytes.");
    return context.json(await readOutput(workspaces, workspace, handle, offset));
  });
  app.get("/api/sessions", (context) => {
    const { workspace, before, all } = context.req.query();
    return context.json(sessions.list({ workspace, before, all: all === "1" }));
  });
  app.get("/api/sessions/:workspace/:session", (context) => {
    const { workspace, session } = context.req.param();
    return context.json(sessions.detail(workspace, session));
  });
  app.get("/api/sessions/:workspace/:session/export", (context) => {
    const { workspace, session } = context.req.param();
    const text = sessions.export(workspace, session);
    const name = `${session.replace(/\W/g, "")}.md`;
    return context.body(text, 200, {
      "content-type": "text/markdown; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
    });
  });
}

function addActions(app: Hono, { questions, follower, undos }: ConsoleParts): void {
  app.post("/api/approvals/answer", async (context) => {
    await questions.answer(await readBody(context, requests.answer));
    follower.nudge();
    return context.json({});
  });
  app.post("/api/undo", async (context) => {
    const result = await undos.undo(await readBody(context, requests.undo));
    follower.nudge();
    return context.json(result);
  });
}

function addSteering(app: Hono, { live, follower }: ConsoleParts): void {
  app.post("/api/sessions/start", async (context) => {
    const answer = await live.start(await readBody(context, requests.start));
    follower.nudge();
    return context.json(answer);
  });
  app.post("/api/sessions/act", async (context) => {
    const answer = await live.act(await readBody(context, requests.act));
    follower.nudge();
    return context.json(answer);
  });
}

function addRuleRoutes(app: Hono, { workspaces, directories, commands }: ConsoleParts): void {
  const { config } = directories;
  app.get("/api/rules", async (context) => {
    const workspace = workspaces.reachable(context.req.query("workspace") ?? "");
    return context.json({ ...(await commands.rules(workspace)), grants: listGrants(config, workspace) });
  });
  app.post("/api/rules/explain", async (context) => {
    const { workspace, call } = await readBody(context, requests.explain);
    return context.json(await commands.explain(workspaces.reachable(workspace), call));
  });
  app.post("/api/rules/try", async (context) => {
    const { workspace, rules } = await readBody(context, requests.withRules);
    checkRules(rules);
    return context.json(await commands.tryRules(workspaces.reachable(workspace), rules));
  });
  app.post("/api/rules/add", async (context) => {
    const { workspace, rules } = await readBody(context, requests.withRules);
    await addRules(config, workspaces.reachable(workspace), { rules });
    return context.json({});
  });
  app.post("/api/rules/revoke", async (context) => {
    const { workspace, grants } = await readBody(context, requests.revoke);
    await revokeRules(config, workspaces.reachable(workspace), { grants });
    return context.json({});
  });
}

function addHealth(app: Hono, parts: ConsoleParts): void {
  const { workspaces } = parts;
  app.get("/api/health", async (context) => {
    const id = context.req.query("workspace") ?? "";
    return context.json(await readHealth(workspaces, id, parts, context.req.raw.signal));
  });
  app.post("/api/health/verify", async (context) => {
    const { workspace } = await readBody(context, requests.workspaceOnly);
    return context.json(await verifyChain(workspaces, workspace));
  });
}

function addFleets(app: Hono, { fleets }: ConsoleParts): void {
  app.get("/api/fleets", async (context) => context.json(await fleets.overview()));
  app.get("/api/fleets/:fleet/runs", async (context) =>
    context.json(await fleets.runs(context.req.param("fleet"), context.req.query() as RunQuery)),
  );
  app.get("/api/fleets/:fleet/runs/:run", async (context) => {
    const { fleet, run } = context.req.param();
    return context.json(await fleets.run(fleet, run));
  });
  app.get("/api/fleets/:fleet/runs/:run/session", async (context) => {
    const { fleet, run } = context.req.param();
    return context.json(await fleets.session(fleet, run));
  });
  app.get("/api/fleets/:fleet/runs/:run/artifacts/:name", async (context) => {
    const { fleet, run, name } = context.req.param();
    // Never shown in the browser: an artifact may be a page that a model wrote.
    return context.body(await fleets.artifact(fleet, run, name), 200, {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${name}"`,
    });
  });
  app.post("/api/fleets/act", async (context) =>
    context.json(await fleets.act(await readBody(context, requests.actOnFleet))),
  );
}

const maxBodyBytes = 1024 * 1024;

/** Reads the body. Throws `invalid-input` for anything but the expected fields. */
async function readBody<Shape extends z.ZodMiniType>(
  context: Context,
  shape: Shape,
): Promise<z.output<Shape>> {
  const given: unknown = await context.req.json().catch((error: unknown) => {
    if (context.req.raw.signal.aborted) throw new ToolError("cancelled", "The request was not sent whole.");
    throw error instanceof SyntaxError ? new ToolError("invalid-input", "The body is not JSON.") : error;
  });
  const parsed = z.safeParse(shape, given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") || "the body";
  throw new ToolError("invalid-input", `The request is not valid: ${field}.`, { hint: "Reload the page." });
}

/** Answers with the error of a route. */
function fail(context: Context, error: unknown): Response {
  const known = error instanceof ToolError ? error : unexpected(error);
  const { message, hint } = textForUser(known);
  return context.json({ error: { code: known.code, message, hint } }, statuses[known.code]);
}

const tooLarge = new ToolError("too-large", "The request is too large.");

/** The reason stays in the terminal of the console. */
function unexpected(error: unknown): ToolError {
  process.emitWarning(`The console failed: ${error instanceof Error ? error.stack : String(error)}`);
  return new ToolError("internal", "The console failed unexpectedly.", {
    hint: "The terminal of `toolcrib console` shows the reason. This is a bug: please report it.",
  });
}

const statuses: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  "invalid-input": 400,
  "not-found": 404,
  "already-exists": 409,
  "no-match": 409,
  "ambiguous-match": 409,
  stale: 409,
  denied: 403,
  "needs-approval": 409,
  "outside-workspace": 400,
  "too-large": 413,
  timeout: 504,
  cancelled: 503,
  unsupported: 400,
  unavailable: 503,
  internal: 500,
};
