import type { EffectWatch, WatchWanted } from "../../contract/effects.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { joinPaths, pathsOf } from "./checked-paths.ts";
import type { Params, Result, SentWatch } from "./protocol.ts";

/** The watches of a client. Those that it does not end are lost with the connection, but for their records. */
export class ServedEffects {
  readonly #environment: Environment;
  readonly #watches = new Map<number, EffectWatch>();
  #last = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async watch(wanted: WatchWanted): Promise<SentWatch> {
    if (this.#environment.watchEffects === undefined) throw lacks();
    return this.#send(await this.#environment.watchEffects(wanted));
  }

  async resume(id: string, without: readonly string[] | undefined): Promise<SentWatch | undefined> {
    const watch = await this.#environment.resumeEffects?.(id, { without });
    return watch && this.#send(watch);
  }

  async keep({ watch, ...kept }: Params<"keepEffects">): Promise<undefined> {
    await this.#get(watch).keep(hashesOf(kept));
  }

  async end(watch: number): Promise<Result<"endEffects">> {
    const { notCompared, ...effects } = await this.#get(watch).end();
    return { ...effects, notCompared: Array.from(notCompared, ([path, why]) => ({ path, why })) };
  }

  async discard({ watch, ...kept }: Params<"discardEffects">): Promise<undefined> {
    await this.#get(watch).discard(hashesOf(kept));
    this.#watches.delete(watch);
  }

  #send(watch: EffectWatch): SentWatch {
    this.#last += 1;
    this.#watches.set(this.#last, watch);
    const { toKeep, keptBytes } = watch;
    return {
      id: this.#last,
      paths: joinPaths(toKeep.map(({ path }) => path)),
      figures: Float64Array.from(toKeep.flatMap(({ bytes, isNew }) => [bytes, isNew ? 1 : 0])),
      keptBytes,
    };
  }

  #get(id: number): EffectWatch {
    const watch = this.#watches.get(id);
    if (watch === undefined) throw lacks();
    return watch;
  }
}

function hashesOf({ paths, hashes }: Pick<Params<"keepEffects">, "paths" | "hashes">) {
  return new Map(pathsOf(paths).map((path, index) => [path, hashes[index] ?? ""]));
}

function lacks(): ToolError {
  return new ToolError("unavailable", "The target does not watch effects");
}
