import { safeParse } from "zod/v4/core";
import { ToolError } from "../contract/error.ts";
import type { ToolSource } from "../contract/source.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { FoundTools } from "../contract/tool-finder.ts";
import { catalog } from "../tools/catalog.ts";
import type { ToolDefinition } from "./definition.ts";
import type { Dialect, DialectTool, OfferedTool, ResolvedCall } from "./dialect.ts";
import { findTool, selectTools } from "./find-tool.ts";
import { rename } from "./rename.ts";
import { fieldWordingFor, namesOf, type Wording, wordingFor } from "./wording.ts";

export interface ToolsetOptions {
  /** Own tools: the last of a name replaces all others that have it, also the dialect's. */
  readonly own?: readonly AnyTool[];
  /** Tools from elsewhere: what is already there keeps its name. */
  readonly sources?: readonly ToolSource[];
  /** Only these, as `selectTools` reads them; the dialect's choice of what is listed, and all the others on demand, if not said. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether `allowed` may name tools that are not here: those of a room in which others have more. */
  readonly mayLack?: boolean | undefined;
  /** Only tools that change nothing. */
  readonly readOnly?: boolean | undefined;
  /** Nobody is told of these: rules deny whatever they would do. By their canonical name. */
  readonly isDenied?: (tool: Pick<OfferedTool, "name" | "risk" | "server">) => boolean;
  /** What the room has, for tools that need it. */
  readonly has?: ReadonlySet<NonNullable<DialectTool["needs"]>>;
}

/** The tools on offer: a dialect's, own ones and those of other servers, loaded when first wanted. */
export class Toolset {
  readonly #dialect: Dialect;
  readonly #options: ToolsetOptions;
  /** Listed although the dialect does not list them at once: a model has found them. */
  readonly #found = new Set<string>();
  /** Listed although no dialect knows them: own tools, and those of other servers unless they are many. */
  #foreign: ReadonlySet<string> = new Set();
  /** Those of other servers, when they are many: they have to be found. */
  #hidden: ReadonlySet<string> = new Set();
  readonly #listeners = new Set<() => void>();
  readonly #loading = new WeakMap<DialectTool, Promise<OfferedTool>>();
  #tools: readonly DialectTool[] = [];
  #wording: Wording = (text) => text;

  constructor(dialect: Dialect, options: ToolsetOptions = {}) {
    this.#dialect = dialect;
    this.#options = options;
    this.#fill();
    for (const source of options.sources ?? [])
      source.onChange(() => {
        this.#fill();
        this.#tell();
      });
  }

