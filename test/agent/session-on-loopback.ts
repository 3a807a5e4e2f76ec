import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type CreateSessionOptions, createSession } from "../../src/agent/create-session.ts";
import type { AgentEvent } from "../../src/agent/event.ts";
import type { Session } from "../../src/agent/session.ts";
import type { ProviderKind, ProviderOptions, ProviderServer, Script } from "../providers/provider-server.ts";
import { startProvider } from "../providers/start-provider.ts";

export interface LoopbackOptions extends CreateSessionOptions {
  /** Default: `openai`. */
  readonly kind?: ProviderKind;
  readonly server?: ProviderOptions;
  /** The files of its workspace. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface LoopbackSession {
  readonly session: Session;
  readonly server: ProviderServer;
  readonly workspace: string;
  /** All events so far. */
  readonly events: readonly AgentEvent[];
  /** Opens another session in the same workspace. */
  again(options: CreateSessionOptions): Promise<Session>;
  /** Closes everything. Returns the faults that the provider found in our requests. */
  close(): Promise<readonly string[]>;
}

/** A session in a temporary folder, with a provider on this machine that follows the script. */
export async function sessionOnLoopback(
  script: Script,
  { kind = "openai", server: served, files = {}, ...options }: LoopbackOptions = {},
): Promise<LoopbackSession> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "agent session ")));
  // Also of a session that cannot be created, and of a test that fails.
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const workspace = options.workspace ?? (await mkdtemp(join(folder, "work")));
  for (const [path, text] of Object.entries(files)) await writeFile(join(workspace, path), text);
  const server = await startProvider(kind, script, served);
  const folders = {
    workspace,
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
  };
  const base = { model: server.model, models: server.settings, mode: "yolo", sandbox: "none" } as const;
  const sessions: Session[] = [];
  const again = async (more: CreateSessionOptions) => {
    const session = await createSession({ ...base, ...folders, ...options, ...more });
    sessions.push(session);
    return session;
  };
  const session = await again({});
  const events: AgentEvent[] = [];
  session.on((event) => events.push(event));
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    await Promise.all(sessions.map((each) => each.close()));
    await server.close();
  };
  const close = async () => {
    closing ??= closeAll();
    await closing;
    return server.breaches;
  };
  onTestFinished(async () => void (await close()));
  return { session, server, workspace, events, again, close };
}

/** Events without fields that differ each time. */
export function plain(events: readonly AgentEvent[]): readonly object[] {
  return events.map(({ session: _, at: __, ...event }) => event);
}
