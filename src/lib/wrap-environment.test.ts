import { expect, it } from "vitest";
import type { Environment } from "../contract/environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { wrapEnvironment } from "./wrap-environment.ts";

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
  expect(wrapEnvironment(bare, {}).sandbox).toBeUndefined();
});

it("passes on values, and lets them be replaced or removed", () => {
  const confinement = { unconfined: true } as const;
  const confined = wrapEnvironment(new MemoryEnvironment(), { confinement });
  expect(wrapEnvironment(confined, {}).confinement).toBe(confinement);
  expect(wrapEnvironment(confined, { confinement: undefined }).confinement).toBeUndefined();
});

it("adds members, and follows a method that is replaced later", async () => {
  const inner: { -readonly [Name in keyof Environment]: Environment[Name] } = new MemoryEnvironment();
  const wrapped = wrapEnvironment(wrapEnvironment(inner, { added: 1 }), {});
  inner.realPath = async () => "/replaced";
  expect([await wrapped.realPath("a"), Reflect.get(wrapped, "added")]).toEqual(["/replaced", 1]);
});
