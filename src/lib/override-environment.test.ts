import { expect, it } from "vitest";
import type { Environment } from "../contract/environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { overrideEnvironment } from "./override-environment.ts";

it("passes on every member that is not overridden", async () => {
  const inner = new MemoryEnvironment({ files: { a: "text" } });
  const wrapped = overrideEnvironment(inner, { realPath: async () => "/elsewhere" });
  expect(await wrapped.realPath("a")).toBe("/elsewhere");
  const { bytes } = await wrapped.readFile("a", { maxBytes: 100 });
  expect([wrapped.workspace, Buffer.from(bytes).toString()]).toEqual([inner.workspace, "text"]);
});

it("has an optional method exactly when the inner environment has it", async () => {
  const sandbox = async () => ({ level: "none", missing: [], gaps: [] }) as const;
  const bare: Environment = new MemoryEnvironment();
  const full: Environment = overrideEnvironment(Object.assign(new MemoryEnvironment(), { sandbox }), {});
  expect([full.sandbox !== undefined, overrideEnvironment(bare, { sandbox }).sandbox]).toEqual([
    true,
    undefined,
  ]);
  expect(overrideEnvironment(bare, {}).sandbox).toBeUndefined();
});

it("passes on values, and lets them be replaced or removed", () => {
  const confinement = { unconfined: true } as const;
  const confined = overrideEnvironment(new MemoryEnvironment(), { confinement });
  expect(overrideEnvironment(confined, {}).confinement).toBe(confinement);
  expect(overrideEnvironment(confined, { confinement: undefined }).confinement).toBeUndefined();
});

it("adds members, and follows a method that is replaced later", async () => {
  const inner: { -readonly [Name in keyof Environment]: Environment[Name] } = new MemoryEnvironment();
  const wrapped = overrideEnvironment(overrideEnvironment(inner, { added: 1 }), {});
  inner.realPath = async () => "/replaced";
  expect([await wrapped.realPath("a"), Reflect.get(wrapped, "added")]).toEqual(["/replaced", 1]);
});
