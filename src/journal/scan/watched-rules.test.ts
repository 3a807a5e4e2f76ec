import { existsSync, globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { openCommandFixture } from "../../../test/support/journal-scan/command-fixture.ts";
const filler = Array.from({ length: 5000 }, (_, index) => [`filler/${index % 20}/${index}`, ""] as const);

it("records no deletion when another command begins under new ignore rules", async () => {
  const files = { "d/one": "one", "sub/target/a": "a", "sub/target/b": "b", ".gitignore": "x\n", ...Object.fromEntries(filler) };
  await using fixture = await openCommandFixture(files, { git: true, sandbox: "bwrap" });
  for (let count = 0; count < 4; count += 1) await fixture.bash(`printf ${count} > count`);
  const a = fixture.bash("printf 'target\\n' > .gitignore; touch started; while ! test -e d/go; do sleep 0.05; done");
  while (!existsSync(`${fixture.workspace}/started`)) await pause(20);
  await pause(200);
  const b = fixture.bash("touch d/bstarted; sleep 3; printf b > d/one");
  while (!existsSync(`${fixture.workspace}/d/bstarted`)) await pause(20);
  fixture.beside("touch d/go");
  const ra = await a; await b;
  const [file] = globSync("state/workspaces/*/*.sqlite", { cwd: fixture.home });
  const database = new DatabaseSync(`${fixture.home}/${file}`, { readOnly: true });
  const text = database.prepare("SELECT body FROM records WHERE kind = 'change' AND call = ?").all(ra.callId).map(({ body }) => String(body)).join();
  database.close();
  expect(text).not.toContain("target/a");
}, 60000);
