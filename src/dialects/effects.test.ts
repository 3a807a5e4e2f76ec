import { expect, it } from "vitest";
import type { AnyTool } from "../contract/tool.ts";
import { catalog } from "../tools/catalog.ts";
import { effectsOf, hintsOfAll } from "./effects.ts";
import { reshapeTool } from "./reshape.ts";

const load = (): Promise<readonly AnyTool[]> => Promise.all(Object.values(catalog).map((tool) => tool()));

it("derives defaults from the risk of a tool", async () => {
  const effectsOfTool = (name: keyof typeof catalog) => catalog[name]().then(effectsOf);
  expect([
    await effectsOfTool("file.read"),
    await effectsOfTool("edit.replace"),
    await effectsOfTool("shell.run"),
  ]).toEqual([
    {
      title: "File: read",
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
      structured: false,
    },
    {
      title: "Edit: replace",
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      structured: false,
    },
    {
      title: "Shell: run",
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      structured: false,
    },
  ]);
});

it("never marks a tool as read-only when it may write, delete or run something", async () => {
  const harmless = (await load()).filter((tool) => effectsOf(tool).readOnly);
  expect(
    harmless.filter(({ risk }) => risk !== "read" && risk !== "network").map(({ name }) => name),
  ).toEqual([]);
});

it("does not mark tools as read-only that change processes or the journal despite risk read", async () => {
  const changing = (await load()).filter((tool) => tool.risk === "read" && !effectsOf(tool).readOnly);
  expect(changing.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["process.stop", "journal.checkpoint", "transaction.begin", "transaction.commit"]),
  );
});

it("marks every tool that reaches beyond the workspace as open-world", async () => {
  const reaching = (await load()).filter((tool) => effectsOf(tool).openWorld);
  const harmless = reaching.filter(({ risk }) => risk !== "execute" && risk !== "network");
  // Services that other parts provide.
  expect(harmless.map(({ name }) => name)).toEqual([
    "tools.call",
    "tools.script",
    "agent.spawn",
    "agent.send",
  ]);
});

it("marks a combined tool only with what applies to all of its parts", async () => {
  const both = reshapeTool(["file.read", "file.write"], {
    name: "file",
    description: "",
    input: (z) => z.strictObject({ path: z.string() }),
    resolve: ({ path }) => ["file.read", { path }],
  });
  expect(effectsOf(await both.load())).toEqual({
    title: "File: read",
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: false,
    structured: false,
  });
  expect(hintsOfAll([await catalog["time.now"](), await catalog["math.calculate"]()])).toMatchObject({
    readOnly: true,
    structured: true,
  });
});
