import { posix } from "node:path";
import type { ToolCall } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import { ToolError } from "../../contract/error.ts";
import type {
  ChangedText,
  Diagnostic,
  LanguageServer,
  LanguageServerSetting,
  LanguageServers,
  NoServer,
  ServerWanted,
} from "../../contract/language-server.ts";
import { untilAborted } from "../../lib/async/abort.ts";
import { languageFor, type ServedLanguage, type ServerProgram } from "./known-servers.ts";
import { newErrorsIn } from "./new-errors.ts";
import { PublishedDiagnostics, RunningServer } from "./running-server.ts";
import { type AskingCall, fileTimes, ServerFiles, watchFilter } from "./server-files.ts";
import { ServerProcess } from "./server-process.ts";

export interface ServersOptions {
  /** The user's own servers, by language. */
  readonly settings?: Readonly<Record<string, LanguageServerSetting>> | undefined;
  /** Whether the workspace is not on this machine. */
  readonly isElsewhere: boolean;
  /** How long a server stays without questions. Default: five minutes. */
  readonly idleMs?: number | undefined;
}

export interface OpenServers {
  forCall(call: Pick<ToolCall, "environment" | "signal" | "confinement">): LanguageServers;
  /** Ends all servers, with all their processes. */
  close(): Promise<void>;
}

/** The server of one language: none yet, one that starts, runs or has crashed. */
interface Slot {
  running: RunningServer | undefined;
  starting: Promise<RunningServer | NoServer> | undefined;
  /** The hidden files and the installed packages, which must stay the same while it runs. */
  key: string;
  /** When it crashed lately. */
  crashes: readonly number[];
  idle: NodeJS.Timeout | undefined;
}

/** Opens the language servers of a workspace. Each starts with the first question about its language. */
export function openServers(options: ServersOptions): OpenServers {
  const table = new ServerTable(options);
  return {
    forCall: (call) => ({
      serverFor: (path, wanted) => table.serverFor(path, call, wanted),
      newErrors: (changes) => table.newErrors(changes, call),
    }),
    close: () => table.close(),
  };
}

type ServerCall = AskingCall & Pick<ToolCall, "confinement">;

class ServerTable {
  readonly #options: ServersOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #closing = new AbortController();

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  async serverFor(
    path: string,
    call: ServerCall,
    { onlyRunning = false }: ServerWanted = {},
  ): Promise<LanguageServer | NoServer> {
    const language = languageFor(path, this.#options.settings ?? {});
    if (language === undefined)
      return { missing: `No language server is known for ${path}`, hint: undefined, isKnown: false };
    if (this.#options.isElsewhere) return onTarget;
    const slot = this.#slotOf(language);
    if (slot.running?.process.hasEnded) this.#noteCrash(slot);
    // A call that starts no programs has no rules to compare.
    if (onlyRunning) return slot.running?.forCall(call) ?? noneRuns;
    const key = await keyOf(call);
    if (slot.running !== undefined && slot.key !== key) await this.#end(slot);
    if (slot.running !== undefined) {
      // A question follows, so the server must not end before it.
      slot.running.onUse?.();
      return slot.running.forCall(call);
    }
    slot.crashes = recent(slot.crashes);
    if (slot.crashes.length > maxCrashes)
      return {
        missing: `The language server for ${language.name} has crashed ${slot.crashes.length} times`,
        hint: "Ask the user to fix it. Ten minutes after its crashes it is started again.",
        isKnown: true,
      };
    const isStarter = slot.starting === undefined;
    if (isStarter) slot.key = key;
    slot.starting ??= this.#start(language, slot, call).finally(() => {
      slot.starting = undefined;
    });
    try {
      const started = await untilAborted(slot.starting, call.signal);
      if (slot.key === key) return started instanceof RunningServer ? started.forCall(call) : started;
    } catch (error) {
      if (isStarter || call.signal.aborted) throw error;
    }
    // Another call has started it, which was cancelled or has other hidden files.
    return this.serverFor(path, call);
  }

