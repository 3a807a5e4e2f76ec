import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { channelPair } from "../../../test/support/environment/channel-pair.ts";
import type { Snapshot } from "../../contract/snapshot.ts";
import { openLocalWorld } from "../conformance/local-world.ts";
import { bytesStored, joinFigures, joinPaths } from "../entry-columns.ts";
import type { Channel } from "./channel.ts";
import { methods, type SentDelta } from "./protocol.ts";
import { openRemoteEnvironment } from "./remote-environment.ts";
import { serveEnvironment } from "./serve-environment.ts";
import { receiveDelta, sendDelta } from "./snapshot-delta.ts";

/** The parts of a snapshot that both sides must agree on, in any order. */
function partsOf({ entries, targets, contents, leftOut }: Snapshot) {
  return {
    paths: joinPaths(entries).toString().split("\0"),
    figures: [...joinFigures(entries)],
    ...{ targets: sorted(targets), contents: sorted(contents), leftOut: sorted(leftOut) },
  };
}

function sorted(map: Iterable<readonly [unknown, unknown]>): readonly string[] {
  return Array.from(map, (entry) => JSON.stringify(entry)).sort();
}

it("sends only what has changed since an earlier snapshot", async () => {
  const names = Array.from({ length: 600 }, (_, index) => `folder ${index % 20}/file ${index}`);
  await using world = openLocalWorld({ files: Object.fromEntries(names.map((name) => [name, name])) });
  const [here, there] = channelPair();
  let received = 0;
  const counted: Channel = {
    send: (...parts) => here.send(...parts),
    close: () => here.close(),
    messages: (async function* () {
      for await (const message of here.messages) {
        received += message.length;
        yield message;
      }
    })(),
  };
  serveEnvironment(world.environment, there).catch(() => {});
  const remote = await openRemoteEnvironment(counted);
  const first = await remote.snapshot!();
  const whole = received;
  writeFileSync(world.path("folder 7/file 7"), "changed");
  writeFileSync(world.path("folder 3/new"), "new");
  received = 0;
  const second = await remote.snapshot!({ known: first, like: first });
  expect(partsOf(second)).toEqual(partsOf(await world.environment.snapshot!({ like: first })));
  expect(received).toBeLessThan(whole / 20);
  // The target may have lost the earlier one.
  for (let count = 0; count < 5; count += 1) await remote.snapshot!();
  expect(partsOf(await remote.snapshot!({ known: first }))).toEqual(partsOf(second));
  await remote.close();
});

it("returns the same snapshot as a whole one, after any changes", async () => {
  await using world = openLocalWorld({ files: { "a/b/c": "1", "a/d": "2", "e/f": "3", g: "4" } });
  const remoteNames = ["a", "a/b", "a/x", "e", "e/y", "z"];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const pick = () => `${remoteNames[random(remoteNames.length)]}/${"pqrs"[random(4)]}`;
  const act = (action: () => void) => {
    try {
      action();
    } catch {
      // The path is missing, or its parent is.
    }
  };
  let earlier = await world.environment.snapshot!();
  for (let round = 0; round < 60; round += 1) {
    const [one, other] = [world.path(pick()), world.path(pick())];
    const actions = [
      () => writeFileSync(one, `${round}`),
      () => mkdirSync(one, { recursive: true }),
      () => rmSync(one, { recursive: true }),
      () => renameSync(one, other),
      () => symlinkSync("g", one),
    ];
    for (let count = 0; count < 3; count += 1) act(actions[random(actions.length)]!);
    const whole = await world.environment.snapshot!();
    const sent = sendDelta(whole, 2, { snapshot: earlier, id: 1 }, () => true);
    expect(partsOf(receiveDelta(sent, earlier, [], Infinity))).toEqual(partsOf(whole));
    earlier = whole;
  }
});

it("refuses a difference that does not fit the earlier snapshot", async () => {
  await using world = openLocalWorld({ files: { a: "1", b: "2" } });
  const earlier = await world.environment.snapshot!();
  const sent = sendDelta(earlier, 2, { snapshot: earlier, id: 1 }, () => true);
  const wrong = [
    { ranges: Float64Array.of(0, 9, 0) },
    { ranges: Float64Array.of(0, 2, 0, 2, 4, 0) },
    { ranges: Float64Array.of(0, 1.5, 0) },
    { ranges: Float64Array.of(1, 2, 0) },
    { paths: Buffer.from("../out\0"), figures: new Float64Array(6) },
    { figures: new Float64Array(6) },
    { targets: [[9, "x"]] },
    { contents: [["", -1, 0, 9]] },
    { leftOut: [[0, ""]] },
    { leftOut: [[0, 0]] },
  ];
  for (const change of wrong)
    expect(() => receiveDelta({ ...sent, ...change }, earlier, [], Infinity)).toThrow("invalid message");
});

it("refuses differences that add up to too many entries", async () => {
  await using world = openLocalWorld({ files: { a: "1" } });
  const empty = await world.environment.snapshot!();
  const sent = sendDelta(empty, 2, { snapshot: empty, id: 1 }, () => true);
  const none = { paths: Buffer.of(), figures: new Float64Array() };
  const grow: Readonly<Record<string, (round: number, count: number) => Partial<SentDelta>>> = {
    entries: (round, count) => ({
      ...{ paths: Buffer.from(`b${round}\0`), figures: new Float64Array(6) },
      ranges: Float64Array.of(0, count, 0),
    }),
    targets: (round) => ({ ...none, targets: [[0, "x".repeat(100 * round)]] }),
    contents: (round) => ({ ...none, contents: [[`${round}`, -1, 0, 1]] }),
  };
  for (const change of Object.values(grow)) {
    const receive = (maxBytes: number) => {
      let snapshot = empty;
      for (let round = 0; round < 100; round += 1) {
        const delta = { ...sent, ...change(round, snapshot.entries.count) };
        snapshot = receiveDelta(delta, snapshot, [], maxBytes);
      }
    };
    expect(() => receive(10_000)).not.toThrow();
    expect(() => receive(1000)).toThrow("a snapshot has too many entries");
  }
});

it("refuses a difference with invalid ranges, although the rest is a whole snapshot", async () => {
  await using world = openLocalWorld({ files: { a: "1" } });
  const earlier = await world.environment.snapshot!();
  const sent = sendDelta(earlier, 2, { snapshot: earlier, id: 1 }, () => true);
  const { result } = methods.snapshot;
  expect(result(sent, "snapshot")).toEqual(sent);
  expect(() => result({ ...sent, ranges: "none" }, "snapshot")).toThrow("ranges");
});

it("frees the memory of a message, and of entries that are no longer used", async () => {
  await using world = openLocalWorld({ files: { a: "1" } });
  const empty = await world.environment.snapshot!();
  const none = sendDelta(empty, 2, { snapshot: empty, id: 1 }, () => true);
  const names = Array.from({ length: 300 }, (_, index) => `${index}${"x".repeat(8000)}\0`).join("");
  const message = Buffer.alloc(4_000_000);
  const paths = message.subarray(0, message.write(names));
  const sent = {
    ...none,
    contents: [],
    paths,
    figures: new Float64Array(300 * 6),
    ranges: new Float64Array(),
  };
  const many = receiveDelta(sent, empty, [], Infinity);
  const one = { ...none, contents: [], ranges: Float64Array.of(0, 1, 200) };
  const few = receiveDelta(one, many, [], Infinity);
  expect(bytesStored(many.entries)).toBeLessThan(paths.length + 20_000);
  expect(bytesStored(few.entries)).toBeLessThan(100_000);
});
