import fc from "fast-check";
import { expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import type { Environment, FileChange } from "../../contract/environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { openBackendWorld } from "./backend-world.ts";
import { openLocalWorld } from "./local-world.ts";
import { openRemoteWorld } from "./remote-world.ts";
import { contentOf, failureOf, type World } from "./world.ts";

const part = fc.constantFrom("a", "b", "link", "..", ".");
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const target = fc.oneof(path, fc.constantFrom("/etc", "../outside", "link", "a/", "b/link/a"));

const change = fc.record({
  path,
  takes: fc.constantFrom("what is there", "what is there", "nothing", "something else"),
  makes: fc.constantFrom("content", "the same", "nothing"),
});

/** A planned change with the hash of the current content, if it needs one. */
async function completed(environment: Environment, planned: PlannedChange): Promise<FileChange> {
  const { path: at, takes, makes } = planned;
  const there = await environment.readFile(at, { maxBytes: 100 }).catch(() => undefined);
  const before = takes === "what is there" && there !== undefined ? contentHash(there.bytes) : "nothing";
  const content = makes === "content" || there === undefined ? Buffer.from(`changed ${at}`) : there.bytes;
  return {
    path: at,
    before: takes === "something else" ? contentHash(Buffer.from("else")) : before,
    after: makes === "nothing" ? "nothing" : content,
  };
}

type PlannedChange = typeof change extends fc.Arbitrary<infer Planned> ? Planned : never;

type Step = (environment: Environment, link: (path: string, target: string) => void) => Promise<unknown>;

const steps: fc.Arbitrary<readonly [string, Step]> = fc.oneof(
  fc.tuple(path, fc.constantFrom("refuse", "replace")).map(([at, ifExists]) => {
    const step: Step = async (environment) =>
      (await environment.writeFile(at, Buffer.from(at), { ifExists, durable: false })).created;
    return [`write ${at} ${ifExists}`, step] as const;
  }),
  fc.tuple(path, fc.boolean()).map(([at, recursive]) => {
    return [
      `delete ${at} ${recursive}`,
      (environment: Environment) => environment.delete(at, { recursive }),
    ] as const;
  }),
  fc.tuple(path, path, fc.boolean()).map(([from, to, replace]) => {
    return [
      `move ${from} ${to} ${replace}`,
      (environment: Environment) => environment.move(from, to, { replace }),
    ] as const;
  }),
  fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const step: Step = async (environment) => {
      const set = await Promise.all(changes.map((planned) => completed(environment, planned)));
      const receipts = await environment.change(set, { durable: false });
      return receipts.map(({ realPath, before, after }) => [
        realPath.replace(environment.workspace, ""),
        before?.kind,
        after?.kind,
      ]);
    };
    return [`change ${JSON.stringify(changes)}`, step] as const;
  }),
  path.map((at) => {
    const step: Step = async (environment) =>
      (await environment.realPath(at)).replace(environment.workspace, "");
    return [`realPath ${at}`, step] as const;
  }),
  fc.tuple(path, fc.boolean()).map(([at, followLinks]) => {
    const step: Step = async (environment) => (await environment.info(at, { followLinks })).kind;
    return [`info ${at} ${followLinks}`, step] as const;
  }),
  path.map((at) => {
    const step: Step = async (environment) =>
      Buffer.from((await environment.readFile(at, { maxBytes: 100 })).bytes).toString();
    return [`read ${at}`, step] as const;
  }),
  fc.tuple(fc.constantFrom("link", "a/link", "b/link"), target).map(([at, to]) => {
    const step: Step = async (environment, link) => {
      // Only where the path is free and the directory exists; both sides get the same call.
      const parent = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : ".";
      const there = await Promise.allSettled([
        environment.info(parent, { followLinks: false }),
        environment.info(at, { followLinks: false }),
      ]);
      const isFree = there[1].status === "rejected";
      if (there[0].status === "fulfilled" && there[0].value.kind === "directory" && isFree) link(at, to);
    };
    return [`link ${at} -> ${to}`, step] as const;
  }),
);

const worlds: Readonly<Record<string, () => World | Promise<World>>> = {
  ...(process.platform === "linux" && { "disk by handle": () => openLocalWorld({}, { pinning: "proc" }) }),
  "disk by path": () => openLocalWorld({}, { pinning: "portable" }),
  "a target": () => openRemoteWorld(openLocalWorld()),
  "a backend": () => openBackendWorld(),
};

it.each(Object.entries(worlds))(
  "%s and memory behave the same for any sequence of calls",
  async (_, open) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 15 }), async (sequence) => {
        await using world = await open();
        const memory = new MemoryEnvironment();
        for (const [name, step] of sequence) {
          const there = await failureOf(step(world.environment, world.link));
          const inMemory = await failureOf(step(memory, (at, to) => memory.link(at, to)));
          const spelled = JSON.stringify(there).replaceAll(world.environment.workspace, memory.workspace);
          expect([name, JSON.parse(spelled)]).toEqual([name, JSON.parse(JSON.stringify(inMemory))]);
        }
        expect(await contentOf(memory)).toEqual(await contentOf(world.environment));
      }),
      { numRuns: rounds(25) },
    );
  },
);
