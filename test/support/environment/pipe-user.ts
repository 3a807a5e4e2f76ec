/** Runs commands whose outputs are pipes, while others are running, and prints their output. */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { OutputPipes } from "../../../src/environment/local/processes/output-stream.ts";

const directory = mkdtempSync(join(tmpdir(), "toolcrib-test-"));
const pipes = new OutputPipes(async (name) => `/usr/bin/${name}`);

const held = await take();
const results = {
  openedAgain: await run("echo out > /dev/stdout; echo err > /dev/stderr; echo both | tee /dev/stderr"),
  readBack: await run("read -r line <&2 2>/dev/null; echo $?"),
  oneByOne: [await run("echo 1"), await run("echo 2"), await run("echo 3")],
  atOnce: await Promise.all(["a", "b", "c"].map((word) => run(`sleep 0.1; echo ${word}`))),
  leftInDirectory: readdirSync(directory),
};
for (const { writeEnd } of held) closeSync(writeEnd);
const links = join(directory, "links");
writeFileSync(links, '#!/bin/sh\nshift 2; for path; do ln -s /dev/null "$path"; done\n', { mode: 0o700 });
const replaced = await new OutputPipes(async () => links).take(directory);
console.log(
  JSON.stringify({
    ...results,
    held: await Promise.all(held.map(({ readEnd }) => text(readEnd))),
    replaced: replaced ?? "none",
  }),
);
pipes.close();
rmSync(directory, { recursive: true });

async function run(command: string): Promise<readonly [stdout: string, stderr: string]> {
  const [stdout, stderr] = await take();
  spawn("/bin/bash", ["-c", command], { stdio: ["ignore", stdout.writeEnd, stderr.writeEnd] });
  for (const { writeEnd } of [stdout, stderr]) closeSync(writeEnd);
  const outputs = await Promise.all([text(stdout.readEnd), text(stderr.readEnd)]);
  for (const { release } of [stdout, stderr]) release();
  return outputs;
}

async function take() {
  const taken = await pipes.take(directory);
  if (taken === undefined) throw new Error("No pipes could be made");
  return taken;
}
