import type { Agents } from "../contract/agents.ts";
import type { AnyTool, ToolFinder } from "../contract/tool.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { findDialect, isBuiltIn } from "../dialects/dialects.ts";
import { Toolset } from "../dialects/toolset.ts";
import { deniesTool } from "../policy/decide.ts";
import type { Question } from "../policy/policy.ts";
import type { OpenPolicy } from "./open-policy.ts";
import type { ToolcribOptions } from "./options.ts";

/** Returns a dialect by its name, or checks one of the program. */
export async function toDialect(dialect: string | Dialect): Promise<Dialect> {
  if (typeof dialect === "string") return findDialect(dialect);
  if (isBuiltIn(dialect)) return dialect;
  const { checkDialect } = await import("../dialects/check-dialect.ts");
  return checkDialect(dialect);
}

/** Checks and completes the program's own tools. */
export async function ownTools(tools: ToolcribOptions["tools"]): Promise<readonly AnyTool[]> {
  if (tools === undefined || tools.length === 0) return [];
  const { completeTools } = await import("./own-tools.ts");
  return completeTools(tools);
}

/** Opens the tools of one caller, without those that rules deny. */
export function openToolset(
  dialect: Dialect,
  options: Pick<ToolcribOptions, "sources" | "onlyTools" | "readOnly"> & {
    readonly tools: readonly AnyTool[];
    readonly agents?: Agents | undefined;
  },
  denied: DeniedTools,
  { allowUnknown = false } = {},
): Toolset {
  return new Toolset(dialect, {
    own: options.tools,
    sources: options.sources ?? [],
    allowed: options.onlyTools,
    allowUnknown,
    readOnly: options.readOnly,
    has: new Set(options.agents ? (["agents"] as const) : []),
    isDenied: (tool) => denied.isDenied(tool),
  });
}

/** Returns the search of a toolset, for `tools.find`. */
export function finderIn(toolset: Toolset): ToolFinder {
  return { find: (query, options) => toolset.search(query, options) };
}

/** The tools that rules deny by name. Models do not see them. Empty until `follow` is called. */
export class DeniedTools {
  #policy: OpenPolicy | undefined;
  readonly #watches = new Set<() => void>();

  follow(policy: OpenPolicy): void {
    this.#policy = policy;
  }

  isDenied(tool: Question["tool"]): boolean {
    return this.#policy !== undefined && deniesTool(tool, this.#policy.current);
  }

  /** Reads changed rule files. When they cannot be read, the next call reports it. */
  async refresh(): Promise<void> {
    try {
      await this.#policy?.refreshed();
    } catch {}
  }

  /** Calls `listener` after each change, also when no calls are made. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    let before = this.#rules();
    const stopListening = this.#policy?.onChange(() => {
      const now = this.#rules();
      if (now === before) return;
      before = now;
      listener();
    });
    const polling = setInterval(() => void this.refresh(), pollMs);
    polling.unref();
    const stop = () => {
      clearInterval(polling);
      stopListening?.();
      this.#watches.delete(stop);
    };
    this.#watches.add(stop);
    return stop;
  }

  /** Stops all listeners. */
  close(): void {
    for (const stop of this.#watches) stop();
  }

  #rules(): string {
    const denying = this.#policy?.current.tools.filter(({ effect }) => effect === "deny") ?? [];
    return denying.map(({ origin }) => origin.text).join("\n");
  }
}

const pollMs = 1_000;
