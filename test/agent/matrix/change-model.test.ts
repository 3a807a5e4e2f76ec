import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSession } from "../../../src/agent/create-session.ts";
import { checkHistory } from "../../../src/agent/history/check-history.ts";
import type { ProviderKind, Script } from "../../providers/provider-server.ts";
import { started } from "../../providers/started.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { sides } from "./sides.ts";

const native = sides.filter(({ protocol }) => protocol === "native");

it.each(native)("takes a conversation from $name to all others and back", async (first) => {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const words = first.words(workspace);
  const scriptOf =
    (kind: ProviderKind): Script =>
    ({ messages, number }) => {
      const said = { reasoning: `${kind} thinks ${number}.`, text: `${kind} speaks ${number}.` };
      const calls = ["pwd", "ls"].map((command) => ({
        ...words.shell(command),
        id: `${kind}_${number}_${command}`,
      }));
      return messages.at(-1)!.role === "user" ? { ...said, calls } : said;
    };
  const servers = await Promise.all(native.map(({ kind }) => started(kind, scriptOf(kind))));
  const at = native.indexOf(first);
  const ring = [...servers.slice(at), ...servers.slice(0, at)];
  const session = await createSession({
    workspace,
    model: ring[0]!.model,
    models: { providers: Object.assign({}, ...servers.map(({ settings }) => settings.providers)) },
    reasoning: "low",
    mode: "yolo",
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  onTestFinished(async () => {
    await session.close();
    await folder[Symbol.asyncDispose]();
  });
  const turns: unknown[] = [];
  for (const { model, breaches } of [...ring, ...ring.toReversed()]) {
    await session.use({ model });
    const { outcome, calls, error } = await session.run("Look around").result;
    turns.push({
      model,
      outcome,
      calls,
      error,
      breaches: [...breaches],
      faults: checkHistory(session.messages),
    });
  }
  const fine = { outcome: "completed", calls: 2, error: null, breaches: [], faults: [] };
  expect(turns).toEqual([...ring, ...ring.toReversed()].map(({ model }) => ({ model, ...fine })));
});