  async newErrors(changes: readonly ChangedText[], { signal }: ServerCall): Promise<readonly Diagnostic[]> {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(newErrorsMs)]);
    const found: Diagnostic[] = [];
    for (const [name, { running }] of this.#slots) {
      if (running === undefined || running.process.hasEnded) continue;
      const own = changes.filter(
        ({ path }) => languageFor(path, this.#options.settings ?? {})?.name === name,
      );
      if (own.length === 0 || own.length > maxChanges) continue;
      try {
        found.push(...(await running.inTurn(bounded, () => newErrorsIn(running, own, bounded))));
      } catch (error) {
        // The edit is done, whatever the server does.
        if (!(error instanceof ToolError)) throw error;
      }
    }
    return found;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#slots.values()].map((slot) => this.#end(slot)));
  }

  #slotOf({ name }: ServedLanguage): Slot {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = { running: undefined, starting: undefined, key: "", crashes: [], idle: undefined };
    this.#slots.set(name, slot);
    return slot;
  }

  #noteCrash(slot: Slot): void {
    slot.crashes = [...recent(slot.crashes), Date.now()];
    clearTimeout(slot.idle);
    slot.running = undefined;
  }

  async #end(slot: Slot): Promise<void> {
    clearTimeout(slot.idle);
    await slot.starting?.catch(() => {});
    const { running } = slot;
    slot.running = undefined;
    await running?.process.close();
  }

  /** Starts the first program that is installed and may run. */
  async #start(language: ServedLanguage, slot: Slot, call: ServerCall): Promise<RunningServer | NoServer> {
    const { environment } = call;
    const programs = await language.programs(environment);
    if (programs.length === 0) return notInstalled(language);
    const level = (await environment.sandbox?.())?.level ?? "none";
    if (level === "none") return noSandbox;
    let reason: NoServer | undefined;
    for (const program of programs) {
      if (!(await environment.confinement?.mayRun?.(program.command, program.chosenBy))) {
        reason ??= notAllowed(program);
        continue;
      }
      try {
        const running = await this.#run(language, program, call);
        slot.running = running;
        this.#endWhenIdle(running, slot);
        return running;
      } catch (error) {
        if (!(error instanceof ToolError) || call.signal.aborted) throw error;
        if (error.details?.kind === "missing-program") continue;
        slot.crashes = [...recent(slot.crashes), Date.now()];
        reason = { missing: error.message, hint: error.hint, isKnown: true };
      }
    }
    return reason ?? notInstalled(language);
  }

  async #run(language: ServedLanguage, program: ServerProgram, call: ServerCall): Promise<RunningServer> {
    const { environment, signal } = call;
    const { workspace } = environment;
    // Before the start, so that no change is missed.
    const times = await fileTimes(watchFilter(language.watched), call);
    const process = await environment.start(program.program, {
      args: program.args,
      input: "open",
      env: { GOMEMLIMIT: `${(0.75 * maxMemory).toFixed()}` },
      leavesFiles: true,
      confinement: serverConfinement,
      signal: this.#closing.signal,
    });
    const published = new PublishedDiagnostics();
    const server = await ServerProcess.initialize(
      {
        ...{ name: program.name, workspace, process, onDiagnostics: published.receive },
        options: program.options ?? {},
        settings: program.settings ?? {},
      },
      AbortSignal.any([signal, this.#closing.signal]),
    );
    const { watched } = language;
    const languageIdOf = (path: string) => language.languageIdOf(path);
    const files = new ServerFiles(server, { workspace, watched, languageIdOf, times });
    const { hasTsserver = false } = program;
    const isServed = (path: string) => language.extensions.includes(posix.extname(path).toLowerCase());
    return new RunningServer({ process: server, files, published, workspace, isServed, hasTsserver });
  }

  #endWhenIdle(running: RunningServer, slot: Slot): void {
    const { idleMs = 5 * 60_000 } = this.#options;
    const end = () => {
      if (!running.isBusy) void this.#end(slot).catch(() => {});
    };
    running.onUse = () => {
      if (slot.running !== running) return;
      clearTimeout(slot.idle);
      slot.idle = setTimeout(end, idleMs).unref();
    };
    // It may never be asked, when the call that has started it fails.
    running.onUse();
  }
}

const maxCrashes = 3;
const crashesCountMs = 10 * 60_000;
const maxChanges = 10;
const newErrorsMs = 2_000;

/** Servers that are Go programs, such as that of TypeScript 7, collect garbage in time when they know their limit. */
const maxMemory = 2 * 1024 ** 3;

/** A server reads the workspace, writes temporary files only, connects to nothing, and uses at most 2 GB. */
const serverConfinement: Confinement = {
  readsOnly: true,
  hosts: [],
  limitsAtMost: { memoryBytes: maxMemory },
};

function recent(crashes: readonly number[]): readonly number[] {
  return crashes.filter((time) => time > Date.now() - crashesCountMs);
}

/** Returns what a running server depends on: files that rules hide from it, and the installed packages. */
async function keyOf({ environment, confinement, signal }: ServerCall): Promise<string> {
  const [packages] = await environment.modifiedTimes(["node_modules/.package-lock.json"], signal);
  return JSON.stringify([confinement?.pathsKey ?? "", packages ?? 0]);
}

/** The answer when only a running server is wanted. */
const noneRuns: NoServer = { missing: "No language server runs", hint: undefined, isKnown: false };

const onTarget: NoServer = {
  missing: "Language servers run only for workspaces on this machine",
  hint: "Use search.grep and code.symbols, which also work on targets.",
  isKnown: true,
};

const noSandbox: NoServer = {
  missing: "Language servers run only in the sandbox, and none is available",
  hint: "Ask the user to run: toolcrib doctor",
  isKnown: true,
};

function notAllowed({ name, command, chosenBy }: ServerProgram): NoServer {
  if (chosenBy === "user")
    return { missing: `A rule denies the language server: ${command}`, hint: undefined, isKnown: true };
  return {
    missing: `The language server ${name} comes with the project and may not run`,
    hint: `Ask the user to add this rule: allow run ${command}`,
    isKnown: true,
  };
}

function notInstalled({ name, install }: ServedLanguage): NoServer {
  return {
    missing: `No language server for ${name} is installed`,
    hint: `Ask the user to ${install}`,
    isKnown: true,
  };
}
