import { chmodSync, symlinkSync, truncateSync } from "node:fs";
import { expect, it } from "vitest";
import type { PlannedChange } from "../../contract/history.ts";
import { openLocalWorld } from "../../environment/conformance/local-world.ts";
import { foreseeLoss } from "./foresee-loss.ts";

const isRoot = process.getuid?.() === 0;

it("names what undo could not restore, for tools and for commands", {
  tags: "root",
}, async () => {
  const files = {
    "a/b": "b",
    "a/target/c": "c",
    "node_modules/m": "m",
    "nested/.git/HEAD": "",
    secret: "s",
    large: "",
  };
  await using world = openLocalWorld({ files });
  truncateSync(world.path("large"), 17 * 1024 * 1024);
  symlinkSync("node_modules", world.path("link"));
  chmodSync(world.path("secret"), 0o200);
  const losses = async (kind: PlannedChange["kind"], by: PlannedChange["by"], ...paths: string[]) => {
    const changes = paths.map((path) => ({ kind, path, by }));
    const real = new Map([["link/m", world.path("node_modules/m")]]);
    return Object.fromEntries(await foreseeLoss(changes, real, world.environment));
  };
  const unread = isRoot ? {} : { secret: "no read permission" };
  expect([
    await losses("delete", "tool", "a", "node_modules", "nested", "large", "link", "none", "secret"),
    await losses("write", "tool", "a/b", ".git/config", "../outside", "link/m", "new"),
    await losses("move", "tool", "large", "secret", "a"),
    await losses("delete", "command", "a", "a/b", "nested", "large", "link", "none"),
    await losses("write", "command", "a/b", "link/m", "a/target/new"),
  ]).toEqual([
    { nested: "git's own files", ...unread },
    { ".git/config": "git's own files" },
    {},
    {
      nested: "git's own files",
      large: "18 MB may be too large to store",
    },
    // What programs make again is not counted as lost.
    {},
  ]);
});
