/** @module-tag slow */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSession } from "../../../../src/agent/create-session.ts";
import type { ProviderServer, ScriptedReply } from "../../../providers/provider-server.ts";
import { started } from "../../../providers/started.ts";
import { checkHistory } from "../../../support/check-history.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { sides } from "../sides.ts";
import type { Vocabulary } from "../vocabulary.ts";

const native = sides.filter(({ protocol }) => protocol === "native");

/** The first models, which all others follow. The dialect stays that of the first. */
const firsts = native.filter(({ kind }) => kind !== "ollama" && kind !== "openrouter");

/** Each model reasons, and makes calls that all later models see. */
it.each(firsts)("starts with $name, continues with every other model, and switches back", async (first) => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const words = first.words(workspace);
  const ring = [first, ...native.filter((side) => side !== first), first];
  const servers = new Map<string, ProviderServer>();
  for (const { kind, name } of native) servers.set(name, await started(kind, repliesOf(words, name)));
  const session = await createSession({
    workspace,
    model: servers.get(first.name)!.model,
    models: {
      providers: Object.assign({}, ...[...servers.values()].map(({ settings }) => settings.providers)),
    },
    reasoning: "low",
    mode: "yolo",
    sandbox: "none",
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  onTestFinished(() => session.close());
  const replies: string[] = [];
  for (const { name } of ring) {
    await session.use({ model: servers.get(name)!.model });
    const turn = session.run("Go on");
    const { text, error } = await turn.result;
    replies.push(error?.message ?? text);
  }
  expect(replies).toEqual(ring.map(({ name }) => `${name} is done.`));
  for (const { breaches } of servers.values()) expect(breaches).toEqual([]);
  expect(checkHistory(session.messages)).toEqual([]);
  const [last] = servers.get(first.name)!.requests.slice(-1);
  expect(last!.messages.filter(({ role }) => role === "tool")).toHaveLength(2 * ring.length);
});

/** Two turns, for a model that is switched back to. As in reality, no two providers use the same call ids. */
function repliesOf(words: Vocabulary, name: string): ScriptedReply[] {
  return [1, 2].flatMap((turn) => [
    {
      reasoning: `${name} thinks.`,
      text: `${name} looks.`,
      calls: [
        { ...words.shell(`echo ${name}`), id: `${name}_${turn}_1` },
        { ...words.read("nothing.txt"), id: `${name}_${turn}_2` },
      ],
    },
    { reasoning: "Well.", text: `${name} is done.` },
  ]);
}
