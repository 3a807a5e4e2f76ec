import { expect, it } from "vitest";
import { specOf } from "../../../test/support/fleet/examples.ts";
import { workerFixture } from "../../../test/support/fleet/worker-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { RunPermissions } from "./may-run.ts";

const check = (command: string) => ({ command, files: {}, minutes: 1 });

it("decides targets, repositories, set-up and checks by the rules of the worker, without running anything", async () => {
  await using folder = temporaryFolder();
  await using permissions = new RunPermissions(
    { sandbox: "bwrap", mode: "safe", rules: ["allow run npm test"] },
    folder.path,
  );
  const refusals = async (change: Parameters<typeof specOf>[1]) =>
    (await permissions.refusalOf(specOf("a", change)))?.message;
  expect(await refusals({})).toBeUndefined();
  expect(await refusals({ check: check("npm test") })).toBeUndefined();
  expect(await refusals({ check: check("npm run lint") })).toBe(
    "The check command needs approval, and no user is there to ask: npm run lint",
  );
  expect(await refusals({ setup: "npm ci", check: check("npm test") })).toBe(
    "The set-up command needs approval, and no user is there to ask: npm ci",
  );
  expect(await refusals({ check: check("npm test"), rules: ["deny run npm test"] })).toBe(
    "The check command is denied: npm test",
  );
  expect(await refusals({ target: "image:node" })).toContain("does not use the target image:node");
  expect(await refusals({ repository: "/srv/code" })).toContain("does not clone /srv/code");
  expect((await permissions.refusalOf(specOf("a", { setup: "npm ci" })))?.hint).toBe(
    "To allow it, start the worker with --rule 'allow run npm ci', or with --mode yolo.",
  );
});

it("leaves a run that a worker may not do to one that may", { tags: "slow" }, async () => {
  await using fixture = await workerFixture(() => ({ text: "Done." }));
  const left = Promise.withResolvers<string>();
  const strict = await fixture.start({
    mode: "cautious",
    leavesRuns: true,
    onWarning: (message) => left.resolve(message),
  });
  const id = await fixture.submit({ check: check("test -e a.txt") });
  expect(await left.promise).toMatch(
    /^Left to other workers: The check command needs approval, .*: test -e a\.txt To allow it, start the worker with a sandbox, or with --mode yolo\.$/,
  );
  expect([strict.left.has(id), (await fixture.store.run(id))?.state]).toEqual([true, "waiting"]);
  expect(fixture.server.requests).toEqual([]);
  const loose = await fixture.start({ mode: "yolo" });
  const run = await fixture.ended(id);
  expect([run.outcome, run.worker, run.deliveries]).toEqual(["solved", loose.id, 1]);
});
