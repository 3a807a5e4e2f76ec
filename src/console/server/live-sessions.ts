import { setTimeout as pause } from "node:timers/promises";
import { type AttachedSession, attachSession, attachSocket } from "../../agent/live/attach-session.ts";
import { type LiveHello, type LiveUpdate, socketFolder } from "../../agent/live/live-protocol.ts";
import { type RunToStart, startRun } from "../../agent/live/start-run.ts";
import { findRecorded, restoreSession } from "../../agent/records/resume.ts";
import { ToolError } from "../../contract/error.ts";
import { RedactedStream } from "../../policy/redaction/redact.ts";
import { FileStamps } from "../../system/policy-files.ts";
import { socketNames } from "../../system/private-socket.ts";
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

interface Attached {
  /** The name of its socket. */
  readonly socket: string;
  readonly peer: AttachedSession;
  view: LiveView;
  /** Texts that arrive in pieces. A secret may be split between two. */
  readonly texts: Map<string, RedactedStream>;
}

/** The agents of this user that run in other processes, and what the user asks of them. */
export class LiveSessions {
  readonly #services: LiveServices;
  readonly #workspaces: Workspaces;
  readonly #folder: FileStamps;
  readonly #attached = new Map<string, Attached>();
  readonly #watchers = new Map<string, Set<Watcher>>();
  #onChange: (workspace: string) => void = () => {};
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  #isClosed = false;

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
      if (isMessage) {
        if (!(await steerUnlessEnding(peer, text)))
          return this.#run(workspace, { task: text, resume: session });
      } else if (action.action === "interrupt") await peer.interrupt();
      else await peer.stop();
      return { workspace, session };
    } finally {
      peer.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { peer } of this.#attached.values()) peer.close();
    this.#attached.clear();
  }

  async #run(workspace: string, wanted: Omit<RunToStart, "workspace" | "target">): Promise<SessionAnswer> {
    const place = this.#workspaces.place(workspace);
    const { session } = await startRun({ ...this.#services.run, ...wanted, ...place });
    return { workspace, session };
  }

  /** Copies a conversation to a new session, which a message then resumes. */
  async #fork({ workspace, session, turn }: SessionAction): Promise<SessionAnswer> {
    const { directories, version } = this.#services;
    const options = {
      ...this.#workspaces.place(workspace),
      stateDirectory: directories.state,
      configDirectory: directories.config,
    };
    const recorded = await findRecorded({ ...options, fork: { session, turn } });
    if (recorded === undefined) throw new ToolError("not-found", "There is no such session.");
    const crib = await openToolcrib({ ...options, client: { kind: "console", version } });
    try {
      await restoreSession(crib, recorded, crib.conversations);
      return { workspace, session: crib.session };
    } finally {
      await crib.close();
    }
  }

  async #attachNew(): Promise<void> {
    const folder = socketFolder(this.#workspaces.state);
    const known = new Set([...this.#attached.values()].map(({ socket }) => socket));
    const found = socketNames(folder).filter((name) => !known.has(name));
    await Promise.all(
      found.map(async (socket) => {
        const peer = await attachSocket(folder, socket);
        if (peer !== undefined) this.#attach(socket, peer);
        // A process that is busy is asked again with the next look.
        else if (socketNames(folder).includes(socket)) this.#hasLooked = false;
      }),
    );
  }

  #attach(socket: string, peer: AttachedSession): void {
    const { session, workspace } = peer.hello;
    if (this.#isClosed || this.#attached.has(session)) {
      peer.close();
      return;
    }
    this.#attached.set(session, { socket, peer, view: peer.hello, texts: new Map() });
    peer.on((update) => this.#take(session, update));
    void peer.ended.then(() => {
      this.#attached.delete(session);
      this.#tell(session, { type: "state", state: "closed" });
      this.#onChange(workspace);
    });
    this.#onChange(workspace);
  }

  #take(session: string, update: LiveUpdate): void {
    const found = this.#attached.get(session);
    if (found === undefined) return;
    if (update.type === "text" || update.type === "output") {
      const { type, id } = update;
      const key = JSON.stringify([type, update.agent, id]);
      const stream = found.texts.get(key) ?? new RedactedStream();
      found.texts.set(key, stream);
      const text = stream.push(update.text);
      if (text !== "") this.#tell(session, { type, id, text });
      return;
    }
    // The rest of each text is shown with the recorded items.
    if (update.type === "state" && update.state === "idle") found.texts.clear();
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

/**
 * Sends a message. Returns false when the session has refused it because it ends: on a target, it takes a moment to close.
 * A message that the session may have accepted is not sent again.
 */
async function steerUnlessEnding(peer: AttachedSession, text: string): Promise<boolean> {
  try {
    await peer.steer(text);
    return true;
  } catch (error) {
    if (error instanceof ToolError && error.details?.kind === "unanswered-command") throw error;
    const hasEnded = peer.ended.then(() => true);
    if (await Promise.race([hasEnded, pause(endingMs, false, { ref: false })])) return false;
    throw error;
  }
}

const endingMs = 3000;
