import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AllPendingApprovals } from "../../engine/approvals/approvals.ts";
import { MemoryEnvironment, openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";
import { serveStdio } from "./serve-stdio.ts";
import { StdioTransport } from "./stdio-transport.ts";

interface Reply {
  readonly result?: {
    readonly resultType?: string;
    readonly requestState?: string;
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Requests of a 2026 client, without an SDK that would prevent invalid ones. */
async function rawFixture(questionSeconds?: number) {
  const folder = temporaryFolder();
  const environment = new MemoryEnvironment({ files: { "a.txt": "one\n", "b.txt": "two\n" } });
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  let opened: Promise<Toolcrib> | undefined;
  const connection = serveStdio({
    input: toServer,
    output: toClient,
    questionSeconds,
    open: () => {
      opened = openToolcrib({
        environment,
        mode: "safe",
        pendingApprovals: true,
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
      });
      return opened;
    },
  });
  const waiting = new Map<unknown, (reply: Reply) => void>();
  const transport = new StdioTransport({ input: toClient, output: toServer });
  transport.onmessage = (message) => "id" in message && waiting.get(message.id)?.(message as Reply);
  await transport.start();
  let count = 0;
  return {
    desk: new AllPendingApprovals({ state: join(folder.path, "state"), config: join(folder.path, "config") }),
    pending: async () => (await opened)?.approvals.list() ?? [],
    has: (path: string) => environment.info(path).then(Boolean, () => false),
    bringBack: (path: string, text: string) => environment.writeFile(path, Buffer.from(text)),
    remove: (path: string, more: Record<string, unknown> = {}) => {
      count += 1;
      const id = count;
      const params = { name: "file_delete", arguments: { path }, ...more, _meta: envelope };
      return new Promise<Reply>((resolve) => {
        waiting.set(id, resolve);
        void transport.send({ jsonrpc: "2.0", id, method: "tools/call", params } as JSONRPCMessage);
      });
    },
    [Symbol.asyncDispose]: async () => {
      await connection.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};
const yes = { approval: { action: "accept", content: { answer: "once" } } };
const refused = { code: -32602, message: "Invalid or expired requestState" };

it("allows a call with the answer to its own approval request", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt");
  await fixture.remove("a.txt", { inputResponses: yes, requestState: result?.requestState });
  expect([result?.resultType, await fixture.has("a.txt")]).toEqual(["input_required", false]);
});

it("asks again when an answer comes without its request", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt", { inputResponses: yes });
  expect([result?.resultType, await fixture.has("a.txt")]).toEqual(["input_required", true]);
});

it("asks again when the answer is for another call", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt");
  const other = await fixture.remove("b.txt", { inputResponses: yes, requestState: result?.requestState });
  expect([other.result?.resultType, await fixture.has("a.txt"), await fixture.has("b.txt")]).toEqual([
    "input_required",
    true,
    true,
  ]);
});

it("rejects a forged or altered approval request", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt");
  const [version, body = "", mac] = result!.requestState!.split(".");
  const payload = JSON.parse(Buffer.from(body, "base64url").toString());
  const changed = Buffer.from(JSON.stringify({ ...payload, exp: payload.exp + 60 })).toString("base64url");
  for (const requestState of [`${version}.${changed}.${mac}`, `${version}.${body}.AAAA`, "nonsense", ""]) {
    const { error } = await fixture.remove("a.txt", { inputResponses: yes, requestState });
    expect(error).toMatchObject(refused);
  }
  expect(await fixture.has("a.txt")).toBe(true);
});

it("rejects an expired approval request", { tags: "slow" }, async () => {
  await using fixture = await rawFixture(1);
  const { result } = await fixture.remove("a.txt");
  await wait(2_100);
  const late = await fixture.remove("a.txt", { inputResponses: yes, requestState: result?.requestState });
  expect([late.error, await fixture.has("a.txt")]).toMatchObject([refused, true]);
});

it("accepts each answer once", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt");
  const answered = { inputResponses: yes, requestState: result?.requestState };
  await fixture.remove("a.txt", answered);
  const wasRemoved = !(await fixture.has("a.txt"));
  await fixture.bringBack("a.txt", "one\n");
  const replayed = await fixture.remove("a.txt", answered);
  expect([wasRemoved, replayed.result?.resultType, await fixture.has("a.txt")]).toEqual([
    true,
    "input_required",
    true,
  ]);
});

it("allows nothing on an answer the client was not asked for", async () => {
  await using fixture = await rawFixture();
  const inputResponses = { approval: { action: "accept", content: { answer: "always", hash: "x" } } };
  const { error, result } = await fixture.remove("a.txt", { inputResponses, requestState: "v1.e30.e30" });
  expect([error, result, await fixture.has("a.txt")]).toMatchObject([refused, undefined, true]);
});

it("leaves the question pending until the form is answered", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt");
  const before = await fixture.pending();
  await fixture.remove("a.txt", { inputResponses: yes, requestState: result?.requestState });
  expect([before.map(({ client }) => client?.name), await fixture.pending()]).toEqual([["raw"], []]);
});

it("uses an answer that was given elsewhere when the client repeats the call", async () => {
  await using fixture = await rawFixture();
  const { result } = await fixture.remove("a.txt");
  const [question] = await fixture.pending();
  await fixture.desk.answer(question!, { allow: true });
  const cancelled = { approval: { action: "cancel" } };
  const repeated = await fixture.remove("a.txt", {
    inputResponses: cancelled,
    requestState: result?.requestState,
  });
  expect([repeated.result?.content?.[0]?.text, await fixture.has("a.txt")]).toEqual([
    "Deleted the file a.txt (4 bytes).",
    false,
  ]);
});
