import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

it("names the dialect's own tools for reading the output of a command that was stopped", {
  tags: "slow",
}, async () => {
  await using folder = temporaryFolder();
  const fixture = await openToolcrib({
    workspace: folder.path,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    dialect: "anthropic",
    mode: "yolo",
    sandbox: "none",
  });
  try {
    const input = { command: "yes | head -c 3000000; sleep 300", timeout_ms: 3_000 };
    const { error, content, output } = await fixture.call("shell", input);
    expect([error?.code, content.split("\n").at(-1)]).toEqual([
      "timeout",
      `[The whole output is stored as ${output}; pass it as a path to read_file or grep.]`,
    ]);
  } finally {
    await fixture.close();
  }
});

it.each([
  ["claude-code", "Read", "file_path", "Read or Grep"],
  ["gemini-cli", "read_file", "file_path", "read_file or grep_search"],
  ["rustant", "file_read", "path", "file_read"],
  ["surgical", "read_file", "path", "read_file or grep"],
  ["toolcrib", "file_read", "path", "file_read or search_grep"],
])(
  "marks a long line of a file in %s as cut, and stores all of it",
  async (dialect, tool, field, readers) => {
    await using folder = temporaryFolder();
    const line = Array.from({ length: 1_500 }, (_, number) => `${number}ä`).join(" ");
    writeFileSync(join(folder.path, "data.json"), `first\n${line}\nlast\n`);
    const crib = await openToolcrib({
      workspace: folder.path,
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      dialect,
    });
    try {
      const shown = await crib.call(tool, { [field]: "data.json" });
      expect([shown.truncated, shown.content.split("\n").at(-1)]).toEqual([
        true,
        `[The whole output is stored as ${shown.output}, with long lines wrapped; pass it as a path to ${readers}.]`,
      ]);
      expect(shown.content).toMatch(/… \[\d+ more characters in this line\]\n/);
      const rest = await crib.call(tool, { [field]: shown.output });
      const joined = rest.content.replace(/^ *\d+(?: \| |\t)/gm, "").replaceAll("\n", "");
      expect([rest.truncated, joined.includes(line)]).toEqual([false, true]);
    } finally {
      await crib.close();
    }
  },
);
