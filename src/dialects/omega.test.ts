import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib, type ToolcribOptions } from "../toolcrib/index.ts";
import { extraRootsOfOmega } from "./omega.ts";

describe("the omega dialect", () => {
  it("leaves texts of exactly the limit unchanged, and reports the full length of longer ones", async () => {
    await using fixture = await omegaFixture();
    const read = async (content: string) => {
      writeFileSync(join(fixture.workspace, "a.txt"), content);
      return fixture.call("read", { file_path: "a.txt" });
    };
    expect([await read("x".repeat(50_000)), await read("x".repeat(50_001))]).toEqual([
      "x".repeat(50_000),
      `${"x".repeat(50_000)}\n... (output truncated: 50001 total chars, showing first 50000)`,
    ]);
    const line = `${"x".repeat(99)}\n`;
    const print = (lines: number) =>
      fixture.call("bash", { command: `for i in {1..${lines}}; do echo ${line.trim()}; done` });
    expect([await print(300), await print(301)]).toEqual([
      line.repeat(300),
      `${line.repeat(300)}\n... (output truncated: 30100 total chars, showing first 30000)`,
    ]);
  });

  it("never cuts inside a character", async () => {
    await using fixture = await omegaFixture();
    writeFileSync(join(fixture.workspace, "a.txt"), `${"x".repeat(49_999)}🐘🐘`);
    expect(await fixture.call("read", { file_path: "a.txt" })).toBe(
      `${"x".repeat(49_999)}\n... (output truncated: 50003 total chars, showing first 49999)`,
    );
  });

  it("counts the full length of outputs and files too large to return", { tags: "slow" }, async () => {
    await using fixture = await omegaFixture();
    const line = `${"x".repeat(99)}\n`;
    writeFileSync(join(fixture.workspace, "a.txt"), line.repeat(30_000));
    const content = `${line.repeat(500)}\n... (output truncated: 3000000 total chars, showing first 50000)`;
    expect(await fixture.call("read", { file_path: "a.txt" })).toBe(content);
    expect(await fixture.call("bash", { command: "cat a.txt" })).toBe(
      `${line.repeat(300)}\n... (output truncated: 3000000 total chars, showing first 30000)`,
    );
  });

  it("counts characters of every width, however long the text is", { tags: "slow" }, async () => {
    await using fixture = await omegaFixture();
    const line = `${"é🐘".repeat(33)}\n`;
    const shown = line.repeat(500);
    const total = line.length * 30_000;
    writeFileSync(join(fixture.workspace, "a.txt"), line.repeat(30_000));
    expect(await fixture.call("read", { file_path: "a.txt" })).toBe(
      `${shown}\n... (output truncated: ${total} total chars, showing first 50000)`,
    );
    expect(await fixture.call("bash", { command: "cat a.txt" })).toBe(
      `${line.repeat(300)}\n... (output truncated: ${total} total chars, showing first 30000)`,
    );
  });

  it("gives a command 120 seconds, and keeps its output when it is stopped", async () => {
    await using fixture = await omegaFixture();
    const ending = new AbortController();
    const { content, isError } = await fixture.crib.call(
      "bash",
      { command: "echo begun; sleep 600" },
      { signal: ending.signal, onEvent: ({ type }) => type === "tool-output" && ending.abort() },
    );
    expect([isError, content.split("\n").includes("begun")]).toEqual([true, true]);
    expect(fixture.crib.log({ limit: 1 }).map(({ tool, input }) => ({ tool, input }))).toEqual([
      { tool: "shell.run", input: { command: "echo begun; sleep 600", timeout_ms: 120_000 } },
    ]);
  });

  it("writes to the temporary directory, wherever the workspace is", async () => {
    await using fixture = await omegaFixture();
    const elsewhere = mkdtempSync(join(realpathSync(tmpdir()), "omega test "));
    try {
      const path = join(elsewhere, "a.txt");
      expect(await fixture.call("write", { file_path: path, content: "x" })).toBe(
        `Created ${path}: 1 byte written.`,
      );
      // Where commands are sandboxed, both use a temporary directory of their own.
      expect(await fixture.call("bash", { command: `cat "${path}" && rm -r "${elsewhere}"` })).toBe("x");
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it("does not count a directory that contains the user's home as Omega's", () => {
    const writable = (dataDir: string) => extraRootsOfOmega(dataDir, ["/tmp"], "/home/ada").write;
    expect(["/home/ada/.omega", "/home/ada", "/home", "/", "/home/adam"].map(writable)).toEqual([
      ["/home/ada/.omega", "/tmp"],
      ["/tmp"],
      ["/tmp"],
      ["/tmp"],
      ["/home/adam", "/tmp"],
    ]);
  });

  it("refuses the runtime's own data, also behind symlinks", async () => {
    await using fixture = await omegaFixture();
    writeFileSync(join(fixture.workspace, "../config.toml"), "key");
    mkdirSync(join(fixture.workspace, "../data"));
    writeFileSync(join(fixture.workspace, "../data/memory.db"), "key");
    symlinkSync("../config.toml", join(fixture.workspace, "settings"));
    symlinkSync("../data", join(fixture.workspace, "memory"));
    const calls = [
      fixture.crib.call("read", { file_path: "settings" }),
      fixture.crib.call("read", { file_path: "memory/memory.db" }),
      fixture.crib.call("write", { file_path: "settings", content: "" }),
      fixture.crib.call("write", { file_path: "memory/new.db", content: "" }),
      fixture.crib.call("edit", { file_path: "settings", old_string: "key", new_string: "" }),
      fixture.crib.call("read", { file_path: "../state/x" }),
      fixture.crib.call("write", { file_path: "../state/x", content: "" }),
    ];
    const codes = (await Promise.all(calls)).map(({ error }) => error?.code);
    expect(codes).toEqual(calls.map(() => "denied"));
    expect(readFileSync(join(fixture.workspace, "../config.toml"), "utf8")).toBe("key");
  });

  it("uses only the extra roots of the options when they are given", async () => {
    await using fixture = await omegaFixture({ extraRoots: {} });
    const { error } = await fixture.crib.call("read", { file_path: "/etc/hostname" });
    expect(error?.code).toBe("outside-workspace");
  });
});

async function omegaFixture(options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const crib = await openToolcrib({
    workspace,
    dialect: "omega",
    mode: "yolo",
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    ...options,
  });
  return {
    crib,
    workspace,
    call: async (name: string, input: unknown) => (await crib.call(name, input)).content,
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
