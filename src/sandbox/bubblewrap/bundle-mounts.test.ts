import { expect, it } from "vitest";
import type { ScanResult } from "../tree-scan.ts";
import { bundleEntries, bundlePaths } from "./bundle-mounts.ts";

const nothing: ScanResult = {
  hidden: [],
  readOnly: [],
  repositories: [],
  bare: [],
  unnameable: [],
  sockets: [],
  isWhole: true,
};

function many(directory: string): string[] {
  return [...Array(2001).keys()].map((number) => `${directory}/${number}.pem`);
}

it("covers a whole directory that contains very many secrets or protected files", () => {
  const hidden = many("/work/keys").map((path) => ({ path, kind: "file" }) as const);
  expect(bundleEntries({ ...nothing, hidden, readOnly: many("/work/fixed") }, "/work")).toEqual({
    hidden: [{ path: "/work/keys", kind: "directory" }],
    readOnly: ["/work/fixed"],
    remarks: [
      "/work/keys contains so many secrets that it is hidden as a whole.",
      "/work/fixed contains so many protected files that all of it is read-only.",
    ],
  });
});

it("refuses to run rather than leave some of them uncovered", () => {
  const hidden = many("/work").map((path) => ({ path, kind: "file" }) as const);
  const tooMany = /contains too many (?:secrets|protected files|directories) to/;
  expect(() => bundleEntries({ ...nothing, hidden }, "/work")).toThrow(tooMany);
  expect(() => bundleEntries({ ...nothing, readOnly: many("/work") }, "/work")).toThrow(tooMany);
  expect(() => bundleEntries({ ...nothing, isWhole: false }, "/work")).toThrow(tooMany);
});

const paths = ["/w/a/1", "/w/a/2", "/w/a/3", "/w/b/1", "/w/b/2", "/w/c", "/w/d", "/w/a/deep/4"];

it("covers each file separately while there are few", () => {
  expect(bundlePaths(paths, "/w", 8)).toEqual({ single: paths, bundled: [] });
});

it("covers the fullest directories whole until few are left, but not the top", () => {
  expect(bundlePaths(paths, "/w", 4)).toEqual({ single: ["/w/c", "/w/d"], bundled: ["/w/a", "/w/b"] });
});

it("leaves many files in different directories as they are", () => {
  const apart = ["/w/a/1", "/w/b/1", "/w/c/1"];
  expect(bundlePaths(apart, "/w", 2)).toEqual({ single: apart, bundled: [] });
});
