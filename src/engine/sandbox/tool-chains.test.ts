import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { toolChainsIn } from "./tool-chains.ts";

function makeHome(home: string, directories: readonly string[]): void {
  for (const path of directories) mkdirSync(join(home, path), { recursive: true });
}

it("finds tool chains below a home, and omits keys and directories that tools write to", async () => {
  await using folder = temporaryFolder();
  const home = folder.path;
  makeHome(home, [
    ".ssh",
    ".cargo",
    ".rustup/toolchains",
    ".npm",
    ".cache/pip",
    ".cache/ms-playwright",
    ".aws",
  ]);
  makeHome(home, [".local/share/keyrings", ".local/share/uv", ".local/bin", ".m2/repository", ".config/git"]);
  writeFileSync(join(home, ".gitconfig"), "");
  const expected = [
    ...[".cache/ms-playwright", ".cargo", ".config/git", ".gitconfig", ".local/bin", ".local/share/uv"],
    ...[".m2/repository", ".rustup"],
  ];
  expect(toolChainsIn(home, {}, "/usr/bin/node")).toEqual(expected.map((path) => join(home, path)));
});

it("omits the store of pnpm, next to its programs", async () => {
  await using folder = temporaryFolder();
  makeHome(folder.path, [
    ".local/share/pnpm/store",
    ".local/share/pnpm/global",
    "my/pnpm/store",
    "my/pnpm/bin",
  ]);
  const variables = { PNPM_HOME: join(folder.path, "my/pnpm"), PATH: join(folder.path, "my/pnpm") };
  expect(toolChainsIn(folder.path, variables, "/usr/bin/node")).toEqual(
    [".local/share/pnpm/global", "my/pnpm/bin"].map((path) => join(folder.path, path)),
  );
});

it("adds the paths in variables, with the directories that their programs need", async () => {
  await using folder = temporaryFolder();
  const home = folder.path;
  makeHome(home, [
    "tools/node/bin",
    "tools/node/lib",
    "my-rust",
    "venv/bin",
    "venv/lib",
    ".local/bin",
    "documents/bin",
  ]);
  makeHome(home, ["bin", "running/bin", "running/lib"]);
  const at = (path: string) => join(home, path);
  const variables = {
    CARGO_HOME: at("my-rust"),
    RUSTUP_HOME: "/elsewhere",
    GOPATH: home,
    PATH: [
      at("tools/node/bin"),
      at("venv/bin"),
      at(".local/bin"),
      at("bin"),
      at("gone/bin"),
      at("documents/bin"),
      "relative",
      "/usr/bin",
    ].join(":"),
  };
  expect(toolChainsIn(home, variables, at("running/bin/node"))).toEqual(
    [".local/bin", "bin", "documents/bin", "my-rust", "running", "tools/node", "venv"].map(at),
  );
});
