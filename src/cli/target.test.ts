import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";
import { isAlive } from "../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { shellQuote } from "../lib/text/shell-quote.ts";
import { openToolcrib } from "../toolcrib/index.ts";

let here: CliWorkspace;
let there: CommandTarget;
beforeAll(() => {
  here = cliWorkspace();
  there = commandTarget("cd");
  writeFileSync(join(there.home, "poem.txt"), "one\ntwo\n");
  here.write("poem.txt", "not this one\n");
});
afterAll(async () => {
  await there[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
});

const poem = () => readFileSync(join(there.home, "poem.txt"), "utf8");
const onTarget = (...words: string[]) => here.run(...words, "--target", there.target.name);

describe("--target", () => {
  it("reads, edits and undoes files there, and names the target in the log", { tags: "slow" }, async () => {
    const read = await onTarget("call", "file.read", "poem.txt");
    expect(read).toMatchObject({ exit: 0, stdout: "1 | one\n2 | two\n" });
    const edited = await onTarget("call", "edit.replace", "poem.txt", "--find", "two", "--replace", "three");
    expect(edited).toMatchObject({ exit: 0 });
    expect(poem()).toBe("one\nthree\n");
    expect(await onTarget("undo")).toMatchObject({ exit: 0 });
    expect(poem()).toBe("one\ntwo\n");
    const log = await onTarget("log", "--json");
    const { name } = there.target;
    expect(log.stdout).toContain(`"workspace":${JSON.stringify(name)}`);
    expect(log.stdout).toContain(`"target":${JSON.stringify(name)}`);
    const lines = (await onTarget("log")).stdout.split("\n");
    expect(lines).toEqual([`Target: ${name}`, ...Array(4).fill(expect.stringContaining("  call_")), ""]);
    expect((await onTarget("log", "--path", "poem.txt", "--tool", "file.read")).stdout).toContain(
      "file.read",
    );
    expect((await here.run("log")).stdout).toBe("");
    expect(here.read("poem.txt")).toBe("not this one\n");
  });

  it("searches there, and runs commands in the sandbox there, which undo covers", {
    tags: "slow",
  }, async () => {
    const found = await onTarget("call", "search.grep", "two");
    expect(found.stdout).toBe("poem.txt:2:two\n");
    const words = ["call", "shell.run", "pwd; echo new > made.txt", "--mode", "yolo"];
    const run = await onTarget(...words);
    expect(run).toMatchObject({ exit: 0, stdout: `${there.home}\n` });
    expect(existsSync(join(there.home, "made.txt"))).toBe(true);
    await onTarget("undo");
    expect(existsSync(join(there.home, "made.txt"))).toBe(false);
  });

  it("explains calls by the rules there", { tags: "slow" }, async () => {
    mkdirSync(join(there.home, ".toolcrib"));
    writeFileSync(join(there.home, ".toolcrib/rules"), "deny run npm publish **\n");
    const denied = await onTarget("policy", "explain", "run npm publish now");
    expect(denied).toMatchObject({ exit: 3, stdout: expect.stringContaining(".toolcrib/rules") });
    const replayed = await onTarget("policy", "replay", "all");
    expect(replayed).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^\d+ calls: /) });
  });

  it("hides secrets there by the rules of this machine", { tags: "slow" }, async () => {
    writeFileSync(join(there.home, ".env"), "TOKEN=abc\n");
    const read = await onTarget("call", "file.read", ".env", "--mode", "yolo");
    expect(read).toMatchObject({ exit: 3, stdout: "" });
    const run = await onTarget("call", "shell.run", "cat .env; true", "--mode", "yolo");
    expect(run.stdout).not.toContain("abc");
  });

  it("never uses this machine when the target cannot be reached", async () => {
    const failed = await here.run("call", "file.read", "poem.txt", "--target", "command:/missing/program");
    expect(failed).toMatchObject({ exit: 1, stdout: "" });
    expect(failed.stderr).toContain(
      "/missing/program, which reaches command:/missing/program, cannot be started",
    );
  });

  it.each([
    ["undo call_missing", "toolcrib log"],
    ["undo --to missing", "toolcrib checkpoint list"],
    ["diff call_missing", "toolcrib log"],
    ["log show call_missing", "toolcrib log --limit 100"],
    ["sessions show session_missing", "toolcrib sessions list"],
  ])(
    "names the target in the command that `toolcrib %s` suggests",
    { tags: "slow" },
    async (words, command) => {
      const { stderr } = await onTarget(...words.split(" "));
      expect(stderr).toContain(`${command} --target ${shellQuote(there.target.name)}`);
    },
  );

  it("names the target in the hint of a call, also for a model", { tags: "slow" }, async () => {
    const { stderr, stdout } = await onTarget("call", "journal.undo", "call_missing");
    expect(stderr).toContain(`toolcrib log --target ${shellQuote(there.target.name)}`);
    expect(stdout).toBe("");
    const denied = await onTarget("call", "file.read", "poem.txt", "--rule", "deny read poem.txt");
    expect(denied.stderr).toContain(`toolcrib policy show --target ${shellQuote(there.target.name)}`);
  });

  it("leaves no server there when the rules cannot be used", { tags: "slow" }, async () => {
    const refused = await onTarget("call", "file.read", "poem.txt", "--rule", "nonsense");
    expect(refused).toMatchObject({ exit: 2, stdout: "" });
    const sessions = join(there.folder, "sessions");
    await vi.waitFor(() => expect(readdirSync(sessions)).toEqual([]), { timeout: 20_000, interval: 50 });
  });

  it("refuses a target together with a folder of this machine", async () => {
    const refused = await onTarget("call", "file.read", "poem.txt", "-C", here.workspace);
    expect(refused).toMatchObject({ exit: 2 });
    expect(refused.stderr).toContain("Name the folder on the target: --target ssh:host:/dir");
  });
});

