import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { type TemporaryToolcrib, temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { type ClaudeAgentOptions, type ClaudeCanUseTool, claudeAgentOptions } from "./claude-agent-sdk.ts";

/** Connects a real client to the server in the options, as Claude Code does. */
async function connected({ mcpServers }: ClaudeAgentOptions): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await mcpServers.toolcrib?.instance.connect(theirs);
  const client = new Client({ name: "claude-code", version: "1" });
  await client.connect(ours);
  return client;
}

/** What Claude Code says about a call of a tool. */
const detailsOf = (name = "toolcrib", source = "sdk") => ({
  signal: new AbortController().signal,
  toolUseID: "toolu_1",
  requestId: "1",
  mcpServer: { name, source },
});

const change = { path: "poem.txt", content: "changed\n" };

/** A workspace in which each change needs approval. */
async function poem(options: Parameters<typeof temporaryToolcrib>[0] = {}): Promise<TemporaryToolcrib> {
  const made = await temporaryToolcrib({ mode: "safe", ...options });
  made.write("poem.txt", "one\n");
  return made;
}

/** Asks for permission and then makes the call with the input that was permitted, as the SDK does. */
async function write(made: TemporaryToolcrib, canUseTool: ClaudeCanUseTool, before = () => {}) {
  const options = await claudeAgentOptions(made.crib, { canUseTool });
  const permission = await options.canUseTool?.("mcp__toolcrib__file_write", { ...change }, detailsOf());
  if (permission?.behavior !== "allow") return { permission };
  before();
  const client = await connected(options);
  const call = () => client.callTool({ name: "file_write", arguments: permission.updatedInput ?? {} });
  const result = await call();
  const again = await call();
  await client.close();
  return { permission, error: result._meta?.["toolcrib/error"], again: again.isError };
}

describe("the server", () => {
  it("offers the tools to each of several queries", async () => {
    await using made = await poem();
    const options = await claudeAgentOptions(made.crib);
    const clients = [await connected(options), await connected(options)];
    for (const client of clients) {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => `mcp__toolcrib__${name}`);
      expect([names, names.includes("mcp__toolcrib__file_read")]).toEqual([options.allowedTools, true]);
      const { content } = await client.callTool({ name: "file_read", arguments: { path: "poem.txt" } });
      expect(content).toEqual([{ type: "text", text: "1 | one" }]);
      await client.close();
    }
  });

  it("does not make calls of tools that are not offered", async () => {
    await using made = await poem({ dialect: "claude-code", mode: "cautious" });
    const client = await connected(await claudeAgentOptions(made.crib));
    await client.callTool({ name: "Write", arguments: { file_path: "new.txt", content: "new\n" } });
    await expect(client.callTool({ name: "journal.undo" })).rejects.toThrow("journal.undo");
    expect(made.read("new.txt")).toBe("new\n");
    await client.close();
  });

  it("turns off the tools of Claude Code, and the settings of the workspace", async () => {
    await using made = await poem();
    const { tools, settingSources, strictMcpConfig } = await claudeAgentOptions(made.crib);
    expect({ tools, settingSources, strictMcpConfig }).toEqual({
      tools: [],
      settingSources: [],
      strictMcpConfig: true,
    });
  });
});

describe("canUseTool", () => {
  it("asks the program once, and the approved call runs once", async () => {
    await using made = await poem();
    const asked: unknown[] = [];
    const { permission, error, again } = await write(made, async (name, input, { approval, ...details }) => {
      asked.push([name, input, details.decisionReason, approval?.request.preview]);
      return { behavior: "allow", updatedPermissions: [] };
    });
    expect(permission).toEqual({ behavior: "allow", updatedInput: change });
    expect([error, again, made.read("poem.txt")]).toEqual([undefined, true, "changed\n"]);
    const diff = expect.stringContaining("+changed");
    const question = expect.stringMatching(/^Allow file\.write\? .*\+changed.*^Why: /ms);
    expect(asked).toEqual([["mcp__toolcrib__file_write", change, question, diff]]);
  });

  it("passes a refusal on", async () => {
    await using made = await poem();
    const deny = { behavior: "deny", message: "Leave it.", interrupt: true } as const;
    expect(await write(made, async () => deny)).toEqual({ permission: deny });
    expect([made.crib.approvals.list(), made.read("poem.txt")]).toEqual([[], "one\n"]);
  });

  it.each<[string, ClaudeCanUseTool]>([
    ["returned", async () => ({ behavior: "allow", updatedInput: { ...change, content: "other\n" } })],
    [
      "changed in place",
      async (_, input) => ({ behavior: "allow", updatedInput: Object.assign(input, { content: "other\n" }) }),
    ],
  ])("does not approve another input that the program has %s", async (_, canUseTool) => {
    await using made = await poem();
    const { error } = await write(made, canUseTool);
    expect([error, made.read("poem.txt")]).toEqual([
      expect.objectContaining({ code: "needs-approval" }),
      "one\n",
    ]);
  });

  it("does not approve a call whose file changes after it was shown", async () => {
    await using made = await poem();
    const allow: ClaudeCanUseTool = async () => ({ behavior: "allow" });
    const { error } = await write(made, allow, () => made.write("poem.txt", "by the user\n"));
    expect([error, made.read("poem.txt")]).toEqual([
      expect.objectContaining({ code: "needs-approval" }),
      "by the user\n",
    ]);
  });

  it("asks about other tools, and about servers with similar names, but not about calls that need no approval", async () => {
    await using made = await poem();
    const asked: string[] = [];
    const { canUseTool } = await claudeAgentOptions(made.crib, {
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: "deny", message: "No." };
      },
    });
    const input = { path: "poem.txt" };
    const allowed = await canUseTool?.("mcp__toolcrib__file_read", input, detailsOf());
    await canUseTool?.("mcp__toolcrib__file_read", input, detailsOf("toolcrib", "project"));
    await canUseTool?.("mcp__toolcrib__x__file_read", input, detailsOf("toolcrib__x", "project"));
    const { mcpServer: _, ...ofClaude } = detailsOf();
    await canUseTool?.("Bash", { command: "ls" }, ofClaude);
    expect(allowed).toEqual({ behavior: "allow", updatedInput: input });
    expect(asked).toEqual(["mcp__toolcrib__file_read", "mcp__toolcrib__x__file_read", "Bash"]);
  });

  it("is left out by default: the instance asks", async () => {
    const asked: string[] = [];
    await using made = await poem({
      approve: ({ tool }) => {
        asked.push(tool);
        return { allow: true };
      },
    });
    const options = await claudeAgentOptions(made.crib);
    expect([options.canUseTool, options.allowedTools]).toEqual([
      undefined,
      expect.arrayContaining(["mcp__toolcrib__file_write"]),
    ]);
    const client = await connected(options);
    await client.callTool({ name: "file_write", arguments: change });
    expect([asked, made.read("poem.txt")]).toEqual([["file.write"], "changed\n"]);
    await client.close();
  });
});
