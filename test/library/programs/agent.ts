/** An agent with a typed answer, a store of the program's own, and a signal. */
import { createSession, type SessionStore } from "toolcrib/agent";
import { z } from "zod";

type Entries = Awaited<ReturnType<SessionStore["entries"]>>;
const rows: { session: string; at: number; json: string }[] = [];
const numbered = (session: string): Entries =>
  rows
    .filter((row) => row.session === session)
    .map(({ at, json }, index) => ({ number: index + 1, at, entry: JSON.parse(json) }));
const store: SessionStore = {
  append: async (session, entries) => {
    for (const entry of entries) rows.push({ session, at: Date.now(), json: JSON.stringify(entry) });
    return numbered(session).length;
  },
  entries: async (session, { from = 1, to = Number.POSITIVE_INFINITY } = {}) =>
    numbered(session).filter(({ number }) => number >= from && number <= to),
  list: async () => [],
  remove: async () => false,
};

const model = process.env.TOOLCRIB_MODEL;
const session = await createSession({
  model,
  workspace: ".",
  store,
  system: (base) => `${base}\n\nAnswer in French.`,
  sampling: { maxOutputTokens: 1000 },
});
session.on((event) => {
  if (event.type === "tool-end") console.log(event.canonical, event.isError);
});
const Poem = z.object({ lines: z.number(), first: z.string() });
const { output, outcome } = await session.run("Describe poem.txt", {
  output: Poem,
  signal: AbortSignal.timeout(60_000),
}).result;
// prints: file.read false
console.log(outcome, output?.first.toUpperCase(), output?.lines);
// prints: completed ONE 2
await session.close();

const again = await createSession({ model, workspace: ".", store, resume: session.id });
console.log(again.turns, rows.length > 0);
// prints: 1 true
await again.close();
