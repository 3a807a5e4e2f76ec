import { setTimeout as pause } from "node:timers/promises";
import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { Hub } from "../../mcp/hub/connect-hub.ts";
import type { ModelSettings } from "../../models/settings.ts";
import type { Approve } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { configuredHub } from "../mcp/servers.ts";
import { tellProgress } from "../progress.ts";
import { remarkRecovered, remarkWarnings } from "../report.ts";
import { canAsk } from "../terminal.ts";
import type { Screen } from "./screen.ts";
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
  const { threeWays } = await import("../models.ts");
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

/**
 * Keeps the room for young objects small while a session goes on. Where there is much memory, Node lets it grow to 128 MB; what
 * a long conversation makes, a request after the other, is dead as soon as it was sent, and fills whatever there is.
 */
export function boundYoungSpace(session: Pick<Session, "on">): void {
  const stop = session.on(({ type }) => {
    if (type !== "round-start") return;
    // Loaded here, because nothing before the first request needs it.
    const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < enoughBytes) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    stop();
  });
}

const enoughBytes = 8 * 1024 ** 2;

/** Asks the person at the terminal, one question at a time; nobody, where nobody sits there. */
export function approverOn(
  screen: Screen,
  options: ReadonlyMap<string, string>,
  /** Has the keyboard for as long as the question stands. */
  withKeyboard: <Answer>(ask: () => Promise<Answer>) => Promise<Answer> = (ask) => ask(),
): Approve | undefined {
  if (options.has("jsonl") || !canAsk(options)) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const ask = async () => {
      signal.throwIfAborted();
      const { approveOnTerminal } = await import("../approvals/ask-on-terminal.ts");
      const { discardTyped } = await import("../approvals/ask-on-terminal.ts");
      await discardTyped();
      return approveOnTerminal(request, signal);
    };
    const answer = last.then(() => screen.whileAsking(() => withKeyboard(ask)));
    last = answer.catch(() => {});
    return answer;
  };
}

/** Tells a person each warning of a room once, as they become known. */
export class PrintedWarnings {
  readonly #told = new Set<string>();

  tell(warnings: readonly string[]): void {
    const fresh = warnings.filter((warning) => !this.#told.has(warning));
    for (const warning of fresh) this.#told.add(warning);
    remarkWarnings(fresh);
  }
}
