import { posix } from "node:path";
import type { Directory, Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import { visibleIn } from "../../policy/policy.ts";

export type Lister = Pick<Environment, "workspace" | "openDirectory" | "realPath">;

/**
 * For each directory, as `searchOf` names it, something below it that must not be read, or undefined if there is nothing;
 * links are followed, as some programs do. A directory that would take too long to search is left out: then nobody knows.
 */
export async function refusedBelow(
  directories: readonly string[],
  environment: Lister,
  guard: PathGuard,
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  const budget = { entriesLeft: maxEntries };
  for (const wanted of directories) {
    const extent = wanted.startsWith(visibleIn) ? "visible" : "all";
    const search = new Search(environment, guard, budget, extent);
    const result = await search.below(extent === "all" ? wanted : wanted.slice(visibleIn.length));
    if (result !== "not searched") found.set(wanted, result.refused);
  }
  return found;
}

type Result = { readonly refused: string | undefined } | "not searched";

const nothing: Result = { refused: undefined };
const maxEntries = 20_000;

class Search {
  readonly #environment: Lister;
  readonly #guard: PathGuard;
  readonly #budget: { entriesLeft: number };
  readonly #extent: "all" | "visible";
  readonly #followed = new Set<string>();

  constructor(
    environment: Lister,
    guard: PathGuard,
    budget: { entriesLeft: number },
    extent: "all" | "visible",
  ) {
    this.#environment = environment;
    this.#guard = guard;
    this.#budget = budget;
    this.#extent = extent;
  }

  async below(path: string): Promise<Result> {
    const open = await this.#environment.openDirectory(path).catch(whyNot);
    return typeof open === "string" ? this.#unopened(open) : this.#inside(open);
  }

  /** Files first: what is near is found soon. */
  async #inside(directory: Directory): Promise<Result> {
    try {
      const all = await directory.entries();
      const entries = this.#extent === "all" ? all : all.filter(isVisible);
      this.#budget.entriesLeft -= entries.length;
      if (this.#budget.entriesLeft < 0) return "not searched";
      for (const { name, kind } of entries) {
        const path = posix.join(this.#environment.workspace, directory.path, name);
        if (kind !== "directory" && this.#guard("read", path) !== undefined) return { refused: path };
      }
      for (const { name, kind } of entries) {
        if (kind !== "directory" && kind !== "link") continue;
        const result =
          kind === "link" ? await this.#behind(directory, name) : await this.#into(directory, name);
        if (result === "not searched" || result.refused !== undefined) return result;
      }
      return nothing;
    } finally {
      directory.close();
    }
  }

  async #into(directory: Directory, name: string): Promise<Result> {
    const inner = await directory.openDirectory(name).catch(whyNot);
    return typeof inner === "string" ? this.#unopened(inner) : this.#inside(inner);
  }

  /** A link that leads out of the workspace leads to nobody knows what. */
  async #behind(directory: Directory, name: string): Promise<Result> {
    const path = posix.join(this.#environment.workspace, directory.path, name);
    const real = await this.#environment.realPath(path).catch(whyNot);
    if (real === "outside") return { refused: path };
    if (real === "nothing below" || real === "not searched") return this.#unopened(real);
    if (this.#guard("read", real) !== undefined) return { refused: real };
    if (this.#followed.has(real)) return nothing;
    this.#followed.add(real);
    return this.below(real);
  }

  #unopened(reason: Unopened): Result {
    return reason === "nothing below" ? nothing : "not searched";
  }
}

/** What is hidden, or nearly always ignored, is left out by programs that search. */
function isVisible({ name }: { readonly name: string }): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

type Unopened = "nothing below" | "not searched" | "outside";

/** A file, which has nothing below it, was judged itself. */
function whyNot(error: unknown): Unopened {
  if (!(error instanceof ToolError)) throw error;
  if (error.code === "outside-workspace") return "outside";
  return error.code === "not-found" || error.code === "unsupported" ? "nothing below" : "not searched";
}