describe("openToolcrib with a target", () => {
  it("names the target in approval requests", { tags: "slow" }, async () => {
    const asked: (string | undefined)[] = [];
    await using crib = await openToolcrib({
      target: there.target.name,
      mode: "safe",
      stateDirectory: join(here.home, "state"),
      configDirectory: join(here.home, "config"),
      approve: ({ target }) => {
        asked.push(target);
        return { allow: false };
      },
    });
    const result = await crib.call("shell.run", { command: "touch made.txt" });
    expect(result.error?.code).toBe("denied");
    expect(asked).toEqual([there.target.name]);
    expect(crib.target).toBe(there.target.name);
  });

  it("waits until a server there answers well, fetches its page there, and stops it when it is closed", {
    tags: "slow",
  }, async () => {
    await using crib = await openToolcrib({
      target: there.target.name,
      mode: "yolo",
      rules: ["allow connect localhost"],
      stateDirectory: join(here.home, "state"),
      configDirectory: join(here.home, "config"),
    });
    const port = await freePort();
    // The first two requests fail.
    const answer = '"HTTP/1.0 ", $n++ < 2 ? 503 : 200, " X\\r\\nContent-Type: text/plain\\r\\n\\r\\nhello"';
    const listen = `IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => ${port}, Listen => 5)`;
    const serve = `my $s = ${listen}; while (my $c = $s->accept) { while (<$c>) { last if /^\\r?$/ } print $c ${answer}; close $c }`;
    // The Node of the tests may be in a folder that the sandbox hides.
    const command = `perl -MIO::Socket::INET -e ${shellQuote(serve)}`;
    const started = await crib.call("process.start", {
      command,
      ready: { url: `http://localhost:${port}/` },
    });
    expect(started).toMatchObject({ error: null, content: expect.stringContaining("ready") });
    const page = await crib.call("web.fetch", { url: `http://localhost:${port}/` });
    expect(page).toMatchObject({ error: null, content: expect.stringContaining("hello") });
    const [background] = await crib.processes();
    expect(background).toMatchObject({ state: "ready" });
    await crib.close();
    // The target of this test is this machine.
    await vi.waitFor(() => expect(isAlive(background!.pid!)).toBe(false), { timeout: 20_000, interval: 50 });
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
