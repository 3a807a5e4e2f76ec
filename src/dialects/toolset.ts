import { safeParse } from "zod/v4/core";
import { ToolError } from "../contract/error.ts";
import type { AnyTool, FoundTools, ToolSource } from "../contract/tool.ts";
import { Listeners } from "../lib/async/listeners.ts";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { type CanonicalName, catalog } from "../tools/catalog.ts";
import type { ToolDefinition } from "./definition.ts";
import type { Dialect, DialectTool, OfferedTool, ResolvedCall } from "./dialect.ts";
import { isForReaders } from "./effects.ts";
import { canonicalTool, findTool, selectTools } from "./find-tool.ts";
import { renameTool } from "./rename.ts";
import { namesOf, type Rewrite, rewriteFieldNames, rewriteToolNames } from "./rewrite-names.ts";

export interface ToolsetOptions {
  /** Custom tools. The last of a name replaces all others, also the dialect's. */
  readonly own?: readonly AnyTool[];
  /** Tools of other servers. Existing tools keep their names. */
  readonly sources?: readonly ToolSource[];
  /** The tools to offer, in the syntax of `selectTools`. Default: those that the dialect lists, and all others on demand. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether `allowed` may name tools that only other callers have. */
  readonly allowUnknown?: boolean | undefined;
  /** Whether only tools that change nothing are offered. */
  readonly readOnly?: boolean | undefined;
  /** Hides tools that rules deny altogether. Gets canonical names. */
  readonly isDenied?: (tool: Pick<OfferedTool, "name" | "risk" | "server">) => boolean;
  /** The available services, for tools that need them. */
  readonly has?: ReadonlySet<NonNullable<DialectTool["needs"]>>;
}

/** The tools that a caller may use: a dialect's, custom ones and those of other servers. Loaded on first use. */
export class Toolset {
  readonly #dialect: Dialect;
  readonly #options: ToolsetOptions;
  /** Tools that are listed because a model has found them. */
  readonly #found = new Set<string>();
  /** Tools that are listed in addition to those of the dialect: custom tools, and tools of servers that have few. */
  #alwaysListed: ReadonlySet<string> = new Set();
  /** Tools of other servers that must be found, because their server has many. */
  #hidden: ReadonlySet<string> = new Set();
  readonly #listeners = new Listeners<void>();
  readonly #loading = new WeakMap<DialectTool, Promise<OfferedTool>>();
  #tools: readonly DialectTool[] = [];
  #rewrite: Rewrite = (text) => text;

  constructor(dialect: Dialect, options: ToolsetOptions = {}) {
    this.#dialect = dialect;
    this.#options = options;
    this.#fill();
    for (const source of options.sources ?? [])
      source.onChange(() => {
        this.#fill();
        this.#listeners.emit();
      });
  }

