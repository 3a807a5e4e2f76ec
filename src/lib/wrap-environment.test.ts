import { expect, it } from "vitest";
import type { Environment } from "../contract/environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { environmentMethods, wrapEnvironment } from "./wrap-environment.ts";

it("passes on every member that is not overridden", async () => {
  const inner = new MemoryEnvironment({ files: { a: "text" } });
  const wrapped = wrapEnvironment(inner, { realPath: async () => "/elsewhere" });
  expect(await wrapped.realPath("a")).toBe("/elsewhere");
  const { bytes } = await wrapped.readFile("a", { maxBytes: 100 });
  expect([wrapped.workspace, Buffer.from(bytes).toString()]).toEqual([inner.workspace, "text"]);
});

it("has an optional method exactly when the inner environment has it", async () => {
  const sandbox = async () => ({ level: "none", missing: [], gaps: [] }) as const;
  const bare: Environment = new MemoryEnvironment();
  const full: Environment = wrapEnvironment(Object.assign(new MemoryEnvironment(), { sandbox }), {});
  expect([full.sandbox !== undefined, wrapEnvironment(bare, { sandbox }).sandbox]).toEqual([true, undefined]);
  for (const name of environmentMethods)
    expect([name, typeof wrapEnvironment(bare, {})[name]]).toEqual([name, typeof bare[name]]);
});

it("passes on values, and lets them be replaced or removed", () => {
  const confinement = { unconfined: true } as const;
  const confined = wrapEnvironment(new MemoryEnvironment(), { confinement });
  expect(wrapEnvironment(confined, {}).confinement).toBe(confinement);
  expect(wrapEnvironment(confined, { confinement: undefined }).confinement).toBeUndefined();
});

it("binds a method once, and again when it was replaced", async () => {
  const inner: { -readonly [Name in keyof Environment]: Environment[Name] } = new MemoryEnvironment();
  const [first, second] = [wrapEnvironment(inner, {}), wrapEnvironment(inner, {})];
  expect(first.readFile).toBe(second.readFile);
  inner.realPath = async () => "/replaced";
  expect(await wrapEnvironment(wrapEnvironment(inner, {}), {}).realPath("a")).toBe("/replaced");
});
