import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { serveStdio } from "../../src/mcp/server/serve-stdio.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: anything may come over the wire
  readonly [key: string]: any;
}

/** A server, and a client that writes lines which no SDK would write. */
async function rawFixture({ rules = [] as readonly string[] } = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = serveStdio({
    input,
    output,
    open: () =>
      openToolcrib({
        workspace,
        rules,
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
        pendingApprovals: true,
      }),
  });
  const answers = new Map<unknown, (message: Message) => void>();
  let rest = "";
  output.on("data", (chunk) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const message: Message = JSON.parse(line);
      if (message.method === undefined) answers.get(message.id)?.(message);
    }
  });
  let count = 0;
  const write = (line: string) => void input.write(`${line}\n`);
  const request = (method: string, params: object): Promise<Message> => {
    count += 1;
    const id = `r${count}`;
    const answer = new Promise<Message>((resolve) => answers.set(id, resolve));
    write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return answer;
  };
  return {
    workspace,
    write,
    request,
    [Symbol.asyncDispose]: async () => {
      await connection.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const later = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "trial", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

const answered = (answer: unknown, action = "accept") => ({ approval: { action, content: { answer } } });

it("accepts an answer once, for exactly its call and files, and never a self-made one", {
  tags: "slow",
}, async () => {
  await using fixture = await rawFixture({ rules: ["ask write *.txt"] });
  const at = (name: string) => join(fixture.workspace, name);
  writeFileSync(at("a.txt"), "old");
  writeFileSync(at("b.txt"), "old");
  const write = async (input: object, more: object = {}) => {
    const params = { name: "file_write", arguments: input, _meta: later, ...more };
    const { result, error } = await fixture.request("tools/call", params);
    const kind = error || result.isError ? "refused" : (result.resultType ?? "complete");
    return { state: result?.requestState, kind };
  };
  const input = { path: "a.txt", content: "new" };
  const asked = await write(input);
  const inputResponses = answered("once");
  const replies = {
    "other content": write({ ...input, content: "evil" }, { requestState: asked.state, inputResponses }),
    "another file": write({ ...input, path: "b.txt" }, { requestState: asked.state, inputResponses }),
    "no state": write(input, { inputResponses }),
    "a cut state": write(input, { requestState: asked.state.slice(0, -3), inputResponses }),
    "another word": write(input, { requestState: asked.state, inputResponses: answered("ONCE") }),
    "a list": write(input, { requestState: asked.state, inputResponses: answered(["once"]) }),
  };
  const kinds: Record<string, string> = {};
  for (const [name, reply] of Object.entries(replies)) kinds[name] = (await reply).kind;
  writeFileSync(at("a.txt"), "changed meanwhile");
  kinds["a changed file"] = (await write(input, { requestState: asked.state, inputResponses })).kind;
  unlinkSync(at("a.txt"));
  symlinkSync("b.txt", at("a.txt"));
  kinds["a link"] = (await write(input, { requestState: asked.state, inputResponses })).kind;
  unlinkSync(at("a.txt"));
  writeFileSync(at("a.txt"), "old");
  const again = await write(input);
  const twice = { requestState: again.state, inputResponses };
  const both = await Promise.all([write(input, twice), write(input, twice)]);
  writeFileSync(at("a.txt"), "old");
  kinds["the same again"] = (await write(input, twice)).kind;
  expect({ kinds, both: both.map(({ kind }) => kind).sort(), b: readFileSync(at("b.txt"), "utf8") }).toEqual({
    kinds: {
      "other content": "input_required",
      "another file": "input_required",
      "no state": "input_required",
      "a cut state": "refused",
      "another word": "refused",
      "a list": "refused",
      "a changed file": "input_required",
      "a link": "input_required",
      "the same again": "input_required",
    },
    both: ["complete", "input_required"],
    b: "old",
  });
});

it("survives any client input", async () => {
  await using fixture = await rawFixture();
  writeFileSync(join(fixture.workspace, "a.txt"), "here\n");
  await fixture.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "trial", version: "1" },
  });
  const call = (more: string) => `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":${more}}`;
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  for (const line of [
    call("null"),
    call('"x"'),
    call('{"name":"__proto__","arguments":{}}'),
    call('{"name":"file_read","arguments":null}'),
    call('{"name":"file_read","arguments":{"__proto__":{"path":"a.txt"},"constructor":1}}'),
    call(`{"name":"file_read","arguments":{"path":${deep}}}`),
    call(`{"name":"file_read","arguments":{"path":"a.txt"},"_meta":{"x":${deep}}}`),
    call('{"name":"file_read","arguments":{"path":"\\ud800\\u0000"}}'),
    call('{"name":"file_read","arguments":{"path":"a.txt"},"_meta":{"progressToken":{}}}'),
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    '{"jsonrpc":"2.0","id":0,"result":null}',
    '{"jsonrpc":"2.0","id":{},"error":null}',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    "[null,1,[],{}]",
    deep,
    "[".repeat(1_000_000),
  ])
    fixture.write(line);
  const { result } = await fixture.request("tools/call", { name: "file_read", arguments: { path: "a.txt" } });
  expect(result).toEqual({ content: [{ type: "text", text: "1 | here" }] });
});

it("serves stored outputs of this workspace by handle, and no other files", { tags: "slow" }, async () => {
  await using fixture = await rawFixture();
  await fixture.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "trial", version: "1" },
  });
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${"x".repeat(20)}`);
  writeFileSync(join(fixture.workspace, "a.txt"), lines.join("\n"));
  const { result } = await fixture.request("tools/call", {
    name: "search_grep",
    arguments: { pattern: "line", limit: 5_000 },
  });
  const handle = result.content.find(({ type }: { type: string }) => type === "resource_link")?.name;
  const outputs = "toolcrib://output/";
  const uris = [
    `${outputs}${handle}/../../journal.sqlite`,
    `${outputs}..`,
    `${outputs}out_`,
    `${outputs}${handle}%00`,
  ];
  const received: unknown[] = [];
  for (const uri of [...uris, `${outputs}${handle}?offset=-1`, "file:///etc/passwd", `${outputs}${handle}`]) {
    const { error, result: read } = await fixture.request("resources/read", { uri });
    received.push(error?.code ?? typeof read.contents[0].text);
  }
  expect(received).toEqual([-32602, -32602, -32602, -32602, -32602, -32602, "string"]);
});
