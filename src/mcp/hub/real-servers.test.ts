import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";
import { connectHub, type Hub } from "./connect-hub.ts";

let folder = "";
let crib: Toolcrib | undefined;

afterEach(async () => {
  await crib?.close();
  rmSync(folder, { recursive: true, force: true });
});

it("uses two third-party servers: their tools, results, images and errors, and stops them", {
  tags: "slow",
}, async () => {
  const { hub, workspace } = await openFixture();
  expect(hub.states().map(({ name, state, tools, problems }) => ({ name, state, tools, problems }))).toEqual([
    { name: "files", state: "ready", tools: 14, problems: [] },
    { name: "everything", state: "ready", tools: 14, problems: [] },
  ]);
  const pids = hub.states().map(({ pid }) => pid!);

  writeFileSync(join(workspace, "a.txt"), "one\ntwo\n");
  expect(await call("read_text_file", { path: join(workspace, "a.txt") })).toEqual({
    content: "one\ntwo\n",
    isError: false,
  });
  const outside = await call("files__read_text_file", { path: "/etc/hostname" });
  expect(outside.isError).toBe(true);
  expect(outside.content).toMatch(/^Access denied - path outside allowed directories/);
  expect(await call("read_text_file", { paht: "a.txt" })).toEqual({
    content: "read_text_file: `path` is missing\nIt takes: path, tail, head.",
    isError: true,
  });

  expect(await call("echo", { message: "hi" })).toEqual({ content: "Echo: hi", isError: false });
  const picture = await crib!.call("get-tiny-image", {});
  expect(picture.images.map(({ mediaType }) => mediaType)).toEqual(["image/png"]);
  expect(await call("get-sum", { a: 2, b: 3 })).toEqual({
    content: "The sum of 2 and 3 is 5.",
    isError: false,
  });

  await crib!.close();
  expect(pids.map(isAlive)).toEqual([false, false]);
});

it("asks before using a tool of another server, and allows it by a rule that names the server", async () => {
  const rules = ["allow use read_text_file of files"];
  const { workspace } = await openFixture({ mode: "cautious", rules }, ["files"]);
  const path = join(workspace, "a.txt");
  writeFileSync(path, "one\n");
  expect(await call("files__read_text_file", { path })).toEqual({ content: "one\n", isError: false });
  const denied = await crib!.call("list_directory", { path: workspace });
  expect(denied.error?.code).toBe("needs-approval");
});

async function openFixture(
  options: Pick<Parameters<typeof openToolcrib>[0] & object, "mode" | "rules"> = { mode: "yolo" },
  names: readonly ("files" | "everything")[] = ["files", "everything"],
): Promise<{ readonly hub: Hub; readonly workspace: string }> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib servers ")));
  const workspace = join(folder, "work space");
  mkdirSync(workspace);
  const [stateDirectory, configDirectory] = [join(folder, "state"), join(folder, "config")];
  const program = (name: string) => ({
    command: process.execPath,
    args: [entryOf(name), "."],
    startTimeoutMs: 120_000,
  });
  const all = {
    files: program("@modelcontextprotocol/server-filesystem"),
    everything: {
      ...program("@modelcontextprotocol/server-everything"),
      args: [entryOf("@modelcontextprotocol/server-everything")],
    },
  };
  const servers = Object.fromEntries(names.map((name) => [name, all[name]]));
  const hub = connectHub({ workspace, servers, stateDirectory });
  crib = await openToolcrib({ workspace, sources: [hub], stateDirectory, configDirectory, ...options });
  await hub.ready;
  return { hub, workspace };
}

async function call(name: string, input: unknown) {
  const { content, isError } = await crib!.call(name, input);
  return { content, isError };
}

function entryOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return join(dirname(manifest), "dist/index.js");
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
