import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../../../test/support/as-ordinary-user.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Environment } from "../../contract/environment.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { grep, searchGrep } from "./grep.ts";
import { usualBudget } from "./grep-search.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib engines "));
  closing.push(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
}

function open(workspace: string, programs: Readonly<Record<string, string | undefined>> = {}): Environment {
  const environment = openLocalEnvironment({ workspace, programs });
  closing.push(() => environment.close());
  return environment;
}

const nothing = { files: 0, bytes: 0 };

describe("search.grep", () => {
  it("searches small workspaces in process, and hands large ones over with the results so far", async () => {
    const workspace = makeFolder();
    const names = Array.from({ length: 30 }, (_, index) => `f${String(index).padStart(2, "0")}.txt`);
    write(workspace, Object.fromEntries(names.map((name) => [name, "hit\n"])));
    const context = toolContext(open(workspace));
    const inProcess = await searchGrep.run({ pattern: "hit" }, context);
    const handedOver = await grep({ pattern: "hit" }, context, { files: 10, bytes: 1000 });
    const alone = await grep({ pattern: "hit" }, toolContext(open(workspace, { rg: undefined })), {
      files: 10,
      bytes: 1000,
    });
    expect([inProcess, handedOver, alone].map(({ data }) => [data.engine, data.searchedFiles])).toEqual([
      ["built-in", 30],
      ["ripgrep", undefined],
      ["built-in", 30],
    ]);
    for (const { text } of [inProcess, handedOver, alone]) {
      expect(text).toBe(names.map((name) => `${name}:1:hit`).join("\n"));
    }
  });

  it("hands over to ripgrep when a pattern takes too long", { tags: "slow" }, async () => {
    const workspace = makeFolder();
    write(workspace, { "a.txt": `${"a".repeat(60)}!\n`, "b.txt": "aaa\n" });
    const { data, text } = await searchGrep.run({ pattern: "^(a|aa)+$" }, toolContext(open(workspace)));
    expect([data.engine, text]).toEqual(["ripgrep", "b.txt:1:aaa"]);
  });

  it("searches files of any size with the same result, with ripgrep and in chunks", {
    tags: "slow",
  }, async () => {
    const workspace = makeFolder();
    const filler = "x".repeat(99);
    const lines = Array.from({ length: 50_000 }, (_, index) =>
      index % 10_000 === 9_999 ? `hit ${index}` : filler,
    );
    write(workspace, {
      "large.txt": lines.join("\n"),
      "wide.txt": Buffer.from(`\uFEFF${lines.join("\r\n")}`, "utf16le"),
      "mark.txt": `\uFEFF${lines.join("\r\n")}\r\n`,
    });
    const byRipgrep = toolContext(open(workspace));
    const inPieces = toolContext(open(workspace, { rg: undefined }));
    for (const input of [
      { pattern: "hit \\d+$", context: 1 },
      { pattern: "hit", path: "large.txt", limit: 2 },
      { pattern: "hit", path: "wide.txt", before: 2 },
      { pattern: "HIT", mode: "count", ignore_case: true },
      { pattern: "hit", mode: "files" },
      { pattern: "39999$\\s+x", multiline: true, path: "mark.txt" },
    ] as const) {
      const one = await grep(input, byRipgrep, nothing);
      const other = await searchGrep.run(input, inPieces);
      expect([one.data.engine, other.data.engine]).toEqual(["ripgrep", "built-in"]);
      expect(one.text.split("\n").length).toBeGreaterThan(1);
      expect(other.text).toBe(one.text);
    }
  });

  it("shows the match in a very long line", async () => {
    const workspace = makeFolder();
    write(workspace, { "bundle.js": `${"var a=1;".repeat(1_300_000)}hit();${"var b=2;".repeat(1000)}` });
    const { text } = await searchGrep.run({ pattern: "hit\\(" }, toolContext(open(workspace)));
    expect(text).toBe(
      `bundle.js:1:[…] ${"var a=1;".repeat(13).slice(4)}hit();${"var b=2;".repeat(50).slice(0, 394)} […]`,
    );
  });

  it("shows nothing outside the workspace, even if ripgrep returns it", async () => {
    const folder = makeFolder();
    const workspace = path.join(folder, "workspace");
    const liar = path.join(folder, "rg");
    write(workspace, { "a.txt": "hit\n", "b.txt": "nothing\n", "c.txt": "hit here\n" });
    const records = [
      "a.txt\\0001:1:0:secret",
      "b.txt\\0001:1:0:secret",
      "../rg\\0001:1:0:#!/bin/sh",
      "gone.txt\\0001:1:0:secret",
    ];
    fs.writeFileSync(
      liar,
      `#!/bin/sh\nprintf '${records.map((record) => `./${record}\\n`).join("")}./c.txt\\0001:1:0:hit here\\n'\n`,
    );
    fs.chmodSync(liar, 0o755);
    const { data } = await grep({ pattern: "hit" }, toolContext(open(workspace, { rg: liar })), nothing);
    expect([data.engine, data.matches]).toEqual([
      "ripgrep",
      [
        { path: "a.txt", line: 1, text: "hit" },
        { path: "c.txt", line: 1, text: "hit here" },
      ],
    ]);
  });

  it("continues when a file with enough matches has changed since ripgrep read it", async () => {
    const folder = makeFolder();
    const workspace = path.join(folder, "workspace");
    const rg = path.join(folder, "rg");
    write(workspace, { "a.txt": "nothing\n", "b.txt": "hit\n" });
    const seen = [1, 2, 3].map((line) => `./a.txt\\000${line}:1:${line * 4}:hit\\n`).join("");
    const script = `#!/bin/sh\nprintf '${seen}'; sleep 0.2; printf './b.txt\\0001:1:0:hit\\n'\n`;
    fs.writeFileSync(rg, script, { mode: 0o755 });
    const { text } = await grep({ pattern: "hit", limit: 2 }, toolContext(open(workspace, { rg })), nothing);
    expect(text).toBe("b.txt:1:hit");
  });

  it("never shows content behind a link that replaces a directory during the search", {
    tags: "slow",
  }, async () => {
    const folder = makeFolder();
    const workspace = path.join(folder, "workspace");
    write(folder, {
      "outside/a.txt": "hit secret\n",
      "workspace/inner/a.txt": "hit open\n",
      "workspace/z.txt": "hit last\n",
    });
    const swap = `
      const fs = require("node:fs");
      process.chdir(${JSON.stringify(workspace)});
      process.send("ready");
      for (;;) {
        fs.renameSync("inner", "away");
        fs.symlinkSync("../outside", "inner");
        fs.unlinkSync("inner");
        fs.renameSync("away", "inner");
      }`;
    const attacker = spawn(process.execPath, ["-e", swap], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const ended = once(attacker, "exit");
    try {
      await once(attacker, "message");
      const context = toolContext(open(workspace));
      const seen = new Set<string>();
      for (let round = 0; round < rounds(20); round += 1) {
        const { data } = await grep({ pattern: "hit" }, context, round % 2 === 0 ? nothing : usualBudget);
        for (const match of data.matches) seen.add(match.text);
      }
      expect([...seen].filter((text) => text.includes("secret"))).toEqual([]);
      expect(seen).toContain("hit last");
    } finally {
      attacker.kill("SIGKILL");
      await ended;
    }
  });

  it("follows a link given as the path, and no other", async () => {
    const workspace = makeFolder();
    write(workspace, { "real/a.txt": "hit\n" });
    fs.symlinkSync("real", path.join(workspace, "link"));
    fs.symlinkSync("real/a.txt", path.join(workspace, "file-link"));
    const context = toolContext(open(workspace));
    for (const budget of [nothing, usualBudget]) {
      for (const searched of [".", "link", "file-link"]) {
        expect((await grep({ pattern: "hit", path: searched }, context, budget)).text).toBe(
          "real/a.txt:1:hit",
        );
      }
    }
  });

  it("applies ignore files above the workspace", async () => {
    const folder = makeFolder();
    write(folder, {
      ".gitignore": "*.far\n",
      "repo/.git/info/exclude": "excluded.txt\n",
      "repo/.gitignore": "*.log\n/work/only.txt\n",
      "repo/.ignore": "!kept.log\n",
      "repo/work/a.log": "hit\n",
      "repo/work/kept.log": "hit\n",
      "repo/work/only.txt": "hit\n",
      "repo/work/excluded.txt": "hit\n",
      "repo/work/a.far": "hit\n",
    });
    const workspace = path.join(folder, "repo/work");
    for (const budget of [nothing, usualBudget]) {
      const { text } = await grep({ pattern: "hit", mode: "files" }, toolContext(open(workspace)), budget);
      expect(text).toBe("a.far\nkept.log");
    }
  });

  it("reports files it could not read", { tags: ["root", "slow"] }, async () => {
    const workspace = makeFolder();
    write(workspace, { "a.txt": "hit\n", "closed.txt": "hit\n", "shut/b.txt": "hit\n" });
    fs.chmodSync(path.join(workspace, "closed.txt"), 0);
    fs.chmodSync(path.join(workspace, "shut"), 0);
    closing.push(() => fs.chmodSync(path.join(workspace, "shut"), 0o700));
    const forbidden = new URL("../../../test/support/search-tools/forbidden.ts", import.meta.url);
    const text = "a.txt:1:hit\n[could not read closed.txt, shut]";
    const unreadable = ["closed.txt", "shut"];
    expect(await asOrdinaryUser(forbidden, workspace)).toMatchObject({
      searches: [
        { engine: "ripgrep", text, unreadable },
        { engine: "built-in", text, unreadable },
      ],
    });
  });

  it("searches stored outputs by their handles", async () => {
    const handle = "out_0123456789abcdef";
    const environment = new MemoryEnvironment({ outputs: { [handle]: "one\ntwo hit\n" } });
    const { data, text } = await searchGrep.run({ pattern: "hit", path: handle }, toolContext(environment));
    expect([data.engine, text]).toEqual(["built-in", `${handle}:2:two hit`]);
  });

  it("ends when it is cancelled", async () => {
    const workspace = makeFolder();
    write(workspace, { "a.txt": "hit\n" });
    const environment = open(workspace);
    for (const budget of [nothing, usualBudget]) {
      const searching = grep({ pattern: "hit" }, toolContext(environment, AbortSignal.abort()), budget);
      await expect(searching).rejects.toMatchObject({ code: "cancelled" });
    }
  });

  it("does not report an interrupted search as complete", async () => {
    const folder = makeFolder();
    const workspace = path.join(folder, "workspace");
    write(workspace, { "a.txt": "hit\n" });
    const program = (name: string, end: string) => {
      const file = path.join(folder, name);
      fs.writeFileSync(file, `#!/bin/sh\nprintf './a.txt\\0001:1:0:hit\\n'\n${end}\n`, { mode: 0o755 });
      return file;
    };
    const dying = toolContext(open(workspace, { rg: program("dying", "kill -9 $$") }));
    await expect(grep({ pattern: "hit" }, dying, nothing)).rejects.toMatchObject({ code: "unavailable" });
    const controller = new AbortController();
    const rg = program("endless", ': > "$0 has begun"; exec sleep 60');
    const searching = grep(
      { pattern: "hit" },
      toolContext(open(workspace, { rg }), controller.signal),
      nothing,
    );
    const cancelled = expect(searching).rejects.toMatchObject({ code: "cancelled" });
    while (!fs.existsSync(`${rg} has begun`)) await setTimeout(5);
    controller.abort();
    await cancelled;
  });

  it("declares what it reads", () => {
    expect([
      searchGrep.accesses({ pattern: "a" }),
      searchGrep.accesses({ pattern: "a", path: "src" }),
    ]).toEqual([[{ kind: "read", path: "." }], [{ kind: "read", path: "src" }]]);
  });
});
