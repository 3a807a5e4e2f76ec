import { expect, it } from "vitest";
import { bundlePaths } from "./bundle-paths.ts";

const paths = ["/w/a/1", "/w/a/2", "/w/a/3", "/w/b/1", "/w/b/2", "/w/c", "/w/d", "/w/a/deep/4"];

it("takes each by itself while there are few", () => {
  expect(bundlePaths(paths, "/w", 8)).toEqual({ single: paths, bundled: [] });
});

it("takes the fullest directories whole until few are left, but not the top", () => {
  expect(bundlePaths(paths, "/w", 4)).toEqual({ single: ["/w/c", "/w/d"], bundled: ["/w/a", "/w/b"] });
});

it("leaves many that lie apart as they are", () => {
  const apart = ["/w/a/1", "/w/b/1", "/w/c/1"];
  expect(bundlePaths(apart, "/w", 2)).toEqual({ single: apart, bundled: [] });
});
