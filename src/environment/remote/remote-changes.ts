import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Effect,
  EntryChange,
  FileChange,
  MoveOptions,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { badMessage } from "./message.ts";
import type { effects as sentEffects } from "./protocol.ts";
import type { CallTarget } from "./remote-process.ts";
import type { Shaped } from "./shapes.ts";

/** The changes of files on the target. Each is announced here before it is made there. */
export class RemoteChanges {
  readonly #call: CallTarget;
  readonly #inside: (realPath: string) => string;
  readonly #pending = new Map<number, PendingChange>();

  /** `inside` returns the path, or throws unless it is inside the workspace. */
  constructor(call: CallTarget, inside: (realPath: string) => string) {
    this.#call = call;
    this.#inside = inside;
  }

  writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    const { announce, signal, ifExists, durable, mode } = options;
    return this.#change({ announce, leastEffects: 1 }, signal, (announces, call) =>
      this.#call("writeFile", { path, content, announces, ifExists, durable, mode }, call),
    );
  }

  async delete(path: string, { announce, signal, recursive }: DeleteOptions = {}): Promise<void> {
    await this.#change({ announce, leastEffects: 1, inParts: recursive }, signal, (announces, call) =>
      this.#call("delete", { path, announces, recursive }, call),
    );
  }

  async move(from: string, to: string, { announce, signal, replace }: MoveOptions = {}): Promise<void> {
    await this.#change({ announce, leastEffects: 2 }, signal, (announces, call) =>
      this.#call("move", { from, to, announces, replace }, call),
    );
  }

  async change(
    changes: readonly FileChange[],
    { announce, signal, durable }: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const receipts = await this.#change(
      { announce, leastEffects: changes.length },
      signal,
      (announces, call) =>
        this.#call(
          "change",
          { changes, announces, durable },
          { ...call, maxBytes: answerBytes(changes.length) },
        ),
    );
    if (receipts.length !== changes.length) throw badMessage("a change has a wrong number of receipts");
    return receipts.map(({ realPath, before, after }) => ({
      realPath: this.#inside(realPath),
      before,
      after,
    }));
  }

  async changeEntry(path: string, { before, after }: EntryChange, options: Announcing = {}): Promise<void> {
    await this.#change({ announce: options.announce, leastEffects: 0 }, undefined, (announces, call) =>
      this.#call("changeEntry", { path, announces, before, after }, call),
    );
  }

  /** Sends a change. A change that was cancelled is waited for, because it may have been made. */
  async #change<Answer>(
    pending: PendingChange,
    signal: AbortSignal | undefined,
    send: (announces: boolean, call: Parameters<CallTarget>[2]) => Promise<Answer>,
  ): Promise<Answer> {
    throwIfAborted(signal);
    let id = 0;
    const started = (call: number) => {
      id = call;
      this.#pending.set(id, pending);
    };
    try {
      return await send(pending.announce !== undefined, { signal, onAbort: "wait", started });
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Checks an announcement of the target, and passes it to the caller of the change. */
  async announce(call: number, effects: Shaped<typeof sentEffects>): Promise<undefined> {
    const pending = this.#pending.get(call);
    if (pending?.announce === undefined) throw badMessage("an announcement belongs to no change");
    if (pending.isAnnounced && !pending.inParts) throw badMessage("a change was announced twice");
    pending.isAnnounced = true;
    if (effects.length < pending.leastEffects) throw badMessage("an announcement has too few effects");
    const checked = effects.map(
      ({ realPath, before, after, afterHash }): Effect => ({
        ...{ realPath: this.#inside(realPath), before, after },
        ...(afterHash !== undefined && { afterHash }),
      }),
    );
    await pending.announce(checked);
    return undefined;
  }
}

interface PendingChange extends Announcing {
  /** How many effects its announcement must have. */
  readonly leastEffects: number;
  /** Whether it has several announcements: those of a tree. Default: false. */
  readonly inParts?: boolean | undefined;
  isAnnounced?: boolean;
}

/** The receipts of a change have long paths and a few numbers each. */
function answerBytes(changes: number): number {
  return 1024 * 1024 + changes * 10_000;
}
