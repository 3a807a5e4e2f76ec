import { type AttachedSession, attachSession, liveSessions } from "../../agent/live/attach-session.ts";
import { type LiveHello, type LiveUpdate, socketFolder } from "../../agent/live/live-protocol.ts";
import { type RunToStart, startRun } from "../../agent/live/start-run.ts";
import { findRecorded, restoreSession } from "../../agent/records/resume.ts";
import { ToolError } from "../../contract/error.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import { FileStamps } from "../../system/policy-files.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import type { LiveEvent, SessionAction, SessionAnswer, StartRequest } from "../api.ts";
import type { ConsoleServices } from "./services.ts";
import type { Workspaces } from "./workspaces.ts";

/** The current state of an agent that can be reached. */
export type LiveView = Pick<
  LiveHello,
  "workspace" | "state" | "model" | "turns" | "cost" | "plan" | "agents"
>;

type LiveServices = Pick<ConsoleServices, "directories" | "version" | "run">;

type Watcher = (event: LiveEvent) => void;

/** The agents of this user that run in other processes, and what the user asks of them. */
export class LiveSessions {
  readonly #services: LiveServices;
  readonly #workspaces: Workspaces;
  readonly #folder: FileStamps;
  readonly #attached = new Map<string, { readonly peer: AttachedSession; view: LiveView }>();
  readonly #watchers = new Map<string, Set<Watcher>>();
  #onChange: (workspace: string) => void = () => {};
  #looking: Promise<void> | undefined;
  #hasLooked = false;

  constructor(workspaces: Workspaces, services: LiveServices) {
    this.#workspaces = workspaces;
    this.#services = services;
    this.#folder = new FileStamps([socketFolder(workspaces.state)]);
  }

  /** Calls the listener with the path of a workspace when an agent there has changed its state. */
  onChange(listener: (workspace: string) => void): void {
    this.#onChange = listener;
  }

  /** Attaches to sessions that have opened since the last call. */
  look(): void {
    if (this.#looking !== undefined || (this.#hasLooked && this.#folder.areSame)) return;
    this.#hasLooked = true;
    this.#folder.note();
    this.#looking = this.#attachNew()
      .catch((error: Error) => process.emitWarning(`Agents cannot be reached: ${error.message}`))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  get(session: string): LiveView | undefined {
    return this.#attached.get(session)?.view;
  }

  /** Calls the listener with what an agent does. Returns a function that ends this. */
  watch(session: string, listener: Watcher): () => void {
    const watchers = this.#watchers.get(session) ?? new Set();
    this.#watchers.set(session, watchers.add(listener));
    return () => {
      watchers.delete(listener);
      if (watchers.size === 0) this.#watchers.delete(session);
    };
  }

  /** Starts an agent in a process of its own, which outlives the console. */
  async start({ workspace, task, model, mode }: StartRequest): Promise<SessionAnswer> {
    return this.#run(workspace, { task, model, mode });
  }

  async act(action: SessionAction): Promise<SessionAnswer> {
    const { workspace, session, text = "" } = action;
    if (action.action === "fork") return this.#fork(action);
    const isMessage = action.action === "message";
    if (isMessage && text.trim() === "") throw new ToolError("invalid-input", "The message is empty.");
    const peer = await attachSession(session, { state: this.#workspaces.state });
    if (peer !== undefined && this.#workspaces.idOf(peer.hello.workspace) !== workspace) {
      peer.close();
      throw new ToolError("not-found", "There is no such session in this workspace.", {
        hint: "Reload the page.",
      });
    }
    if (peer === undefined) {
      if (isMessage) return this.#run(workspace, { task: text, resume: session });
      throw new ToolError("unavailable", "This session has ended, or its client cannot be steered.", {
        hint: "Send it a message to resume it.",
      });
    }
    try {
      if (isMessage) await peer.steer(text);
      else if (action.action === "interrupt") await peer.interrupt();
      else await peer.stop();
      return { workspace, session };
    } finally {
      peer.close();
    }
  }

  close(): void {
    for (const { peer } of this.#attached.values()) peer.close();
    this.#attached.clear();
  }

  async #run(workspace: string, wanted: Omit<RunToStart, "workspace">): Promise<SessionAnswer> {
    const path = this.#workspaces.folder(workspace);
    const { session } = await startRun({ ...this.#services.run, ...wanted, workspace: path });
    return { workspace, session };
  }

  /** Copies a conversation to a new session, which a message then resumes. */
  async #fork({ workspace, session, turn }: SessionAction): Promise<SessionAnswer> {
    const { directories, version } = this.#services;
    const options = {
      workspace: this.#workspaces.folder(workspace),
      stateDirectory: directories.state,
      configDirectory: directories.config,
    };
    const recorded = findRecorded({ ...options, fork: { session, ...(turn !== undefined && { turn }) } });
    if (recorded === undefined) throw new ToolError("not-found", "There is no such session.");
    const crib = await openToolcrib({ ...options, client: { kind: "console", version } });
    try {
      restoreSession(crib, recorded);
      return { workspace, session: crib.session };
    } finally {
      await crib.close();
    }
  }

  async #attachNew(): Promise<void> {
    const { state } = this.#workspaces;
    for (const { session } of await liveSessions({ state })) {
      if (this.#attached.has(session)) continue;
      const peer = await attachSession(session, { state });
      if (peer === undefined) continue;
      this.#attached.set(session, { peer, view: peer.hello });
      peer.on((update) => this.#take(session, update));
      void peer.ended.then(() => {
        this.#attached.delete(session);
        this.#tell(session, { type: "state", state: "closed" });
        this.#onChange(peer.hello.workspace);
      });
      this.#onChange(peer.hello.workspace);
    }
  }

  #take(session: string, update: LiveUpdate): void {
    const found = this.#attached.get(session);
    if (found === undefined) return;
    if (update.type === "text" || update.type === "output") {
      const { type, id, text } = update;
      this.#tell(session, { type, id, text: redactText(text) });
      return;
    }
    if (update.type === "recorded") {
      this.#tell(session, update);
      return;
    }
    const { type, ...news } = update;
    found.view = { ...found.view, ...news };
    if (update.type === "state") this.#tell(session, { type: "state", state: update.state });
    this.#onChange(found.view.workspace);
  }

  #tell(session: string, event: LiveEvent): void {
    for (const watcher of this.#watchers.get(session) ?? []) watcher(event);
  }
}
