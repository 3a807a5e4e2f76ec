import { expect } from "vitest";
import type { Environment } from "../../../src/contract/environment.ts";
import type { Channel } from "../../../src/environment/remote/channel.ts";
import {
  decodeBody,
  decodeFrame,
  encodeBody,
  type Frame,
  type FrameKind,
  frameHead,
} from "../../../src/environment/remote/message.ts";
import { openRemoteEnvironment } from "../../../src/environment/remote/remote-environment.ts";
import { channelPair } from "../environment/channel-pair.ts";

export const greeting = {
  workspace: "/work",
  runsPrograms: true,
  abilities: ["listEntries", "watchEffects", "walk", "exchange", "ignoreFilesOutside", "sandbox"],
};

export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly value: { readonly as: number };
}

/** A hostile target: it answers with whatever the test says. */
export class Target {
  readonly #channel: Channel;
  readonly asked: Asked[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  send(kind: FrameKind, id: number, body: unknown): Promise<boolean> {
    return this.raw(encodeFrame({ kind, id, more: false }, encodeBody(body)));
  }

  /** Returns false when the client has ended the connection. */
  raw(message: Uint8Array): Promise<boolean> {
    return this.#channel.send(message).then(
      () => true,
      () => false,
    );
  }

  note(method: string, value: unknown): Promise<boolean> {
    return this.send("note", 0, { method, value });
  }

  /** Calls `answer` for each call of the client. */
  async serve(answer: (asked: Asked) => unknown): Promise<void> {
    for await (const message of this.#channel.messages) {
      const { kind, id, piece } = decodeFrame(message);
      if (kind !== "call") continue;
      const asked = { id, ...(decodeBody(piece) as Omit<Asked, "id">) };
      this.asked.push(asked);
      await answer(asked);
    }
  }
}

/** Opens an environment whose target answers every call with `value`. */
export async function answering(
  value: unknown | ((asked: Asked, target: Target) => unknown),
  given: unknown = greeting,
): Promise<Environment> {
  const [here, there] = channelPair();
  const target = new Target(there);
  void target.serve(async (asked) => {
    if (typeof value === "function") await value(asked, target);
    else await target.send("answer", asked.id, value);
  });
  void target.note("greeting", given);
  return openRemoteEnvironment(here);
}

export const info = { kind: "file", bytes: 1, modifiedMs: 1, mode: 0o644 };
export const file = { bytes: Buffer.from("x"), info, realPath: "/work/a" };
export const read = (environment: Environment) => environment.readFile("a", { maxBytes: 10 });
export const invalid = (fault: string) =>
  expect.objectContaining({
    code: "unavailable",
    message: `The target sent an invalid message: ${fault}`,
  });

export function encodeFrame(frame: Omit<Frame, "piece">, parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([frameHead(frame), ...parts]);
}
