import { join } from "node:path";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import type { Channel } from "../../../src/environment/remote/channel.ts";
import { decodeBody, decodeFrame, type Frame } from "../../../src/environment/remote/message.ts";
import { openRemoteEnvironment } from "../../../src/environment/remote/remote-environment.ts";
import { serveEnvironment } from "../../../src/environment/remote/serve-environment.ts";
import { walkWhole } from "../../../src/files/walk.ts";
import { confinedPaths } from "../../../src/policy/confined-paths.ts";
import { listWhole, searchWhole } from "../../../src/target/whole-operations.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../../src/toolcrib/index.ts";
import { channelPair } from "../environment/channel-pair.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Toolcrib on an environment behind a channel, whose calls and bytes are counted. */
export interface CountedTarget extends AsyncDisposable {
  readonly toolcrib: Toolcrib;
  /** The workspace on the target. */
  readonly workspace: string;
  /** Makes a call, and returns the methods that it called on the target, and the bytes that it received. */
  count(name: string, input: object): Promise<{ readonly calls: readonly string[]; readonly bytes: number }>;
}

export async function openCountedTarget(
  workspace: string,
  options: ToolcribOptions = {},
): Promise<CountedTarget> {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const local = openLocalEnvironment({
    ...{ workspace, changeRecords: at("changes"), startRecords: at("started") },
    sandbox: { want: "none", directory: at("sandbox"), own: [] },
  });
  const [here, there] = channelPair();
  const counter = new Counter(here);
  const whole = { walk: walkWhole, search: searchWhole, list: listWhole };
  void serveEnvironment(local, there, { ...whole, pathRules: confinedPaths }).catch(() => {});
  const environment = await openRemoteEnvironment(counter);
  const own = { stateDirectory: at("state"), configDirectory: at("config") };
  const toolcrib = await openToolcrib({ environment, mode: "yolo", sandbox: "none", ...own, ...options });
  return {
    toolcrib,
    workspace,
    count: async (name, input) => {
      counter.start();
      const { isError, content } = await toolcrib.call(name, input);
      if (isError) throw new Error(`${name}: ${content}`);
      return { calls: counter.calls, bytes: counter.bytes };
    },
    [Symbol.asyncDispose]: async () => {
      await toolcrib.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A channel that notes the calls that are sent, and the bytes that arrive. */
class Counter implements Channel {
  readonly #channel: Channel;
  /** Calls of which pieces follow. */
  readonly #long = new Set<number>();
  calls: string[] = [];
  bytes = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  start(): void {
    this.calls = [];
    this.bytes = 0;
  }

  send(...parts: readonly Uint8Array[]): Promise<void> {
    const frame = decodeFrame(Buffer.concat(parts));
    if (frame.kind === "call") this.#note(frame);
    return this.#channel.send(...parts);
  }

  #note({ id, more, piece }: Frame): void {
    const isFirst = !this.#long.has(id);
    if (more) this.#long.add(id);
    else this.#long.delete(id);
    if (isFirst) this.calls.push(more ? "(long)" : (decodeBody(piece) as { method: string }).method);
  }

  get messages(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for await (const message of this.#channel.messages) {
      this.bytes += message.length;
      yield message;
    }
  }
}
