import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";
import { serveStdio } from "./serve-stdio.ts";

/** A client that sends arbitrary messages after a handshake. */
async function rawClient() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib raw "));
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: { readonly id: unknown }[] = [];
  output.on("data", (text) => {
    for (const line of `${text}`.trim().split("\n")) answers.push(JSON.parse(line));
  });
  const opened = Promise.withResolvers<Toolcrib>();
  const connection = serveStdio({
    input,
    output,
    serverInfo: { name: "toolcrib", title: "Toolcrib", version: "1.2.3" },
    open: async () => {
      const options = { stateDirectory: join(folder, "state"), configDirectory: join(folder, "config") };
      const crib = await openToolcrib({ workspace: folder, mode: "yolo", sandbox: "none", ...options });
      opened.resolve(crib);
      return crib;
    },
  });
  writeFileSync(join(folder, "a.txt"), "one\n");
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  send({ id: "hello", method: "initialize", params });
  await vi.waitFor(() => expect(answers).toMatchObject([{ id: "hello" }]), patience);
  answers.length = 0;
  return {
    send,
    write: (text: string) => input.write(text),
    answers,
    crib: () => opened.promise,
    [Symbol.asyncDispose]: async () => {
      await connection.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const patience = { timeout: 60_000 };
const read = { name: "file_read", arguments: { path: "a.txt" } };
const sleep = { name: "shell_run", arguments: { command: "sleep 300" } };

it("ignores calls that are not valid requests, and stays usable", async () => {
  await using client = await rawClient();
  const method = "tools/call";
  for (const _meta of [null, "x", [], { progressToken: 1.5 }, { progressToken: {} }])
    client.send({ id: 1, method, params: { ...read, _meta } });
  for (const id of [null, {}, true, 1.5]) client.send({ id, method, params: read });
  for (const params of [null, "x", []]) client.send({ id: 2, method, params });
  client.send({ id: 3, method, params: read, result: {} });
  client.send({ method: "notifications/cancelled", params: null });
  client.send({ id: 4, method, params: { ...read, _meta: { progressToken: 0, other: {} } } });
  await vi.waitFor(() => expect(client.answers.at(-1)).toMatchObject({ id: 4 }), patience);
  expect(client.answers).toEqual([
    { jsonrpc: "2.0", id: 4, result: { content: [{ type: "text", text: "1 | one" }] } },
  ]);
});

it("answers a line that is not JSON with the error of JSON-RPC, and stays usable", async () => {
  await using client = await rawClient();
  client.write('{"jsonrpc": "2.0", "id": 1,\n');
  client.send({ id: 2, method: "tools/call", params: read });
  await vi.waitFor(() => expect(client.answers).toHaveLength(2), patience);
  expect(client.answers).toMatchObject([{ id: null, error: { code: -32700 } }, { id: 2 }]);
});

it.each([
  ["later", [read, sleep]],
  ["earlier", [sleep, read]],
])("cancels the %s of two calls with one id when the other has ended", async (_which, calls) => {
  await using client = await rawClient();
  for (const params of calls) client.send({ id: 1, method: "tools/call", params });
  await vi.waitFor(() => expect(client.answers.length).toBe(1), patience);
  client.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  const crib = await client.crib();
  await vi.waitFor(
    () =>
      expect(
        crib
          .log()
          .map(({ outcome }) => outcome)
          .sort(),
      ).toEqual(["cancelled", "ok"]),
    patience,
  );
  expect(client.answers.length).toBe(1);
});