  /** Calls `listener` after each change of the list. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Returns the definitions for models, or those of all tools that can be called. */
  async definitions(which: "listed" | "all" = "listed"): Promise<readonly ToolDefinition[]> {
    const canFind = this.#tools.some((tool) => !this.#isListedAtOnce(tool));
    const wanted = this.#tools
      .filter((tool) => which === "all" || this.#isListed(tool))
      .filter(({ canonical }) => canFind || !isFinder(canonical));
    const defined = await this.#define(wanted);
    return this.#options.readOnly ? defined.map(callingReadOnly) : defined;
  }

  /** Searches the tools that are not listed at once. The results are listed from then on. */
  async search(query: string, { limit }: { readonly limit: number }): Promise<FoundTools> {
    const { rankTools } = await import("./rank-tools.ts");
    const hidden = await this.#define(this.#tools.filter((tool) => !this.#isListedAtOnce(tool)));
    const ranked = rankTools(hidden, query).slice(0, limit);
    this.list(ranked.map(({ name }) => name));
    const tools = ranked.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return { tools, hidden: hidden.length };
  }

  list(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.#found.has(name));
    if (fresh.length === 0) return;
    for (const name of fresh) this.#found.add(name);
    this.#listeners.emit();
  }

  /**
   * Resolves a call by dialect name or canonical name; the resolved tool has the name that was used. An unknown name or
   * invalid arguments resolve to a call that fails in the pipeline.
   */
  async find(name: string, given: unknown, wanted: FindOptions = {}): Promise<ResolvedCall> {
    try {
      const offered = await this.#load(await this.#named(name, wanted));
      if (!this.#isAllowed(offered)) throw readOnlyError(name);
      const inner = offered.canonical === "tools.call" ? this.#namedIn(given) : undefined;
      if (inner) return await this.find(inner.name, inner.arguments ?? {}, wanted);
      const { tool, input } = resolveCall(offered, given);
      // A caller that uses a canonical name also knows the other tools by theirs.
      const isOurName = name === tool.canonical && name in catalog;
      const rewrite = isOurName ? undefined : this.#rewriteIn(offered, tool);
      return { tool: { ...tool, name, wording: rewrite ?? tool.wording }, input };
    } catch (error) {
      return { tool: await failingTool(name, error as ToolError), input: given };
    }
  }

  /** Resolves a call that the program itself makes: of the canonical tool, whichever tools are offered. */
  async findCanonical(name: CanonicalName, input: unknown): Promise<ResolvedCall> {
    const offered = await canonicalTool(name)!.load();
    if (this.#isAllowed(offered)) return offered.resolve(input);
    return { tool: await failingTool(name, readOnlyError(name)), input };
  }

  /** Finds a tool. The error for an unknown name lists only the tools that can be called. */
  async #named(name: string, { onlyOffered = false }: FindOptions): Promise<DialectTool> {
    const canonical = onlyOffered ? undefined : (this.#canonical(name) ?? this.#unlisted(name));
    if (canonical !== undefined && !this.#isAvailable(canonical)) throw needsAgents(name);
    if (canonical !== undefined) return canonical;
    try {
      const knowsAll = !onlyOffered && name.includes(".");
      return findTool(knowsAll ? this.#withCanonical() : this.#tools, name, this.#dialect);
    } catch (error) {
      if (this.#dialect.tools.some((tool) => tool.name === name && !this.#isAvailable(tool)))
        throw needsAgents(name);
      if (!this.#options.readOnly) throw error;
      const areAllowed = await Promise.all(
        this.#tools.map(async (tool) => this.#isAllowed(await this.#load(tool))),
      );
      const allowed = this.#tools.filter((_, index) => areAllowed[index]);
      return findTool(allowed, name);
    }
  }

  /** Returns the canonical tool of this name, unless it is not allowed or an offered tool has its name. */
  #canonical(name: string): DialectTool | undefined {
    const tool = canonicalTool(name);
    if (tool === undefined) return undefined;
    const { allowed } = this.#options;
    const isReplaced = this.#tools.some(
      (other) => other.name === name || (other.canonical === name && !this.#dialect.tools.includes(other)),
    );
    const isAllowed = !allowed || selectTools([tool], allowed, { more: true }).includes(tool);
    return isReplaced || !isAllowed ? undefined : tool;
  }

  /** Returns the tool of this name that sources have only for programs, unless it is not allowed. */
  #unlisted(name: string): DialectTool | undefined {
    const { sources = [], allowed } = this.#options;
    const found = sources.flatMap(({ unlisted = [] }) => unlisted).find((tool) => tool.canonical === name);
    if (found === undefined) return undefined;
    const tool = { ...offer(found), name };
    return !allowed || selectTools([tool], allowed, { more: true }).includes(tool) ? tool : undefined;
  }

  /** Returns the tools with those that only a program can call, to suggest their names. */
  #withCanonical(): readonly DialectTool[] {
    const offered = new Set(this.#tools.map(({ canonical }) => canonical));
    const others = Object.keys(catalog).filter((name) => !offered.has(name));
    return [...this.#tools, ...others.flatMap((name) => this.#canonical(name) ?? [])];
  }

  /** Returns the inner call of a `tools.call`; undefined for a `tools.call` of itself and for arguments that the pipeline refuses. */
  #namedIn(given: unknown): InnerCall | undefined {
    const { name, arguments: _, ...others } = (given ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== "string" || Object.keys(others).length > 0) return undefined;
    const named = this.#tools.find((tool) => tool.name === name || tool.canonical === name);
    return named?.canonical === "tools.call" ? undefined : (given as InnerCall);
  }

  /** Rewrites hints for the dialect of the tool. */
  #rewriteIn(offered: OfferedTool, tool: AnyTool): Rewrite {
    if (offered.takesCanonical) return this.#rewrite;
    const inFields = rewriteFieldNames(offered, tool);
    return (text) => this.#rewrite(inFields(text));
  }

  /** Defines the tools that are allowed. Loads only tools that the build has not described. */
  async #define(tools: readonly DialectTool[]): Promise<readonly ToolDefinition[]> {
    const { defineDescribed, describedIn } = await import("./describe-tools.ts");
    const described = await describedIn(this.#dialect);
    const slice = new TimeSlice();
    const defined: ToolDefinition[] = [];
    for (const tool of tools) {
      const known = described.get(tool);
      const loaded = known ?? (await this.#load(tool));
      if (!this.#isAllowed(loaded) || this.#isDenied(loaded)) continue;
      if (known !== undefined) defined.push(defineDescribed(known, this.#rewrite));
      else {
        const { defineTool } = await import("./definition.ts");
        defined.push(defineTool(loaded as OfferedTool, this.#rewrite));
      }
      // From source, each tool takes tens of milliseconds, in which a server answers no one.
      if (slice.isOver) await slice.next();
    }
    return defined;
  }

  #load(tool: DialectTool): Promise<OfferedTool> {
    const loading = this.#loading.get(tool) ?? tool.load();
    this.#loading.set(tool, loading);
    return loading;
  }

  #isDenied(tool: Pick<OfferedTool, "name" | "canonical" | "ownName" | "risk" | "server">): boolean {
    const { name, canonical = name, ownName = canonical, risk, server } = tool;
    return this.#options.isDenied?.({ name: ownName, risk, server }) ?? false;
  }

  #isAllowed(tool: Parameters<typeof isForReaders>[0]): boolean {
    return !this.#options.readOnly || isForReaders(tool);
  }

  #isListed(tool: DialectTool): boolean {
    return this.#found.has(tool.name) || this.#isListedAtOnce(tool);
  }

  #isListedAtOnce({ name, canonical }: DialectTool): boolean {
    const { listed } = this.#dialect;
    if (this.#options.allowed !== undefined || this.#alwaysListed.has(name) || isFinder(canonical))
      return true;
    if (this.#hidden.has(name)) return false;
    return listed === undefined || listed.includes(canonical) || listed.includes(name);
  }

  #isAvailable({ needs }: DialectTool): boolean {
    return needs === undefined || (this.#options.has?.has(needs) ?? false);
  }

  #fill(): void {
    const { own = [], sources = [], allowed, allowUnknown = false } = this.#options;
    const { tools: dialectTools, aliases = [], ignoresCase } = this.#dialect;
    const ours = own.map(offer);
    const taken = new Set(
      [...dialectTools, ...aliases, ...ours, ...finders].map(({ name }) => name.toLowerCase()),
    );
    const ofSources = sources.flatMap((source) => source.tools);
    const crowded = crowdedServers(ofSources);
    const hidden = new Set<string>();
    const theirNames = new Set<string>();
    const theirs = ofSources.flatMap((tool) => {
      const offered = offerUnlessTaken(taken, theirNames, tool);
      if (offered !== undefined && crowded.has(tool.server)) hidden.add(offered.name);
      return offered ?? [];
    });
    // The last tool of a name replaces the others.
    const available = dialectTools.filter((tool) => this.#isAvailable(tool));
    const inAnyCase = new Set(ignoresCase ? dialectTools.map(({ name }) => name.toLowerCase()) : []);
    const keyed = [...available, ...ours, ...theirs].map((tool) => {
      const lower = tool.name.toLowerCase();
      return [inAnyCase.has(lower) ? lower : tool.name, tool] as const;
    });
    const tools = [...new Map(keyed).values()];
    this.#hidden = hidden;
    this.#alwaysListed = new Set(
      [...ours, ...theirs].map(({ name }) => name).filter((name) => !hidden.has(name)),
    );
    // Tools that must be found need a tool that finds them.
    const missing = finders.filter(({ canonical }) => !tools.some((tool) => tool.canonical === canonical));
    const all = hidden.size > 0 ? [...tools, ...missing] : tools;
    this.#tools =
      allowed === undefined
        ? all
        : selectTools(all, allowed, { ...this.#dialect, more: allowUnknown || sources.length > 0 });
    this.#rewrite = rewriteToolNames(namesOf(this.#tools), (name) => name in catalog);
  }
}

/**
 * Returns the servers whose tools are not listed at once, to save tokens: those with many tools, and the largest of the
 * others as long as all together are too large.
 */
function crowdedServers(tools: readonly AnyTool[]): ReadonlySet<string | undefined> {
  const crowded = new Set<string | undefined>();
  const sizes: { readonly server: string | undefined; readonly chars: number }[] = [];
  for (const [server, own] of Map.groupBy(tools, (tool) => tool.server))
    if (own.length > maxListedPerServer) crowded.add(server);
    else sizes.push({ server, chars: own.map(definitionChars).reduce((sum, each) => sum + each, 0) });
  let listed = 0;
  for (const { server, chars } of sizes.sort((one, other) => one.chars - other.chars))
    if (listed + chars > maxCharsOfOthers) crowded.add(server);
    else listed += chars;
  return crowded;
}

const maxListedPerServer = 20;
// These characters are about 15,000 tokens.
const maxCharsOfOthers = 60_000;

function definitionChars({ description, input }: AnyTool): number {
  const schema = input._zod.toJSONSchema?.();
  return description.length + (schema === undefined ? 0 : JSON.stringify(schema).length);
}

interface FindOptions {
  /** Whether a canonical name finds only the tools of this toolset. Default: it finds every canonical tool. */
  readonly onlyOffered?: boolean | undefined;
}

function resolveCall(offered: OfferedTool, given: unknown): ResolvedCall {
  if (offered.takesCanonical) return offered.resolve(given);
  const parsed = safeParse(offered.input, given);
  if (parsed.success) return offered.resolve(parsed.data);
  const { name, canonical = name, description, risk, input } = offered;
  return {
    tool: { name, canonical, description, risk, input, limits, accesses: never, run: never },
    input: given,
  };
}

/** The output limits of tools that only report an error. */
const limits = { maxChars: 1_000, keep: "head" } as const;

interface InnerCall {
  readonly name: string;
  readonly arguments?: unknown;
}

function isFinder(canonical: string): boolean {
  return canonical === "tools.find" || canonical === "tools.call";
}

const finders = [
  renameTool("tools.find", { name: "tools_find" }),
  renameTool("tools.call", { name: "tools_call" }),
];

/** Marks `tools.call` as read-only, for toolsets whose tools are all read-only. */
function callingReadOnly(defined: ToolDefinition): ToolDefinition {
  if (defined.canonical !== "tools.call") return defined;
  return { ...defined, effects: { ...defined.effects, readOnly: true, destructive: false } };
}

/** Never runs: the pipeline refuses the arguments first. */
function never(): never {
  throw new Error("invalid arguments passed the pipeline");
}

/** Offers a custom tool. Its name gets no dots, because providers refuse them. */
function offer(tool: AnyTool): DialectTool {
  const name = tool.name.replaceAll(".", "_");
  const canonical = tool.canonical ?? tool.name;
  const named = { ...tool, name, canonical };
  const resolve = (input: unknown) => ({ tool: named, input });
  return { name, canonical, load: async () => ({ ...named, takesCanonical: true as const, resolve }) };
}

/**
 * Offers a tool of another server, as "server__tool" when its name is taken in any case; undefined when both are taken.
 * The names of two servers may differ only in case.
 */
function offerUnlessTaken(
  ours: ReadonlySet<string>,
  theirs: Set<string>,
  tool: AnyTool,
): DialectTool | undefined {
  const [short, long] = [offer(tool), offer({ ...tool, name: tool.canonical ?? tool.name })];
  const isFree = ({ name }: DialectTool) => !ours.has(name.toLowerCase()) && !theirs.has(name);
  const isShort = isFree(short) && !theirs.has(short.name.toLowerCase());
  const offered = isShort ? short : long;
  if (!isFree(offered)) return undefined;
  theirs.add(offered.name);
  if (isShort) theirs.add(offered.name.toLowerCase());
  return offered;
}

function readOnlyError(name: string): ToolError {
  return new ToolError(
    "denied",
    `Denied: ${name} may change something, and only read-only tools are allowed`,
    {
      hint: "Use a read-only tool.",
    },
  );
}

function needsAgents(name: string): ToolError {
  return new ToolError("unavailable", `${name} needs other agents, and there are none here`, {
    hint: "Do the task without it.",
    forUser: { hint: "Pass the option `agents`, or use `toolcrib chat`." },
  });
}

/** Returns a tool that fails in the pipeline, so that calls of unknown tools are announced and recorded, too. */
async function failingTool(name: string, error: ToolError): Promise<AnyTool> {
  const { unknown } = await import("zod/mini");
  const refuse = () => {
    throw error;
  };
  return { name, description: "", risk: "read", input: unknown(), limits, accesses: refuse, run: refuse };
}
