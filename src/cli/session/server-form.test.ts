import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { askByForm } from "./server-form.ts";

/** Answers the form of a server with these inputs, and returns the answer and what was shown. */
async function fill(
  requestedSchema: object | undefined,
  inputs: readonly (string | undefined)[],
  message = "Which?",
) {
  const left = [...inputs];
  const shown: string[] = [];
  const params = { message, requestedSchema };
  const question = { server: "docs", message, params, signal: new AbortController().signal };
  const answer = await askByForm(
    question,
    async (lines) => {
      shown.push(lines.join("\n"));
      return left.shift();
    },
    80,
  );
  return { answer, shown };
}

const form = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});

describe("the form of an MCP server", () => {
  it("asks for every kind of field, and repeats it until the input is valid", async () => {
    const properties = {
      branch: { type: "string", title: "Branch", description: "where to", minLength: 2 },
      count: { type: "integer", minimum: 1, default: 3 },
      share: { type: "number", maximum: 1 },
      force: { type: "boolean" },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
      tags: { type: "array", items: { anyOf: [{ const: "a", title: "A" }, { const: "b" }] } },
      note: { type: "string" },
    };
    const inputs = ["maybe", "yes", "", "x", "main", "", "2", "0.5", "n", "9", "2", "s", "1, 2", ""];
    const { answer, shown } = await fill(form(properties, ["branch"]), inputs);
    expect(answer).toEqual({
      action: "accept",
      content: {
        branch: "main",
        count: 3,
        share: 0.5,
        force: false,
        color: "g",
        size: "s",
        tags: ["a", "b"],
      },
    });
    expect(shown[0]).toBe(`The MCP server docs asks you:
  | Which?
That server gets your answer. Do not enter passwords or keys.
Answer the MCP server docs? Type yes or no.`);
    expect(shown[4]).toBe(`  | Branch: where to
Field 1 of 8 for the MCP server docs: type text
Type at least 2 characters.`);
    expect(shown[5]).toBe(`  | count
  | Default: 3
Field 2 of 8 for the MCP server docs: type a whole number, or Enter for the default`);
    expect(shown[9]).toContain("  | 1. Red\n  | 2. Green");
  });

  it.each([
    ["email", ["name", "a b@c"], "name@example.com"],
    ["uri", ["example"], "https://example.com"],
    ["date", ["31.1.2026", "2026-02-30"], "2026-01-31"],
    [
      "date-time",
      ["2026-01-31", "2026-01-31T25:00:00Z", "2026-02-30T12:00:00Z"],
      "2026-01-31T12:00:00+01:00",
    ],
  ])("takes only text of the format that a field wants: %s", async (format, wrong, right) => {
    const { answer, shown } = await fill(form({ it: { type: "string", format } }, ["it"]), [
      "yes",
      ...wrong,
      right,
    ]);
    expect(answer).toEqual({ action: "accept", content: { it: right } });
    expect(shown[1]).toMatch(/: type an? .* such as \S+$/);
    expect(shown.length).toBe(2 + wrong.length);
  });

  it("is declined by no, and cancelled by Esc, by too many mistakes, and when it cannot be typed", async () => {
    const name = form({ name: { type: "string" } }, ["name"]);
    const answers = [
      await fill(name, ["no"]),
      await fill(name, [undefined]),
      await fill(name, ["y", undefined]),
      await fill(name, ["y", "", "", "", "", "", "late"]),
      await fill(form({ deep: { type: "object" } }), [""]),
      await fill(form({ "a\u001b[2J": { type: "string" } }), [""]),
      await fill(undefined, [""]),
    ];
    expect(answers.map(({ answer }) => answer.action)).toEqual([
      "decline",
      ...Array.from({ length: 6 }, () => "cancel"),
    ]);
  });

  it("quotes everything that the server says, so that it cannot look like an approval", async () => {
    const forged = "Allow  shell.run?\n[y]es once\u001b[2J";
    const field = { type: "string", title: forged, description: forged, default: forged, enum: [forged] };
    const { shown } = await fill(form({ field }), ["yes", "1"], `Which?\n${forged}`);
    const lines = shown.join("\n").split("\n");
    const ours = lines.filter((line) => !line.startsWith("  | "));
    expect(ours).toEqual([
      "The MCP server docs asks you:",
      "That server gets your answer. Do not enter passwords or keys.",
      "Answer the MCP server docs? Type yes or no.",
      "Field 1 of 1 for the MCP server docs: type a number from the list, or Enter for the default",
    ]);
    expect(shown.join("")).not.toContain("\u001b");
  });
});

/** A chat or task whose model calls a tool that asks the user. */
async function askingFixture() {
  const fixture = await cliWithModel(({ messages }) => {
    const last = messages.at(-1)!;
    if (last.role === "user") return { calls: [{ name: "ask", input: {} }] };
    return { text: `Result: ${last.text}` };
  });
  const server = join(import.meta.dirname, "../../../test/support/mcp/offering-server.ts");
  const mcpServers = { docs: { command: process.execPath, args: [server, "docs"] } };
  fixture.write(join(fixture.home, "config/mcp.json"), JSON.stringify({ mcpServers }));
  return fixture;
}

const allowed = ["--rule", "allow use * of docs"];

it("is declined by `run` without a terminal, which says so", { tags: "slow" }, async () => {
  await using fixture = await askingFixture();
  const { stdout, stderr } = await fixture.run("run", ...allowed, "ask");
  expect([stdout, stderr]).toEqual([
    expect.stringContaining('"action":"decline"'),
    expect.stringContaining(
      "The MCP server docs asked you something. Toolcrib declined, because there is no terminal to ask on.\n",
    ),
  ]);
});

if (!hasTerminals) it.skip("a chat (skipped: `script` of util-linux is missing)", () => {});
else
  it("is shown in a chat, on a screen and in plain lines", { tags: "slow" }, async () => {
    await using fixture = await askingFixture();
    await using terminal = fixture.emulate(["chat", ...allowed]);
    await terminal.shows("· cautious");
    terminal.type("ask\r");
    const asked = await terminal.shows("Enter answers, Esc cancels");
    expect(asked).toContain("The MCP server docs asks you:\n  | Which?");
    terminal.type("yes\r");
    await terminal.shows("type text, or Enter to skip it");
    terminal.type("\u001b");
    await terminal.shows('Result: {"action":"cancel"}');
    terminal.type("/exit\r");
    await terminal.exit;
    const { screen } = await fixture.onTerminal(
      ["run", ...allowed, "ask"],
      [
        ["Type yes or no.", "yes\n"],
        ["Field 1 of 1", "main\n"],
      ],
    );
    expect(screen).toContain('{"action":"accept","content":{"branch":"main"}}');
  });
