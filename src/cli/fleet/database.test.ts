/** @module-tag slow */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedReply, SeenRequest } from "../../../test/providers/provider-server.ts";
import { type CliWithModel, cliWithModel } from "../../../test/support/cli-with-model.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/fleet/postgres.ts";

let postgres: TestPostgres;

/** A command line with a database of its own, and a spec with two tasks that ask no tool. */
async function withDatabase(
  script: (request: SeenRequest) => ScriptedReply | Promise<ScriptedReply> = () => ({ text: "Done." }),
): Promise<CliWithModel> {
  const fixture = await cliWithModel(script, { TOOLCRIB_FLEET_DATABASE: await postgres.newDatabase() });
  fixture.write("fleet.yaml", "name: shared\nprompt: Say done.\ntasks: [{ name: a }, { name: b }]\n");
  return fixture;
}

/** Starts a process, and collects its output. */
function started({ start }: CliWithModel, ...words: readonly string[]) {
  const child = start(...words);
  child.stdin.end();
  const lines = createInterface({ input: child.stderr });
  const seen: string[] = [];
  lines.on("line", (line) => seen.push(line));
  const output = text(child.stdout);
  const closed = once(child, "close");
  return {
    child,
    /** Waits for a line of standard error. */
    line: async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = seen.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        await Promise.race([once(lines, "line"), closed]);
        if (child.exitCode !== null && !seen.some((line) => pattern.test(line)))
          throw new Error(`No line matches ${pattern}: ${seen.join("\n")}`);
      }
    },
    end: async () => {
      const [exit] = await closed;
      return { exit, stdout: await output, stderr: seen };
    },
  };
}

describe("toolcrib fleet with a database", () => {
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it("waits with submit --wait and status --watch, while a worker with metrics works", {
    tags: "slow",
  }, async () => {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await using fixture = await withDatabase(async () => {
      asked.resolve();
      await held.promise;
      return { text: "Done." };
    });
    const waiting = started(fixture, "fleet", "submit", "fleet.yaml", "--wait");
    await waiting.line(/^shared: 2 new runs, 0 known$/);
    const worker = started(fixture, "fleet", "work", "--slots", "1", "--metrics-port", "0");
    const [address = ""] = (await worker.line(/^Metrics are at/)).match(/http:\S+/) ?? [];
    await asked.promise;
    const watching = started(fixture, "fleet", "status", "shared", "--watch");
    const metrics = await (await fetch(address)).text();
    expect(metrics).toContain('toolcrib_fleet_runs{fleet="shared",state="running"} 1');
    expect(metrics).not.toContain(new URL(fixture.env.TOOLCRIB_FLEET_DATABASE!).port);
    held.resolve();
    const [submitted, watched] = await Promise.all([waiting.end(), watching.end()]);
    expect([submitted.exit, submitted.stdout.replace(/, \$.*/, "")]).toEqual([0, "shared: 2 solved\n"]);
    expect(watched.exit).toBe(0);
    expect(watched.stdout).toMatch(/2 of 2 ended, 0 running/);
    worker.child.kill("SIGTERM");
    const { exit, stderr } = await worker.end();
    expect([exit, stderr.filter((line) => line.startsWith("solved")).length]).toEqual([0, 2]);
  });

  it("refuses ports that are not numbers up to 65535", { tags: "slow" }, async () => {
    await using fixture = await withDatabase();
    const first = async (...words: readonly string[]) => {
      const { exit, stderr } = await fixture.run("fleet", ...words);
      return [exit, stderr.split("\n")[0]];
    };
    for (const port of ["http", "-1", "65536"])
      expect(await first("work", `--metrics-port=${port}`)).toEqual([
        2,
        `--metrics-port must be a number up to 65535, not "${port}"`,
      ]);
  });
});

it("toolcrib fleet work says when no database is set", async () => {
  await using fixture = await cliWithModel(() => ({ text: "Done." }));
  const { exit, stderr } = await fixture.run("fleet", "work", "--until-done");
  expect([exit, stderr.split("\n").slice(0, 2)]).toEqual([
    0,
    [
      "No database is set, so this worker works on the fleets of this machine only.",
      "For several machines: toolcrib fleet work --database postgres://user@host/database",
    ],
  ]);
});
