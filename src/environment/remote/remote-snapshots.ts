import type { Snapshot, SnapshotOptions } from "../../contract/snapshot.ts";
import { badMessage } from "./message.ts";
import type { SentDelta, SentSnapshot } from "./protocol.ts";
import { type CallTarget, maxListBytes } from "./remote-process.ts";
import { type GitIndex, receiveRepositories, receiveSnapshot, sendSnapshot } from "./snapshot-columns.ts";
import { receiveDelta } from "./snapshot-delta.ts";

interface KnownIndex {
  readonly state: string;
  readonly index: GitIndex;
}

/** The latest index of each repository, by its path. */
type Indexes = ReadonlyMap<string, KnownIndex>;

/** Takes snapshots on the target. Neither side sends again what the other already has. */
export class RemoteSnapshots {
  readonly #call: CallTarget;
  readonly #snapshots = new WeakMap<Snapshot, number>();
  readonly #indexes = new Map<string, KnownIndex>();

  constructor(call: CallTarget) {
    this.#call = call;
  }

  async take(options: SnapshotOptions = {}): Promise<Snapshot> {
    const { without, like, known, again, ignored, signal } = options;
    // A copy: another snapshot that is taken at the same time replaces the indexes.
    const indexes = new Map(this.#indexes);
    const likeId = like && this.#snapshots.get(like);
    const ask = (given: typeof likeId | ReturnType<typeof sendSnapshot>) =>
      this.#call(
        "snapshot",
        {
          without,
          like: given,
          known: known && this.#snapshots.get(known),
          again,
          ignored,
          indexes: Array.from(indexes.values(), ({ state }) => state),
        },
        { signal, maxBytes: maxListBytes },
      );
    let answer = await ask(like && (likeId ?? sendSnapshot(like, 0, () => true)));
    // The target keeps only a few snapshots.
    if (answer === "unknown" && like !== undefined) answer = await ask(sendSnapshot(like, 0, () => true));
    if (answer === "unknown") throw badMessage("it does not know a snapshot that it was sent");
    const snapshot = this.#receive(answer, known, indexes);
    this.#indexes.clear();
    for (const { path, state, readIndex } of snapshot.repositories) {
      const index = readIndex();
      if (index !== undefined) this.#indexes.set(path, { state: state.index, index });
    }
    this.#snapshots.set(snapshot, answer.id);
    return snapshot;
  }

  #receive(answer: SentSnapshot | SentDelta, known: Snapshot | undefined, indexes: Indexes): Snapshot {
    const indexOf: Parameters<typeof receiveSnapshot>[1] = ({ path, state }) => {
      const { index, state: at } = indexes.get(path) ?? {};
      return at === state.index ? index : undefined;
    };
    if (!("base" in answer)) return receiveSnapshot(answer, indexOf);
    if (known === undefined || this.#snapshots.get(known) !== answer.base)
      throw badMessage("a snapshot differs from one that was not named");
    return receiveDelta(answer, known, receiveRepositories(answer.repositories, indexOf), maxListBytes);
  }
}
