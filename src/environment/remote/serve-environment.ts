import type {
  Announcing,
  Directory,
  EntryChange,
  Environment,
  FileChange,
  Reaching,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { packSnapshot } from "../../engine/environment/effects/pack-snapshot.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { readMany } from "../../lib/files-reader.ts";
import type { AttackedMachine } from "../../sandbox/proof/prove-boundary.ts";
import type { Channel } from "./channel.ts";
import { badMessage } from "./message.ts";
import { Peer } from "./peer.ts";
import {
  clientNotes,
  type Greeting,
  type MethodName,
  methods,
  optionalMethods,
  type Params,
  type Result,
  type SentDirectory,
} from "./protocol.ts";
import { ServedEffects } from "./serve-effects.ts";
import { type RevivePathRules, ServedProcesses } from "./serve-processes.ts";

export interface ServeOptions {
  /** Turns rules about paths into functions. Without it, commands with such rules are refused. */
  readonly pathRules?: RevivePathRules | undefined;
  /** Implement the methods of Environment of the same names on any environment. */
  readonly walk?: Whole<"walk"> | undefined;
  readonly search?: Whole<"search"> | undefined;
  readonly list?: Whole<"list"> | undefined;
  /** The machine that `doctor` attacks. */
  readonly attacked?: AttackedMachine | undefined;
}

type Whole<Name extends "walk" | "search" | "list"> = (
  environment: Environment,
  ...wanted: Parameters<NonNullable<Environment[Name]>>
) => ReturnType<NonNullable<Environment[Name]>>;

/**
 * Gives the other side of a channel the use of an environment. Resolves when it has closed, and rejects when the channel
 * is lost. The environment is closed then, which ends its processes.
 */
export async function serveEnvironment(
  environment: Environment,
  channel: Channel,
  options: ServeOptions = {},
): Promise<void> {
  const served = new ServedEnvironment(environment, channel, options);
  try {
    await served.run();
  } finally {
    served.close();
    await environment.close();
  }
}

interface Call {
  readonly id: number;
  readonly signal: AbortSignal;
}

type Handlers = {
  readonly [Name in MethodName]: (params: Params<Name>, call: Call) => Promise<Result<Name>>;
};

class ServedEnvironment {
  readonly #environment: Environment;
  readonly #peer: Peer;
  readonly #options: ServeOptions;
  readonly #processes: ServedProcesses;
  readonly #directories = new Leases();
  readonly #effects: ServedEffects;

  constructor(environment: Environment, channel: Channel, options: ServeOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#peer = new Peer(channel, {
      call: (method, value, call) => this.#answer(method, value, call),
      note: (method, value) => this.#note(method, value),
      maxBytes: 256 * 1024 * 1024,
      maxCalls: 10_000,
    });
    this.#processes = new ServedProcesses(environment, this.#peer, options.pathRules);
    this.#effects = new ServedEffects(environment);
  }

  async run(): Promise<void> {
    const { workspace, home, ownDirectories, recovered, machine, runsPrograms = true } = this.#environment;
    const has = (name: (typeof optionalMethods)[number]) =>
      (isWhole(name) ? this.#options[name] : this.#environment[name]) !== undefined;
    const greeting: Greeting = {
      ...{ workspace, home, ownDirectories, recovered, machine, runsPrograms },
      abilities: optionalMethods.filter(has),
    };
    void this.#peer.note("greeting", greeting).catch(() => {});
    await this.#peer.run();
  }

  close(): void {
    this.#directories.closeAll();
    this.#processes.close();
  }

  #answer(method: string, value: unknown, call: Call): Promise<unknown> {
    if (!Object.hasOwn(methods, method)) throw badMessage("a call has an unknown method");
    const name = method as MethodName;
    const params = (methods[name].params as (value: unknown, at: string) => never)(value, method);
    return this.#handlers[name](params, call);
  }

  #note(method: string, value: unknown): void {
    if (!Object.hasOwn(clientNotes, method)) throw badMessage("a message has an unknown name");
    const name = method as keyof typeof clientNotes;
    const params = clientNotes[name](value, method);
    if (name === "closeDirectory") this.#directories.close((params as { directory: number }).directory);
    else this.#processes.note(name, params as { process: number });
  }

  readonly #handlers: Handlers = {
    realPath: ({ path }) => this.#environment.realPath(path),
    pathOutsideSeenByCommands: async ({ path }) => ({
      real: await this.#environment.pathOutsideSeenByCommands?.(path),
    }),
    info: ({ path, followLinks }) => this.#environment.info(path, { followLinks }),
    readFile: async ({ path, maxBytes, hashAbove = Infinity }, { signal }) => {
      const { bytes, ...rest } = await reading((reaching) =>
        this.#environment.readFile(path, { maxBytes, signal, ...reaching }),
      );
      return bytes.length > hashAbove ? { ...rest, hash: contentHash(bytes) } : { ...rest, bytes };
    },
    readBytes: ({ path, offset, length }) =>
      reading(async (reaching) => ({
        bytes: await this.#environment.readBytes(path, { offset, length, ...reaching }),
      })),
    readLines: ({ path, ...range }, { signal }) =>
      reading((reaching) => this.#environment.readLines(path, { ...range, ...reaching }, signal)),
    writeFile: ({ path, content, announces, ...options }, call) =>
      this.#environment.writeFile(path, content, { ...options, ...this.#changing(announces, call) }),
    delete: async ({ path, announces, recursive }, call) => {
      await this.#environment.delete(path, { recursive, ...this.#changing(announces, call) });
      return undefined;
    },
    move: async ({ from, to, announces, replace }, call) => {
      await this.#environment.move(from, to, { replace, ...this.#changing(announces, call) });
      return undefined;
    },
    change: ({ changes, announces, durable }, call) =>
      this.#environment.change(changes as readonly FileChange[], {
        durable,
        ...this.#changing(announces, call),
      }),
    state: ({ path }, { signal }) => this.#environment.state(path, { signal }),
    changeEntry: async ({ path, announces, before, after }, call) => {
      const change = { before, after } as EntryChange;
      await this.#environment.changeEntry(path, change, this.#changing(announces, call));
      return undefined;
    },
    modifiedTimes: async ({ paths }, { signal }) => {
      const times = await this.#environment.modifiedTimes(paths, signal);
      return Float64Array.from(times, (time) => time ?? Number.NaN);
    },
    listEntries: async (_, { signal }) => {
      if (this.#environment.listEntries === undefined) throw lacks("list of entries");
      const { leftOut, ...packed } = packSnapshot(await this.#environment.listEntries({ signal }));
      return { ...packed, leftOut: leftOut.map(([path, why]) => ({ path, why })) };
    },
    watchEffects: (wanted, { signal }) => this.#effects.watch({ ...wanted, signal }),
    resumeEffects: ({ id, without }) => this.#effects.resume(id, without),
    keepEffects: (params) => this.#effects.keep(params),
    endEffects: ({ watch }) => this.#effects.end(watch),
    discardEffects: (params) => this.#effects.discard(params),
    walk: async ({ directory, ...options }, { signal }) => {
      const walk = this.#options.walk;
      if (walk === undefined) throw lacks("walk");
      const { paths, failed } = await walk(this.#environment, directory, { ...options, signal });
      return { paths: Buffer.from(paths.map((path) => `${path}\0`).join("")), failed };
    },
    readFiles: async ({ paths, known: hashes, hashAbove = Infinity, ...limits }, { signal }) => {
      const known = hashes && new Map(paths.map((path, index) => [path, hashes[index] ?? ""]));
      const results = await readMany(this.#environment, paths, { ...limits, known, signal });
      return results.map((result) =>
        typeof result !== "string" && result.length > hashAbove ? { hash: contentHash(result) } : result,
      );
    },
    search: async ({ wanted, without }, { signal }) => {
      const { search } = this.#options;
      if (search === undefined) throw lacks("search");
      return (await search(this.#environment, wanted, { without, signal })) as Result<"search">;
    },
    list: async (wanted, { signal }) => {
      const { list } = this.#options;
      if (list === undefined) throw lacks("list");
      return list(this.#environment, wanted, signal);
    },
    openDirectory: async ({ path, as }) => this.#lease(as, await this.#environment.openDirectory(path)),
    openChild: async ({ directory, name, as }) =>
      this.#lease(as, await this.#directories.get(directory).openDirectory(name)),
    entries: ({ directory }) => this.#directories.get(directory).entries(),
    infoOfEntry: ({ directory, name }) => this.#directories.get(directory).info(name),
    readEntry: ({ directory, name, maxBytes }) => this.#directories.get(directory).readFile(name, maxBytes),
    ignoreFilesOutside: async () => this.#environment.ignoreFilesOutside?.() ?? [],
    sandbox: async () => {
      if (this.#environment.sandbox === undefined) throw lacks("sandbox");
      return this.#environment.sandbox();
    },
    prepareAttack: ({ promise }) => this.#attacked.prepare(promise),
    judgeAttack: ({ promise }) => this.#attacked.judge(promise),
    start: (params, { signal }) => this.#processes.start(params, signal),
    runCommand: (params) => this.#processes.runCommand(params),
    write: async ({ process, bytes }) => {
      await this.#processes.get(process).write(bytes);
      return undefined;
    },
    waitsForInput: ({ process }) => this.#processes.get(process).waitsForInput(),
    answers: async ({ process, port, url }, { signal }) => {
      const options = { url: url === undefined ? undefined : new URL(url), signal };
      return this.#processes.get(process).answers(port, options);
    },
    settle: async ({ process }) => this.#processes.get(process).settle?.() ?? [],
    uncovered: async ({ process }) => this.#processes.get(process).uncovered?.(),
    exchange: async ({ url, ...request }, { signal }) => {
      if (this.#environment.exchange === undefined) throw lacks("exchange");
      // Without `mayConnect`, only a server of a command answers.
      const { isFromInside: _, ...answer } = await this.#environment.exchange({
        ...request,
        url: new URL(url),
        signal,
      });
      return answer;
    },
  };

  get #attacked(): AttackedMachine {
    if (this.#options.attacked === undefined) throw lacks("machine to attack");
    return this.#options.attacked;
  }

  /** The client records a change before it is made, and may refuse it. */
  #changing(announces: boolean, { id, signal }: Call): Announcing & { readonly signal: AbortSignal } {
    if (!announces) return { signal };
    const announce: Announcing["announce"] = async (effects) => {
      await this.#peer.call("announce", { call: id, effects }, { signal });
    };
    return { signal, announce };
  }

  async #lease(id: number, directory: Directory): Promise<SentDirectory> {
    this.#directories.add(id, directory);
    // A directory that may be opened but not read fails when its entries are asked for.
    const entries = await directory.entries().catch(none);
    const { path, realPath } = directory;
    return { path, realPath, entries: (entries?.length ?? 0) <= fewEntries ? entries : undefined };
  }
}

function isWhole(name: (typeof optionalMethods)[number]): name is "walk" | "search" | "list" {
  return name === "walk" || name === "search" || name === "list";
}

const none = () => undefined;

/** Adds the real path of what was read, so that the client can check it before it uses the content. */
async function reading<Content extends object>(
  read: (reaching: Required<Reaching>) => Promise<Content>,
): Promise<Content & { readonly realPath: string }> {
  let realPath: string | undefined;
  const content = await read({
    reached: (path) => {
      realPath = path;
    },
  });
  if (realPath === undefined) throw lacks("real path for what it read");
  return { ...content, realPath };
}

/** The open directories of a client, which may forget to close them. */
class Leases {
  readonly #open = new Map<number, { readonly directory: Directory; usedMs: number }>();

  add(id: number, directory: Directory): void {
    const now = monotonicMs();
    // The map begins with those that were not used for longest.
    for (const [other, { usedMs }] of this.#open)
      if (this.#open.size >= maxDirectories || now - usedMs > unusedMs) this.close(other);
      else break;
    this.close(id);
    this.#open.set(id, { directory, usedMs: now });
  }

  get(id: number): Directory {
    const lease = this.#open.get(id);
    if (lease === undefined)
      throw new ToolError("unavailable", "The directory is no longer open on the target", {
        hint: "Repeat the call.",
      });
    this.#open.delete(id);
    lease.usedMs = monotonicMs();
    this.#open.set(id, lease);
    return lease.directory;
  }

  close(id: number): void {
    this.#open.get(id)?.directory.close();
    this.#open.delete(id);
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }
}

/** So many entries are sent with the answer that a directory is open. */
const fewEntries = 200;
const maxDirectories = 500;
const unusedMs = 10 * 60_000;

function lacks(ability: string): ToolError {
  return new ToolError("unsupported", `The environment on the target has no ${ability}`);
}
