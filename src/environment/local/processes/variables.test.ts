import { expect, it } from "vitest";
import { openLocalWorld } from "../../conformance/local-world.ts";
import { allowedVariables } from "./variables.ts";

it("passes basics, language, settings and tool-chain homes on, and nothing else", () => {
  const passed = {
    PATH: "/bin",
    HOME: "/home/me",
    LANG: "C",
    LC_ALL: "C",
    TMPDIR: "/tmp",
    XDG_CONFIG_HOME: "/config",
    CARGO_HOME: "/cargo",
    VIRTUAL_ENV: "/venv",
  };
  const kept = {
    OPENAI_API_KEY: "x",
    GITHUB_TOKEN: "x",
    LC_SECRET: "x",
    LC_API_KEY: "x",
    LD_PRELOAD: "x",
    NODE_OPTIONS: "x",
    GIT_EXTERNAL_DIFF: "x",
    path: "x",
    EDITOR: "x",
    EMPTY: undefined,
  };
  expect(allowedVariables({ ...kept, ...passed })).toEqual(passed);
});

it("lets a program see the allowed variables those that were added, and who runs it", async () => {
  await using world = openLocalWorld();
  const { environment } = world;
  const program = await environment.start("/usr/bin/env", {
    args: ["-0"],
    env: { ADDED: "one\ntwo", LANG: "mine" },
    signal: new AbortController().signal,
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of program.stdout) pieces.push(piece);
  const seen = Buffer.concat(pieces).toString().split("\0").slice(0, -1);
  const variables = Object.fromEntries(seen.map((line) => line.split(/=(.*)/s, 2)));
  expect(variables).toEqual({
    ...allowedVariables(process.env),
    PWD: environment.workspace,
    ADDED: "one\ntwo",
    LANG: "mine",
    TOOLCRIB_RUN_BY_TOOL: "1",
  });
});
