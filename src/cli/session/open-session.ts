import { setTimeout as pause } from "node:timers/promises";
import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { Hub, HubOptions } from "../../mcp/hub/connect-hub.ts";
import type { Elicit } from "../../mcp/types.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { realWorkspace } from "../../system/directories.ts";
import type { Approve, ClientInfo } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { withConfig } from "../config/with-config.ts";
import { configuredHub } from "../mcp/servers.ts";
import { readCount } from "../parse-arguments.ts";
import { commandProgress } from "../progress.ts";
import { remarkRecovered, remarkWarnings } from "../report.ts";
import { canAsk, columnsOf, remark } from "../terminal.ts";
import type { Screen } from "./screen.ts";
import { askByForm, declineForms, type ReadInput } from "./server-form.ts";
import { type SessionStart, sessionOptions } from "./session-options.ts";

/**
 * Opens a session by the command line's options, with the configured model and MCP servers, and with the servers that
 * the user's client names.
 */
export async function openSession(
  words: Arguments,
  start: SessionStart,
  approve: Approve | undefined,
  client: ClientInfo,
  { servers, steer, elicit }: SessionParts = {},
): Promise<Session> {
  // A resumed session has its own model and dialect.
  const isNew = start.resume === undefined && start.fork === undefined;
  const given = await withConfig(words, [...everySession, ...(isNew ? newSession : [])]);
  const options = { ...sessionOptions(given), client };
  const { createSession } = await import("../../agent/create-session.ts");
  const { readModelSettings } = await import("../../agent/read-model-settings.ts");
  const progress = commandProgress("toolcrib");
  let sources: readonly Hub[] = [];
  try {
    progress.update("finding the model");
    const models = await readModelSettings();
    const model = given.options.get("model") ?? (isNew ? await defaultModel(models) : undefined);
    const folder = realWorkspace(given.options.get("workspace") ?? process.cwd());
    sources = await configuredHub(folder, {
      startAfterMs: 0,
      ofClient: servers,
      ofProject: !given.options.has("target"),
      elicit,
    });
    if (sources.length > 0) progress.update("starting the MCP servers");
    // The model gets the list of tools once, at the start, and finds later ones with tools.find.
    await untilReady(sources);
    progress.update("opening the session");
    const { commandHooks, languageServers, embedder } = given;
    const session = await createSession({
      ...options,
      ...start,
      commandHooks,
      languageServers,
      embedder,
      models,
      sources,
      model,
      approve,
    });
    remarkRecovered(session.toolcrib.recovered);
    remarkWarnings(session.skills.warnings);
    boundYoungSpace(session);
    listenSoon(session, client, steer);
    return session;
  } catch (error) {
    await Promise.all(sources.map((hub) => hub.close()));
    throw error;
  } finally {
    progress.stop();
  }
}

interface SessionParts extends Pick<HubOptions, "elicit"> {
  /** The servers that the user's client names. */
  readonly servers?: HubOptions["servers"];
  readonly steer?: Steer;
}

/** Takes a message that another program sends to the session. */
type Steer = (text: string) => void;

/** Lets other programs of the user watch and steer the session, once its first prompt is ready. It works without them. */
function listenSoon(session: Session, client: ClientInfo, steer: Steer | undefined): void {
  const listen = async () => {
    if (session.state === "closed") return;
    const { openSessionSocket } = await import("../../agent/live/session-socket.ts");
    await openSessionSocket(session, {
      client,
      steer: steer ?? ((text) => steerTurn(session, text)),
      stop: () => process.kill(process.pid, "SIGTERM"),
    }).catch(() => {});
  };
  setTimeout(() => void listen(), listenAfterMs).unref();
}

/** Programs that start turns by themselves take messages only for a running turn. */
function steerTurn(session: Session, text: string): void {
  if (session.state === "idle")
    throw new ToolError("unavailable", "No turn is running in this session", {
      hint: "Send the message where the session was started.",
    });
  session.steer(text);
}

const listenAfterMs = 30;

