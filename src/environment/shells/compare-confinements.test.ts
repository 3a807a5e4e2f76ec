import { expect, it } from "vitest";
import type { Confinement } from "../../contract/confinement.ts";
import { compareConfinements } from "./compare-confinements.ts";

const isHidden = () => false;
const absent = [{ path: "/work/.git", kind: "directory" }] as const;
const usual: Confinement = {
  ...{ isHidden, absent, writable: ["/a"] },
  ...{ variables: { base: "core", extra: [] }, limits: {} },
};

it.each<[string, Confinement | undefined, Confinement | undefined]>([
  ["the same confinement", usual, { ...usual, variables: { base: "core", extra: [] } }],
  ["no confinement", undefined, undefined],
  ["a command that may reach other hosts", { ...usual, hosts: ["a.example"] }, usual],
  ["a shell that was allowed to read more", { ...usual, readable: ["/b"] }, usual],
])("keeps the shell for %s", (_name, shell, command) => {
  expect(compareConfinements(shell, command)).toEqual({ isTooFree: false, lacks: [] });
});

it.each<[string, Confinement, Confinement]>([
  ["other rules", usual, { ...usual, isHidden: () => true }],
  ["other variables", usual, { ...usual, variables: { base: "none", extra: [] } }],
  ["other limits", usual, { ...usual, limits: { processes: 5 } }],
  ["a shell outside the sandbox", { ...usual, unconfined: true }, usual],
  ["a command outside the sandbox", usual, { ...usual, unconfined: true }],
  ["an entry that only the first command might create, as `git init` does", { ...usual, absent: [] }, usual],
  ["protected files that only the first command might write", { ...usual, isReadOnly: () => false }, usual],
  ["a path that only the first command might write", { ...usual, writable: ["/a", "/b"] }, usual],
  ["a protected path that only the first command might write", { ...usual, isReadOnly: () => false }, usual],
  [
    "a repository that only the first command might make",
    usual,
    { ...usual, absent: [{ path: "/w/.git", kind: "directory" }] },
  ],
])("restarts the shell for %s", (_name, shell, command) => {
  expect(compareConfinements(shell, command)).toEqual({ isTooFree: true, lacks: [] });
});

it("lists the permissions that a shell lacks", () => {
  const command = {
    ...usual,
    writable: ["/a", "/b"],
    readable: ["/c"],
    absent: [],
  };
  expect(compareConfinements(usual, command)).toEqual({
    isTooFree: false,
    lacks: ["write /b", "create /work/.git", "read /c"],
  });
});
