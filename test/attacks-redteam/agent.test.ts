import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/event.ts";
import { openModel } from "../../src/models/open-model.ts";
import { sessionOnLoopback } from "../agent/session-on-loopback.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const key = "zq9-CANARY-0123456789";

/** Asks a model of `provider` at a server that answers like this. Returns the error. */
async function askAt(provider: string, server: Server): Promise<unknown> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const headers = { "x-own": key };
  try {
    const model = await openModel(`${provider}/any`, {
      providers: { [provider]: { baseUrl, apiKey: key, headers } },
    });
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
    for await (const _ of model.stream({ system: "", messages, tools: [] }, new AbortController().signal));
    return undefined;
  } catch (error) {
    return error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const providers = ["openai", "openai-chat", "anthropic", "google", "openrouter", "ollama"];

it.each(providers)("%s sends neither the key nor the conversation to a redirect target", async (provider) => {
  const reached: IncomingHttpHeaders[] = [];
  const elsewhere = createServer(({ headers }, response) => {
    reached.push(headers);
    response.end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const { port } = elsewhere.address() as AddressInfo;
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://localhost:${port}/`;
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { location }).end();
    });
    expect(await askAt(provider, server)).toMatchObject({ name: "ModelError", isPassing: false });
  }
  elsewhere.close();
  expect(reached).toEqual([]);
});

it.each(providers)("%s does not read an endless error", async (provider) => {
  const piece = "x".repeat(1 << 20);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { "content-type": "application/json" }).write('{"error":{"message":"');
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  const error = await askAt(provider, server);
  expect(error).toMatchObject({ name: "ModelError" });
  expect((error as Error).message.length).toBeLessThan(1_000);
});

it.each(["openai", "openai-chat", "anthropic", "google", "ollama", "openrouter"] as const)(
  "%s continues after calls named like built-in object properties",
  async (kind) => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
    const calls = names.map((name, index) => ({ name, input: {}, id: `call_odd_${index}` }));
    const { session, close } = await sessionOnLoopback([{ calls }, { text: "one" }, { text: "two" }], {
      kind,
    });
    const outcomes = [await session.run("go").result, await session.run("on").result];
    expect(outcomes.map(({ outcome, text }) => [outcome, text])).toEqual([
      ["completed", "one"],
      ["completed", "two"],
    ]);
    expect(await close()).toEqual([]);
  },
);

it("denies models access to Toolcrib's own files, also in a workspace that contains them", async () => {
  await using folder = temporaryFolder();
  const [config, state] = [join(folder.path, ".config/toolcrib"), join(folder.path, ".state/toolcrib")];
  for (const each of [config, state]) mkdirSync(each, { recursive: true });
  const files = {
    [join(config, "models.json")]: `{"providers":{"openai":{"apiKey":"${key}"}}}`,
    [join(config, "instructions.md")]: `Words: ${key}`,
    [join(state, "chat-history")]: `${key}\n`,
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text);
  const paths = Object.keys(files);
  const calls = [
    ...paths.map((path) => ({ name: "file_read", input: { path } })),
    ...paths.map((path) => ({ name: "file_write", input: { path, content: "{}" } })),
    ...paths.map((path) => ({ name: "shell_run", input: { command: `cat '${path}'; echo > '${path}'` } })),
    { name: "search_grep", input: { pattern: "CANARY", hidden: true, no_ignore: true } },
    { name: "file_move", input: { from: ".config", to: ".moved" } },
  ];
  const { session, events, close } = await sessionOnLoopback([{ calls }, { text: "done" }], {
    workspace: folder.path,
    dialect: "toolcrib",
    configDirectory: config,
    stateDirectory: state,
    server: { strict: false },
  });
  await session.run("go").result;
  await close();
  const ends = events.filter((event): event is ToolEnd => event.type === "tool-end");
  expect(ends.filter(({ output }) => output.includes(key))).toEqual([]);
  expect(ends.filter(({ isError, canonical }) => !isError && canonical !== "search.grep")).toEqual([]);
  expect(Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]))).toEqual(files);
});

type ToolEnd = Extract<AgentEvent, { type: "tool-end" }>;

it("gives a subagent no more than the session has: no refused tools, and no more rounds", async () => {
  let asked = 0;
  const { session, events, close } = await sessionOnLoopback(
    ({ messages, number }) => {
      const isChild = messages[0]!.text.includes("child");
      if (isChild) {
        const path = `made-${number}`;
        return { calls: [{ name: "file_write", input: { path, content: "x" }, id: `call_${number}` }] };
      }
      const spawn = {
        name: "agent_spawn",
        input: { task: "child", max_turns: 1_000, wait_ms: 60_000 },
      };
      return messages.length === 1 ? { calls: [spawn] } : { text: "done" };
    },
    {
      dialect: "toolcrib",
      mode: "safe",
      limits: { rounds: 3 },
      server: { strict: false },
      approve: ({ agent }) => {
        asked += Number(agent === "agent_1");
        return { allow: false };
      },
    },
  );
  const { outcome } = await session.run("go").result;
  await close();
  const writes = events.filter(
    (event): event is ToolEnd => event.type === "tool-end" && event.canonical === "file.write",
  );
  expect({ outcome, asked, refused: writes.map(({ agent, error }) => [agent, error?.code]) }).toEqual({
    outcome: "completed",
    asked: 3,
    refused: [1, 2, 3].map(() => ["agent_1", "denied"]),
  });
});
