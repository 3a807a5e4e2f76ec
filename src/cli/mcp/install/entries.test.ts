import { describe, expect, it } from "vitest";
import { type EntryEdit, editText, readEntry } from "./configuration.ts";
import { jsonEntry, tomlEntry } from "./configuration-entry.ts";

const value = { command: "node", args: ["x", "mcp"] };

/** Adds an entry, changes it, and removes it: every other byte stays unchanged after each step. */
function change(editor: EntryEdit, text: string, servers: string) {
  const key = { servers, name: "toolcrib" };
  const file = "settings";
  const set = editText({ file, text }, editor, key, value);
  const again = editText({ file, text: set }, editor, key, value);
  const other = editText({ file, text: set }, editor, key, { command: "other" });
  const back = editText({ file, text: other }, editor, key, value);
  const removed = editText({ file, text: back }, editor, key, undefined);
  return { set, again, back, removed, found: readEntry({ file, text: set }, editor, key) };
}

function refusal(editor: EntryEdit, text: string, servers = "mcpServers"): string {
  try {
    editText({ file: "settings", text }, editor, { servers, name: "toolcrib" }, value);
    return "changed";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("an entry in JSON", () => {
  const texts: readonly string[] = [
    '{\n  "mcpServers": {\n    "b": { "command": "c" }\n  }\n}\n',
    '{\n\t// tabs, and a comma that JSON does not know\n\t"mcpServers": {\n\t\t"b": {} /* z */,\n\t},\n}\n',
    '{\r\n    "mcpServers": { // here\r\n        "b": { "args": ["}", "//"] }\r\n    }\r\n}',
    '{"a":1,"mcpServers":{"b":{"command":"c"}}}',
    '\uFEFF{ "mcpServers": { "b": 1 }, "z": [1, 2] } // end',
    '{\n  "theme": "One", // nice\n  "mcpServers": {\n    "b": {}, // the last\n    /* nothing */\n  },\n  "z": null,\n}\n',
  ];

  it("leaves everything else unchanged: comments, order, indentation, line endings and the byte-order mark", () => {
    for (const text of texts) {
      const { set, again, back, removed, found } = change(jsonEntry, text, "mcpServers");
      expect({ again, back, removed, found, isLonger: set.length > text.length }).toEqual({
        again: set,
        back: set,
        removed: text,
        found: value,
        isLonger: true,
      });
      // The added text is contiguous.
      const at = [...set].findIndex((letter, index) => letter !== [...text][index]);
      const added = set.length - text.length;
      expect(set.slice(0, at) + set.slice(at + added)).toBe(text);
    }
  });

  it("creates a missing container, also in an empty file, in the style of the file", () => {
    const sets = ["", "{}", "// none yet\n", '{\n\t"a": 1\n}\n', '{\r\n  "a": 1\r\n}', '{"a":1}'].map(
      (text) => change(jsonEntry, text, "mcp").set,
    );
    const entry = (tab: string) =>
      [
        `"mcp": {`,
        `\t"toolcrib": {`,
        `\t\t"command": "node",`,
        `\t\t"args": [`,
        `\t\t\t"x",`,
        `\t\t\t"mcp"`,
        `\t\t]`,
        `\t}`,
        `}`,
      ]
        .map((line) => tab + line.replaceAll("\t", tab))
        .join("\n");
    const compact = '"mcp": {"toolcrib":{"command":"node","args":["x","mcp"]}}';
    expect(sets).toEqual([
      `{\n${entry("  ")}\n}\n`,
      `{\n${entry("  ")}\n}`,
      `// none yet\n{\n${entry("  ")}\n}\n`,
      `{\n${entry("\t")},\n\t"a": 1\n}\n`,
      `{\n${entry("  ")},\n  "a": 1\n}`.replaceAll("\n", "\r\n"),
      `{${compact}, "a":1}`,
    ]);
  });

  it("is refused when the file cannot be parsed, with the line", () => {
    expect(
      [
        '{\n  "a": 1\n  "b": 2\n}',
        "[]",
        '{"mcpServers": []}',
        '{"mcpServers": {"toolcrib": 1, "toolcrib": 2}}',
        '{"mcpServers": {}, "mcpServers": {"a": 1}}',
        "{",
        "yaml: true",
      ].map((text) => refusal(jsonEntry, text)),
    ).toEqual([
      "settings cannot be changed: line 3: CommaExpected",
      "settings cannot be changed: the top level is not an object",
      "settings cannot be changed: mcpServers is not an object",
      'settings cannot be changed: "toolcrib" occurs twice',
      'settings cannot be changed: "mcpServers" occurs twice',
      "settings cannot be changed: line 1: CloseBraceExpected",
      "settings cannot be changed: line 1: InvalidSymbol",
    ]);
  });
});

describe("an entry in TOML", () => {
  it("leaves everything else unchanged", () => {
    const texts = [
      "",
      'model = "gpt-5" # mine\n\n[mcp_servers.other]\ncommand = "c"\nargs = []\n',
      'model = "gpt-5"\r\n[profiles.a]\r\nx = 1979-05-27T07:32:00Z\r\n',
      '[mcp_servers]\n[mcp_servers."a.b"]\ncommand = """\n[mcp_servers.fake]\n"""\n',
    ];
    for (const text of texts) {
      const { set, again, back, removed, found } = change(tomlEntry, text, "mcp_servers");
      expect({ begins: set.startsWith(text), again, back, removed, found }).toEqual({
        begins: true,
        again: set,
        back: set,
        removed: text,
        found: value,
      });
    }
  });

  it("is replaced in place with its subtables, and leaves its neighbours", () => {
    const text = [
      "[mcp_servers.toolcrib] # ours",
      'command = "old"',
      "[mcp_servers.toolcrib.env]",
      'A = "1"',
      "",
      "# about the next",
      "[tui]",
      "theme = 1",
      "",
    ].join("\n");
    const { set, removed } = change(tomlEntry, text, "mcp_servers");
    expect([set, removed]).toEqual([
      '[mcp_servers.toolcrib]\ncommand = "node"\nargs = ["x", "mcp"]\n\n# about the next\n[tui]\ntheme = 1\n',
      "\n# about the next\n[tui]\ntheme = 1\n",
    ]);
  });

  it("is refused when the file is ambiguous", () => {
    expect(
      [
        "a = \n",
        'mcp_servers = { toolcrib = { command = "x" } }\n',
        'mcp_servers.toolcrib.command = "x"\n',
        "mcp_servers = 7\n",
        'a = """\n[mcp_servers.toolcrib]\n"""\n[mcp_servers.toolcrib]\ncommand = "x"\n',
      ].map((text) => refusal(tomlEntry, text, "mcp_servers").slice(0, 38)),
    ).toEqual(Array(5).fill(expect.stringMatching(/^settings cannot be changed: /)));
  });
});
