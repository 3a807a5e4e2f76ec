/** @module-tag slow */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { inLanes } from "../../../test/support/in-lanes.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { openLocalWorld } from "../conformance/local-world.ts";
import { failure } from "../conformance/world.ts";

it("leaves the old or the new content when it is killed at any moment", async () => {
  const writer = await bundledProgram(
    new URL("../../../test/support/environment/writer.ts", import.meta.url),
  );
  for (const { content, leftovers } of await inLanes(rounds(5), () => killWriter(writer))) {
    expect(content).toMatch(/^(?:(?:a{300000})|(?:b{300000}))$/);
    for (const name of leftovers) expect(name).toMatch(/^\.toolcrib-[0-9a-f-]{36}\.tmp$/);
  }
});

async function killWriter(writer: string): Promise<{ content: string; leftovers: string[] }> {
  await using world = openLocalWorld({ files: { "folder/file": "a".repeat(300_000) } });
  const child = spawn(process.execPath, [writer, world.path(".")], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  await setTimeout(Math.random() * 15);
  child.kill("SIGKILL");
  await once(child, "exit");
  const content = readFileSync(world.path("folder/file"), "latin1");
  return { content, leftovers: readdirSync(world.path("folder")).filter((name) => name !== "file") };
}

it("changes nothing when the disk is full", async () => {
  await using world = openLocalWorld({ files: { old: "old content" } });
  // A file size limit fails like a full disk, without needing a separate disk.
  const child = spawnSync(
    "bash",
    [
      "-c",
      `trap "" XFSZ; ulimit -f 8; exec "$0" "$@"`,
      process.execPath,
      fileURLToPath(new URL("../../../test/support/environment/full-disk.ts", import.meta.url)),
      world.path("."),
      world.path("../changes"),
    ],
    { encoding: "utf8" },
  );
  const full = (path: string) =>
    failure(
      "unavailable",
      `${path} was not changed: the disk is full or a size limit is reached`,
      "Free disk space, then retry.",
    );
  expect(JSON.parse(child.stdout || child.stderr)).toEqual([
    full("old"),
    full("new/folder/file"),
    full("z/large"),
  ]);
  expect(readFileSync(world.path("old"), "utf8")).toBe("old content");
  expect(readdirSync(world.path("."))).toEqual(["old"]);
  expect(readdirSync(world.path("../changes"))).toEqual([]);
});
