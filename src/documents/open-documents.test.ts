import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { slowDocument } from "../../test/support/document-worker/slow-document.ts";
import { isAlive } from "../../test/support/is-alive.ts";
import { openDocuments } from "./open-documents.ts";

const run = promisify(execFile);
const killedWorker = fileURLToPath(
  new URL("../../test/support/document-worker/killed-worker.ts", import.meta.url),
);
const forgottenInstance = fileURLToPath(
  new URL("../../test/support/document-worker/forgotten-instance.ts", import.meta.url),
);
const always = { signal: new AbortController().signal, progress: () => {} };
const wanted = { maxChars: 1000 };
const documents = openDocuments("work");
afterAll(() => documents.close());

describe("documents", () => {
  it("are read in a worker", async () => {
    expect(await documents.read(text("notes.txt", "Hello"), wanted, always)).toEqual({
      format: "text",
      description: "text",
      properties: {},
      consistsOf: undefined,
      parts: [{ anchor: "", text: "Hello" }],
      next: undefined,
      notes: [],
      images: [],
    });
  });

  it("are read fifty at once, each with its own result", async () => {
    const names = Array.from({ length: 50 }, (_, number) => `${number}.txt`);
    const contents = await Promise.all(names.map((name) => documents.read(text(name, name), wanted, always)));
    expect(contents.map(({ parts }) => parts[0]?.text)).toEqual(names);
  });

  it("are loaded only when their turn comes", async () => {
    let [held, most] = [0, 0];
    const reading = Array.from({ length: 20 }, async (_, number) => {
      const load = async () => {
        held += 1;
        most = Math.max(most, held);
        return Buffer.from(String(number));
      };
      const { parts } = await documents.read({ name: `${number}.txt`, load }, wanted, always);
      held -= 1;
      return parts[0]?.text;
    });
    expect(await Promise.all(reading)).toEqual(reading.map((_, number) => String(number)));
    expect(most).toBeLessThanOrEqual(4);
  });

  it("do not wait for a slow one", { tags: "slow" }, async () => {
    const cancelling = new AbortController();
    const slow = documents.read({ name: "slow.gz", bytes: slowDocument() }, wanted, {
      ...always,
      signal: cancelling.signal,
    });
    const ended = slow.catch(({ code, message }) => ({ code, message }));
    expect((await documents.read(text("quick.txt", "quick"), wanted, always)).parts).toEqual([
      { anchor: "", text: "quick" },
    ]);
    cancelling.abort();
    expect(await ended).toEqual({
      code: "cancelled",
      message: "The call was cancelled while slow.gz was read",
    });
    expect((await documents.read(text("next.txt", "next"), wanted, always)).format).toBe("text");
  });

  it("all overtake a slow one, however many they are", async () => {
    const { promise: held, resolve } = Promise.withResolvers<Uint8Array>();
    const slow = documents.read({ name: "slow.txt", load: () => held }, wanted, always);
    const names = Array.from({ length: 6 }, (_, number) => `${number}.txt`);
    const quick = await Promise.all(names.map((name) => documents.read(text(name, name), wanted, always)));
    expect(quick.map(({ parts }) => parts[0]?.text)).toEqual(names);
    resolve(Buffer.from("slow"));
    expect((await slow).parts[0]?.text).toBe("slow");
  });

  it("fail with the code, message and hint from the worker", async () => {
    const failure = await documents
      .read({ name: "a.bin", bytes: Buffer.from([0, 1, 2]) }, wanted, always)
      .catch(({ code, message, hint }) => ({ code, message, hint }));
    expect(failure).toEqual({
      code: "unsupported",
      message: "a.bin is a binary file of unknown type, 3 bytes: it cannot be read as a document",
      hint: "Use a program for this format (shell.run), or convert the file.",
    });
  });

  it("are read again when the worker was killed, and the one that it was reading is named", {
    tags: "slow",
  }, async () => {
    const { stdout } = await run(process.execPath, [killedWorker]);
    expect(JSON.parse(stdout)).toEqual({
      first: {
        code: "unavailable",
        message: "The document reader crashed (SIGKILL) while reading slow.gz",
        hint: "Use a program for this format (shell.run).",
      },
      waiting: [{ anchor: "", text: "waiting.txt" }],
      again: [{ anchor: "", text: "again.txt" }],
    });
  });

  it("do not keep the process from ending, and their worker ends too", { tags: "slow" }, async () => {
    const { stdout } = await run(process.execPath, [forgottenInstance]);
    const pids: number[] = JSON.parse(stdout);
    expect(pids).toHaveLength(1);
    while (pids.some(isAlive)) await sleep(20);
  });

  it("are not read once the instance is closed", async () => {
    const closed = openDocuments("work");
    await closed.close();
    await expect(closed.read(text("a.txt", "a"), wanted, always)).rejects.toMatchObject({
      code: "unavailable",
      message: "This Toolcrib is closed",
    });
  });
});

function text(name: string, content: string) {
  return { name, bytes: Buffer.from(content) };
}
