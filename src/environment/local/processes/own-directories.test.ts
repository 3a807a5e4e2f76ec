import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLocalEnvironment } from "../local-environment.ts";
import { OwnDirectories } from "./own-directories.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "toolcrib given "));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const wanted = (content: string) => ({
  variable: "GIVEN",
  files: { settings: content },
  links: { elsewhere: "/nowhere/at all" },
});

describe("directories for built-in programs", () => {
  it("are created once per content", () => {
    const directories = new OwnDirectories(join(home, "given"));
    const [one, two, again] = ["one", "two", "one"].map((content) => directories.open(wanted(content)));
    expect([one === again, one === two]).toEqual([true, false]);
    expect([
      readFileSync(join(one!, "settings"), "utf8"),
      readFileSync(join(two!, "settings"), "utf8"),
      readlinkSync(join(one!, "elsewhere")),
      statSync(one!).mode & 0o777,
      readdirSync(join(home, "given")).length,
    ]).toEqual(["one", "two", "/nowhere/at all", 0o700, 2]);
  });

  it("are deleted when unused for a month", () => {
    const directories = new OwnDirectories(join(home, "given"));
    const unused = directories.open(wanted("one"));
    utimesSync(unused, new Date(0), new Date(0));
    const used = directories.open(wanted("two"));
    expect(readdirSync(join(home, "given")).map((name) => join(home, "given", name))).toEqual([used]);
  });

  it("are passed to the program when a sandbox is configured, and omitted otherwise", async () => {
    const start = async (sandbox: object) => {
      const environment = openLocalEnvironment({ workspace: home, ...sandbox });
      const process = await environment.start("sh", {
        args: ["-c", 'cat "$GIVEN/settings" 2>/dev/null || echo nothing'],
        confinement: "ours",
        ownDirectory: wanted("given"),
        signal: new AbortController().signal,
      });
      let output = "";
      for await (const piece of process.stdout) output += Buffer.from(piece);
      await environment.close();
      return output;
    };
    const sandbox = { want: "none", directory: join(home, "private") };
    expect([await start({ sandbox }), await start({})]).toEqual(["given", "nothing\n"]);
  });
});
