import type { Effects, EffectWatch, WatchWanted } from "../../contract/effects.ts";
import type { Snapshot } from "../../contract/snapshot.ts";
import { unpackSnapshot } from "../../engine/environment/effects/pack-snapshot.ts";
import { checkRelative, joinPaths, pathsOf } from "./checked-paths.ts";
import { badMessage } from "./message.ts";
import type { SentEffects, SentSnapshot, SentWatch } from "./protocol.ts";
import { type CallTarget, maxListBytes } from "./remote-process.ts";

/** Watches effects on a target, which sends only differences. Everything that it sends is checked. */
export class RemoteEffects {
  readonly #call: CallTarget;

  constructor(call: CallTarget) {
    this.#call = call;
  }

  async list(signal?: AbortSignal): Promise<Snapshot> {
    return received(await this.#call("listEntries", undefined, { signal, maxBytes: maxListBytes }));
  }

  async watch({ signal, ...wanted }: WatchWanted): Promise<EffectWatch> {
    return this.#watchOf(await this.#call("watchEffects", wanted, { signal, maxBytes: maxListBytes }));
  }

  async resume(id: string, { without }: Pick<WatchWanted, "without">): Promise<EffectWatch | undefined> {
    const sent = await this.#call("resumeEffects", { id, without });
    return sent && this.#watchOf(sent);
  }

  #watchOf({ id: watch, paths, figures, keptBytes }: SentWatch): EffectWatch {
    const files = pathsOf(paths);
    if (figures.length !== files.length * 2) throw badMessage("a list of files has wrong figures");
    const kept = (hashes: ReadonlyMap<string, string> = new Map()) => ({
      watch,
      paths: joinPaths(hashes.keys()),
      hashes: [...hashes.values()],
    });
    return {
      toKeep: files.map((path, index) => ({
        path,
        bytes: figures[index * 2]!,
        isNew: figures[index * 2 + 1] === 1,
      })),
      keptBytes,
      keep: async (hashes) => {
        await this.#call("keepEffects", kept(hashes));
      },
      end: async () => receivedEffects(await this.#call("endEffects", { watch }, { maxBytes: maxListBytes })),
      discard: async (hashes) => {
        await this.#call("discardEffects", kept(hashes));
      },
    };
  }
}

function received({ targets, leftOut, repositories, ...rest }: SentSnapshot): Snapshot {
  pathsOf(rest.paths);
  const state = { head: "", index: "", refs: "" };
  for (const { path } of repositories) if (path !== "") checkRelative(path);
  try {
    return unpackSnapshot({
      ...rest,
      targets: targets.map(([path, target]) => [`${path}`, `${target}`]),
      leftOut: leftOut.map(({ path, why }) => [path, why]),
      repositories: repositories.map((repository) => ({ ...repository, state })),
    });
  } catch (error) {
    if (error instanceof RangeError) throw badMessage("a list of entries has wrong figures");
    throw error;
  }
}

function receivedEffects({ notCompared, ...effects }: SentEffects): Effects {
  const { differences, folders, repositories } = effects;
  const ofRepositories = [...repositories, ...differences.flatMap(({ inGit }) => inGit ?? [])];
  for (const { path } of [...differences, ...notCompared]) checkRelative(path);
  for (const path of [...folders.changed, ...folders.unknown]) checkRelative(path);
  for (const one of ofRepositories) {
    const path = "path" in one ? one.path : one.repository;
    if (path !== "") checkRelative(path);
  }
  return { ...effects, notCompared: new Map(notCompared.map(({ path, why }) => [path, why])) };
}
