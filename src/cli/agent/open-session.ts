import { setTimeout as pause } from "node:timers/promises";
import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { Hub } from "../../mcp/hub/connect-hub.ts";
import type { ModelSettings } from "../../models/settings.ts";
import type { Approve } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { configuredHub } from "../mcp/configured-hub.ts";
import { remarkRecovered } from "../report.ts";
import { tellProgress } from "../tell-progress.ts";
import { boundYoungSpace } from "./bound-young-space.ts";
import { type Beginning, sessionOptions } from "./session-options.ts";

/** Opens the session that a command line asks for, with the model and the MCP servers that are configured. */
export async function openSession(
  given: Arguments,
  begin: Beginning,
  approve: Approve | undefined,
): Promise<Session> {
  const options = sessionOptions(given);
  const { createSession } = await import("../../agent/create-session.ts");
  const { readModelSettings } = await import("../../agent/read-model-settings.ts");
  const progress = tellProgress("toolcrib");
  let sources: readonly Hub[] = [];
  try {
    progress.tell("finds the model");
    const models = await readModelSettings();
    // One that is gone on with has its own.
    const isNew = begin.resume === undefined && begin.fork === undefined;
    const model = given.options.get("model") ?? (isNew ? await defaultModel(models) : undefined);
    sources = await configuredHub(options.workspace, { startAfterMs: 0 });
    if (sources.length > 0) progress.tell("starts the MCP servers of mcp.json");
    // Its tools are told to the model once, at the start: what comes later is found by tools.find.
    await untilReady(sources);
    progress.tell("opens the session");
    const session = await createSession({
      ...options,
      ...begin,
      models,
      sources,
      ...(model !== undefined && { model }),
      ...(approve && { approve }),
    });
    remarkRecovered(session.crib.recovered);
    boundYoungSpace(session);
    return session;
  } catch (error) {
    await Promise.all(sources.map((hub) => hub.close()));
    throw error;
  } finally {
    progress.stop();
  }
}

async function defaultModel(models: ModelSettings): Promise<string> {
  const { chooseModel } = await import("../../models/default-model.ts");
  const chosen = await chooseModel(models, process.env);
  if (chosen) return chosen.id;
  const { threeWays } = await import("./models/three-ways.ts");
  throw new ToolError("unavailable", "There is no model to ask", { hint: threeWays() });
}

/** Servers that take longer are not waited for. */
async function untilReady(sources: readonly Hub[]): Promise<void> {
  const done = new AbortController();
  // Nothing else may keep this process here meanwhile.
  const patience = pause(serversMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([Promise.all(sources.map((hub) => hub.ready)), patience]);
  done.abort();
}

const serversMs = 10_000;
