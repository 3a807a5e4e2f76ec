import { join } from "node:path";
import { expect, it } from "vitest";
import { shellQuote } from "../../src/lib/text/shell-quote.ts";
import { openToolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { commandTarget } from "../support/remote/command-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("names the target in the commands of hints: of results, events, checks and the start", async () => {
  await using there = commandTarget('cd "$HOME/../workspace"');
  await using folder = temporaryFolder();
  const options: ToolcribOptions = {
    ...{ target: there.target.name, sandbox: "none", rules: ["deny read secrets.txt"] },
    ...{ stateDirectory: join(folder.path, "state"), configDirectory: join(folder.path, "config") },
  };
  const flag = `--target ${shellQuote(there.target.name)}`;
  await using crib = await openToolcrib(options);
  const ended: unknown[] = [];
  crib.events.on((event) => {
    if (event.type === "tool-end") ended.push(event.error?.forUser);
  });

  const refused = { hint: expect.stringContaining(`toolcrib policy show ${flag}`) };
  const read = ["file.read", { path: "secrets.txt" }] as const;
  expect((await crib.call(...read)).error?.forUser).toMatchObject(refused);
  expect(await crib.check(...read)).toMatchObject({ verdict: "deny", error: { forUser: refused } });
  const unknown = { hint: `Use a call id from: toolcrib log ${flag}` };
  expect((await crib.call("journal.undo", { call: "call_0" })).error?.forUser).toMatchObject(unknown);
  expect(ended).toMatchObject([refused, unknown]);

  const resumed = openToolcrib({ ...options, session: "session_0" });
  await expect(resumed).rejects.toThrow(
    expect.objectContaining({ hint: expect.stringContaining(`toolcrib sessions list ${flag}`) }),
  );
});