  /** Calls `listener` after each change of what is listed; the answer stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What models are told of, or all that can be called. */
  async definitions(which: "listed" | "all" = "listed"): Promise<readonly ToolDefinition[]> {
    const { defineTools } = await import("./definition.ts");
    const canFind = this.#tools.some((tool) => !this.#isListedAtOnce(tool));
    const wanted = this.#tools
      .filter((tool) => which === "all" || this.#isListed(tool))
      .filter(({ canonical }) => canFind || !isFinder(canonical));
    return defineTools(await this.#loadAll(wanted), this.#wording);
  }

  /** Of the tools that are not listed at once, those that a few words are about; they are listed from then on. */
  async search(query: string, { limit }: { readonly limit: number }): Promise<FoundTools> {
    const [{ defineTools }, { rankTools }] = await Promise.all([
      import("./definition.ts"),
      import("./rank-tools.ts"),
    ]);
    const hidden = await this.#loadAll(this.#tools.filter((tool) => !this.#isListedAtOnce(tool)));
    const ranked = rankTools(defineTools(hidden, this.#wording), query).slice(0, limit);
    this.list(ranked.map(({ name }) => name));
    const tools = ranked.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return { tools, hidden: hidden.length };
  }

  /** Lists these from now on. */
  list(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.#found.has(name));
    if (fresh.length === 0) return;
    for (const name of fresh) this.#found.add(name);
    this.#tell();
  }

  /**
   * The call that is meant, of a tool by its name in the dialect or its canonical name; it answers to the one it was called
   * by. For a name nobody has, and for arguments that do not fit, a call that says so at the counter.
   */
  async find(name: string, given: unknown): Promise<ResolvedCall> {
    try {
      const offered = await this.#load(await this.#named(name));
      if (!this.#isAllowed(offered)) throw onlyReading(name);
      const inner = offered.canonical === "tools.call" ? this.#namedIn(given) : undefined;
      if (inner) return await this.find(inner.name, inner.arguments ?? {});
      const { tool, input } = meaningOf(offered, given);
      // Who calls it by our name for it knows the others by theirs.
      const isOurName = name === tool.canonical && name in catalog;
      const wording = isOurName ? undefined : this.#wordingIn(offered, tool);
      return { tool: { ...tool, name, ...(wording && { wording }) }, input };
    } catch (error) {
      return { tool: await absentTool(name, error as ToolError), input: given };
    }
  }

  /** Who names none is told of those that can be called. */
  async #named(name: string): Promise<DialectTool> {
    try {
      return findTool(this.#tools, name, this.#dialect);
    } catch (error) {
      if (!this.#options.readOnly) throw error;
      const areAllowed = await Promise.all(
        this.#tools.map(async (tool) => this.#isAllowed(await this.#load(tool))),
      );
      return findTool(
        this.#tools.filter((_, index) => areAllowed[index]),
        name,
      );
    }
  }

  /** The call that a call of `tools.call` is for, unless that is itself; what it has too many is for the counter to tell. */
  #namedIn(given: unknown): InnerCall | undefined {
    const { name, arguments: _, ...others } = (given ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== "string" || Object.keys(others).length > 0) return undefined;
    const named = this.#tools.find((tool) => tool.name === name || tool.canonical === name);
    return named?.canonical === "tools.call" ? undefined : (given as InnerCall);
  }

  /** What names tools and fields as we do, in the words of the dialect. */
  #wordingIn(offered: OfferedTool, tool: AnyTool): Wording {
    if (offered.takesCanonical) return this.#wording;
    const inFields = fieldWordingFor(offered, tool);
    return (text) => this.#wording(inFields(text));
  }

  async #loadAll(tools: readonly DialectTool[]): Promise<readonly OfferedTool[]> {
    const loaded = await Promise.all(tools.map((tool) => this.#load(tool)));
    return loaded.filter((tool) => this.#isAllowed(tool) && !this.#isDenied(tool));
  }

  #load(tool: DialectTool): Promise<OfferedTool> {
    const loading = this.#loading.get(tool) ?? tool.load();
    this.#loading.set(tool, loading);
    return loading;
  }

  #isDenied({
    name: offered,
    canonical = offered,
    ownName: name = canonical,
    risk,
    server,
  }: OfferedTool): boolean {
    return this.#options.isDenied?.({ name, risk, ...(server !== undefined && { server }) }) ?? false;
  }

  #isAllowed({ risk }: OfferedTool): boolean {
    return !this.#options.readOnly || risk === "read";
  }

  #isListed(tool: DialectTool): boolean {
    return this.#found.has(tool.name) || this.#isListedAtOnce(tool);
  }

  #isListedAtOnce({ name, canonical }: DialectTool): boolean {
    const { listed } = this.#dialect;
    if (this.#options.allowed !== undefined || this.#foreign.has(name) || isFinder(canonical)) return true;
    if (this.#hidden.has(name)) return false;
    return listed === undefined || listed.includes(canonical) || listed.includes(name);
  }

  #fill(): void {
    const { own = [], sources = [], allowed, mayLack = false, has } = this.#options;
    const tools = new NamedTools(this.#dialect);
    for (const tool of this.#dialect.tools)
      if (tool.needs === undefined || has?.has(tool.needs)) tools.put(tool);
    const ours = own.map(offer);
    for (const tool of ours) tools.put(tool);
    const known = [...this.#dialect.tools, ...(this.#dialect.aliases ?? []), ...ours, ...finders];
    const taken = new Set(known.map(({ name }) => name.toLowerCase()));
    const offered = sources.flatMap((source) => source.tools);
    const theirs = offered.map((tool) => offerBeside(taken, tool)).filter((tool) => tool !== undefined);
    for (const tool of theirs) tools.put(tool);
    const hidden = areMany(offered) ? theirs : [];
    this.#hidden = new Set(hidden.map(({ name }) => name));
    this.#foreign = new Set(
      [...ours, ...theirs].map(({ name }) => name).filter((name) => !this.#hidden.has(name)),
    );
    const all = hidden.length > 0 ? withFinders(tools.all) : tools.all;
    this.#tools =
      allowed === undefined
        ? all
        : selectTools(all, allowed, { ...this.#dialect, more: mayLack || sources.length > 0 });
    this.#wording = wordingFor(namesOf(this.#tools), (name) => name in catalog);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Of other servers' tools: whether they would cost a model more than they help. */
function areMany(tools: readonly AnyTool[]): boolean {
  if (tools.length > maxListedOfOthers) return true;
  const chars = tools.map(({ summary, input }) => {
    const schema = input._zod.toJSONSchema?.();
    return summary.length + (schema === undefined ? 0 : JSON.stringify(schema).length);
  });
  return chars.reduce((sum, each) => sum + each, 0) > maxCharsOfOthers;
}

const maxListedOfOthers = 20;
// About 15 000 tokens.
const maxCharsOfOthers = 60_000;

function meaningOf(offered: OfferedTool, given: unknown): ResolvedCall {
  if (offered.takesCanonical) return offered.resolve(given);
  const parsed = safeParse(offered.input, given);
  if (parsed.success) return offered.resolve(parsed.data);
  const { name, canonical, summary, risk, input } = offered;
  const limits = { maxChars: 1_000, keep: "head" } as const;
  return {
    tool: { name, canonical: canonical ?? name, summary, risk, input, limits, accesses: never, run: never },
    input: given,
  };
}

interface InnerCall {
  readonly name: string;
  readonly arguments?: unknown;
}

function isFinder(canonical: string): boolean {
  return canonical === "tools.find" || canonical === "tools.call";
}

/** A dialect that has no way to find tools gets ours. */
function withFinders(tools: readonly DialectTool[]): readonly DialectTool[] {
  return [
    ...tools,
    ...finders.filter(({ canonical }) => !tools.some((tool) => tool.canonical === canonical)),
  ];
}

const finders = [rename("tools.find", { name: "tools_find" }), rename("tools.call", { name: "tools_call" })];

/** Stands where the counter never comes: the arguments do not fit. */
function never(): never {
  throw new Error("arguments that did not fit went on");
}

/** Providers refuse dots, so an own tool is offered without them, as the default dialect's are. */
function offer(tool: AnyTool): DialectTool {
  const name = tool.name.replaceAll(".", "_");
  const canonical = tool.canonical ?? tool.name;
  const named = { ...tool, name, canonical };
  const resolve = (input: unknown) => ({ tool: named, input });
  return { name, canonical, load: async () => ({ ...named, takesCanonical: true as const, resolve }) };
}

/**
 * What is there keeps its name, and all that a model might take for it: then a tool from elsewhere is offered by its long
 * one, "server__tool".
 */
function offerBeside(taken: Set<string>, tool: AnyTool): DialectTool | undefined {
  const names = [tool, { ...tool, name: tool.canonical ?? tool.name }].map(offer);
  const free = names.find(({ name }) => !taken.has(name.toLowerCase()));
  if (free) taken.add(free.name.toLowerCase());
  return free;
}

/** One tool a name: where calls ignore case, names that differ in nothing else are the same. */
class NamedTools {
  readonly #tools = new Map<string, DialectTool>();
  readonly #keyOf: (name: string) => string;

  constructor({ ignoresCase }: Pick<Dialect, "ignoresCase">) {
    this.#keyOf = ignoresCase ? (name) => name.toLowerCase() : (name) => name;
  }

  get all(): readonly DialectTool[] {
    return [...this.#tools.values()];
  }

  put(tool: DialectTool): void {
    this.#tools.set(this.#keyOf(tool.name), tool);
  }
}

function onlyReading(name: string): ToolError {
  return new ToolError("denied", `Denied: ${name} may change something, and this room only reads`, {
    hint: "Use tools that only read.",
  });
}

/** Stands in at the counter, so that also a call of nothing is announced and recorded. */
async function absentTool(name: string, error: ToolError): Promise<AnyTool> {
  const { unknown } = await import("zod/mini");
  const refuse = () => {
    throw error;
  };
  const limits = { maxChars: 1_000, keep: "head" } as const;
  return { name, summary: "", risk: "read", input: unknown(), limits, accesses: refuse, run: refuse };
}
