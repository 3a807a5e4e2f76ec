import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type CreateSessionOptions, createSession } from "../../../src/agent/create-session.ts";
import type { AgentEvent, TurnResult } from "../../../src/agent/event.ts";
import type { Session } from "../../../src/agent/session.ts";
import type {
  ProviderOptions,
  ProviderServer,
  ScriptedReply,
  SeenRequest,
} from "../../providers/provider-server.ts";
import { started } from "../../providers/started.ts";
import { checkHistory } from "../../support/check-history.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Side } from "./sides.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The model's replies, in the names of its dialect: one per request, or by the content of the request. */
export type Play =
  | ((words: Vocabulary) => readonly ScriptedReply[])
  | ((words: Vocabulary) => (request: SeenRequest) => ScriptedReply | Promise<ScriptedReply>);

export interface StageOptions
  extends Pick<
    CreateSessionOptions,
    "limits" | "reasoning" | "approve" | "mode" | "dialect" | "protocol" | "sandbox"
  > {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly chunks?: ProviderOptions["chunks"];
  /** The models of the provider; the first is used. Default: its own list. */
  readonly served?: readonly string[];
}

/** A session in a temporary workspace, with a model of one side. */
export interface Stage {
  readonly session: Session;
  readonly server: ProviderServer;
  readonly events: readonly AgentEvent[];
  readonly words: Vocabulary;
  /** The names of all files of the workspace. */
  files(): readonly string[];
  file(path: string): string;
  /**
   * Runs a turn with its follow-ups and returns the outcome. Checks that no rule of the provider was broken and that
   * the session can continue.
   */
  ask(text: string): Promise<Outcome>;
  /** Closes the session and resumes it from its records. */
  reopen(): Promise<void>;
  /** The answers to the calls of the conversation. */
  answers(): readonly string[];
}

/** The result of a turn without its cost. */
export type Outcome = Omit<TurnResult, "usage" | "cost">;

export async function openStage(side: Side, play: Play, options: StageOptions = {}): Promise<Stage> {
  const { files = {}, chunks = "events", served, ...sessionOptions } = options;
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  for (const [path, content] of Object.entries(files)) writeFileSync(join(workspace, path), content);
  const words = side.words(workspace);
  const script = play(words);
  const server = await started(
    side.kind,
    typeof script === "function"
      ? async (request) => side.writes(await script(request))
      : script.map((reply) => side.writes(reply)),
    { chunks, ...(served && { models: served }) },
  );
  const open = (more: CreateSessionOptions = {}) =>
    createSession({
      workspace,
      model: server.model,
      models: server.settings,
      protocol: side.protocol,
      mode: "yolo",
      // Opening a sandbox costs more than the whole conversation; `commands.test.ts` uses one with every side.
      sandbox: "none",
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      ...sessionOptions,
      limits: { retryWaitMs: 20, ...sessionOptions.limits },
      ...more,
    });
  let session = await open();
  onTestFinished(async () => {
    await session.close();
    await folder[Symbol.asyncDispose]();
  });
  const events: AgentEvent[] = [];
  session.on((event) => events.push(event));
  return {
    get session() {
      return session;
    },
    server,
    events,
    words,
    files: () => readdirSync(workspace),
    file: (path) => readFileSync(join(workspace, path), "utf8"),
    reopen: async () => {
      await session.close();
      session = await open({ resume: session.id });
      session.on((event) => events.push(event));
    },
    ask: async (text) => {
      const turn = session.run(text);
      for await (const _ of turn);
      const { usage, cost, ...outcome } = await turn.result;
      expect(server.breaches).toEqual([]);
      expect(checkHistory(session.messages)).toEqual([]);
      return outcome;
    },
    answers: () =>
      session.messages.flatMap((message) =>
        message.role === "tool" ? message.answers.map(({ content }) => content) : [],
      ),
  };
}

/** The outcome of a turn that completed. */
export function completed(text: string, counts: { rounds: number; calls: number; turn?: number }): Outcome {
  return { turn: 1, outcome: "completed", text, error: null, ...counts };
}