const everySession = ["mode", "sandbox", "max-rounds", "max-cost"] as const;
const newSession = ["model", "reasoning", "dialect"] as const;

export async function defaultModel(models: ModelSettings): Promise<string> {
  const { chooseModel } = await import("../../models/default-model.ts");
  const chosen = await chooseModel(models, process.env);
  if (chosen) return chosen.id;
  const { modelSetup } = await import("../models.ts");
  throw new ToolError("unavailable", "No model is configured", {
    hint: modelSetup(),
    details: { kind: "no-model" },
  });
}

/** Waits until the servers are ready, but not for slow ones. */
async function untilReady(sources: readonly Hub[]): Promise<void> {
  const done = new AbortController();
  // This timer keeps the process alive while it waits.
  const patience = pause(serversMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([Promise.all(sources.map((hub) => hub.ready)), patience]);
  done.abort();
}

const serversMs = 10_000;

/**
 * Stops V8's young generation from growing during a session. Node lets it grow to 128 MB, and the requests of a long
 * conversation would fill it with garbage.
 */
export function boundYoungSpace(session: Pick<Session, "on">): void {
  const stop = session.on(({ type }) => {
    if (type !== "round-start") return;
    // The module is loaded here, because nothing before the first request needs it.
    const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < enoughBytes) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    // The launcher stores compiled code then, which V8 accepts only with the same flags.
    process.prependOnceListener("exit", () => setFlagsFromString("--semi-space-growth-factor=2"));
    stop();
  });
}

const enoughBytes = 8 * 1024 ** 2;

/**
 * Asks the user at the terminal, one request at a time. Without a terminal, waits for an answer elsewhere if
 * --approval-wait-ms is given; else undefined.
 */
export function approverOn(
  screen: Screen,
  options: ReadonlyMap<string, string>,
  /** Gives the keyboard to `ask` until the question is answered. */
  withKeyboard: WithKeyboard = (ask) => ask(),
): Approve | undefined {
  const waitMs = readCount({ options, operands: [] }, "approval-wait-ms");
  if (options.has("jsonl") || !canAsk(options))
    return waitMs === undefined ? undefined : waitForOthers(waitMs);
  return (request, signal, ready) => {
    const ask = async () => {
      await ready?.();
      signal.throwIfAborted();
      const { approveOnTerminal } = await import("../approvals/ask-on-terminal.ts");
      return approveOnTerminal(request, signal);
    };
    return screen.whileAsking(() => withKeyboard(ask));
  };
}

type WithKeyboard = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

/** Asks the user at the terminal what an MCP server wants to know. Declines without a terminal. */
export function elicitorOn(
  screen: Screen,
  options: ReadonlyMap<string, string>,
  withKeyboard: WithKeyboard = (ask) => ask(),
): Elicit {
  if (options.has("jsonl") || !canAsk(options)) return declineForms((line) => remark(line));
  return (question) => {
    const ask = async () => {
      const { readLine, untilQuiet } = await import("../approvals/ask-on-terminal.ts");
      await untilQuiet(question.signal);
      const read: ReadInput = (lines, signal) => {
        remark(`${lines.join("\n")}\n`);
        return readLine("> ", signal);
      };
      return askByForm(question, read, columnsOf(2));
    };
    return screen.whileAsking(() => withKeyboard(ask));
  };
}

/** Waits until another program answers the question: `toolcrib approve`, or the console. */
function waitForOthers(waitMs: number): Approve {
  return async (_request, signal) => {
    await pause(waitMs, undefined, { signal });
    throw new ToolError("needs-approval", `No one answered within ${waitMs} ms`, {
      hint: "Continue without this call, or ask the user to allow it.",
      forUser: { hint: "To answer in time, see: toolcrib approve" },
    });
  };
}

/** Prints each warning of a session once. */
export class PrintedWarnings {
  readonly #printed = new Set<string>();

  print(warnings: readonly string[]): void {
    const fresh = warnings.filter((warning) => !this.#printed.has(warning));
    for (const warning of fresh) this.#printed.add(warning);
    remarkWarnings(fresh);
  }
}
