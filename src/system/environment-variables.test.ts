import { expect, it } from "vitest";
import type { Environment, ProcessStartOptions } from "../contract/environment.ts";
import { openLocalWorld } from "../environment/conformance/local-world.ts";
import { allowedVariables, usualVariables, withheldVariables } from "./environment-variables.ts";
import { ProgramFinder } from "./find-program.ts";

const core = {
  PATH: "/bin",
  HOME: "/home/me",
  LANG: "C",
  LC_ALL: "C",
  TMPDIR: "/tmp",
  XDG_CONFIG_HOME: "/config",
  CARGO_HOME: "/cargo",
  VIRTUAL_ENV: "/venv",
  JAVA_HOME: "/java",
  DOTNET_ROOT: "/dotnet",
};
const secrets = {
  OPENAI_API_KEY: "x",
  GITHUB_TOKEN: "x",
  GH_TOKEN: "x",
  LC_SECRET: "x",
  LC_API_KEY: "x",
  AWS_SECRET_ACCESS_KEY: "x",
  DB_PASSWORD: "x",
  GOOGLE_APPLICATION_CREDENTIALS: "x",
  SSH_AUTH_SOCK: "x",
  NPM_CONFIG__AUTH: "x",
  MYSQL_PASS: "x",
  Service_Token: "x",
  PGPASSWORD: "x",
  SSHPASS: "x",
  GITHUB_PAT: "x",
  DB_PW: "x",
  APPSECRET: "x",
  SLACK_WEBHOOK_URL: "x",
};
const others = {
  AWS_REGION: "eu",
  LD_PRELOAD: "x",
  NODE_OPTIONS: "x",
  GIT_EXTERNAL_DIFF: "x",
  path: "x",
  EDITOR: "x",
};
const readByBash = {
  BASH_ENV: "x",
  ENV: "x",
  SHELLOPTS: "xtrace",
  BASHOPTS: "expand_aliases",
  PS4: "$(x)",
  PROMPT_COMMAND: "x",
  CDPATH: "/",
  GLOBIGNORE: "*",
  "BASH_FUNC_ls%%": "() { x; }",
  TOOLCRIB_RUN: "x",
  TOOLCRIB_TOKEN: "x",
};
const everything = { ...others, ...secrets, ...readByBash, ...core, EMPTY: undefined };

it("passes on basics, language, settings and tool-chain homes, and nothing else", () => {
  expect(allowedVariables(everything)).toEqual(core);
  expect(allowedVariables(everything, { base: "core", extra: [] })).toEqual(core);
});

it("passes on the minimum or everything, but nothing that bash would run", () => {
  const { PATH, HOME, LANG, TMPDIR } = core;
  expect(allowedVariables(everything, { base: "none", extra: [] })).toEqual({ PATH, HOME, LANG, TMPDIR });
  expect(allowedVariables(everything, { base: "all", extra: [] })).toEqual({
    ...others,
    ...secrets,
    ...core,
  });
});

it("passes on all but secrets and what belongs to the user's terminal", () => {
  const harmless = {
    ...{
      CI: "1",
      NODE_ENV: "test",
      TZ: "UTC",
      PYTHONPATH: "lib",
      RUSTFLAGS: "-g",
      npm_config_registry: "http://m/",
    },
    ...{
      NODE_OPTIONS: "--inspect",
      DATABASE_URL: "postgres://localhost/db",
      AUTHOR: "a",
      MONKEY: "m",
      KEYBOARD: "k",
      COMPASS: "c",
      PWD: "/here",
      PASSENGER_APP_ENV: "p",
      TOKENIZERS_PARALLELISM: "false",
      SSL_CERT_FILE: "/ca.pem",
      EDITOR: "vi",
    },
  };
  const secretValues = {
    DSN: "postgres://me:word@localhost/db",
    NOTE: "-----BEGIN RSA PRIVATE KEY-----",
    BOT: "ghp_Qw3Er7Ty1Ui9Op5As2Df8Gh4Jk6Lz0XcVbNm",
    SHOP: "ada:pw@tcp(db)/shop",
  };
  const ofSession = {
    ...{
      DISPLAY: ":0",
      TMUX: "/tmp/t,1,0",
      XDG_RUNTIME_DIR: "/run/user/1",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/x",
    },
    ...{
      VSCODE_IPC_HOOK_CLI: "/x",
      SSH_CONNECTION: "a b",
      NODE_CHANNEL_FD: "3",
      https_proxy: "http://p/",
      SHLVL: "1",
    },
    ...{ npm_lifecycle_event: "test", LD_PRELOAD: "/x.so", GIT_ASKPASS: "/x" },
  };
  const all = { ...harmless, ...secrets, ...secretValues, ...ofSession, ...readByBash, ...core };
  const most = { base: "most", extra: [] } as const;
  expect(allowedVariables(all, most)).toEqual({ ...harmless, ...core });
  const { SSH_AUTH_SOCK: _, ...withheld } = { ...secrets, ...secretValues };
  expect(new Set(withheldVariables(all, most))).toEqual(new Set(Object.keys(withheld)));
  expect(withheldVariables(all, { base: "all", extra: [] })).toEqual([]);
});

it("passes on more variables by name, and a secret only by its exact name", () => {
  const extra = ["AWS_*", "GH_TOKEN", "*TOKEN*", "*AUTH*", "EDIT?R", "BASH_ENV", "BASH_*", "path"];
  expect(allowedVariables(everything, { base: "core", extra })).toEqual({
    ...core,
    AWS_REGION: "eu",
    GH_TOKEN: "x",
    path: "x",
  });
  expect(allowedVariables({ "A.B": "1", AXB: "2" }, { base: "none", extra: ["A.*"] })).toEqual({
    "A.B": "1",
  });
});

it("adds to the existing git settings", () => {
  expect(usualVariables({ others: { GIT_CONFIG_COUNT: "2" }, terminal: true })).toEqual({
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    TERM: "xterm-256color",
    GIT_CONFIG_COUNT: "6",
    GIT_CONFIG_KEY_2: "core.fsmonitor",
    GIT_CONFIG_VALUE_2: "false",
    GIT_CONFIG_KEY_3: "gc.autoDetach",
    GIT_CONFIG_VALUE_3: "false",
    GIT_CONFIG_KEY_4: "maintenance.autoDetach",
    GIT_CONFIG_VALUE_4: "false",
    GIT_CONFIG_KEY_5: "repack.updateServerInfo",
    GIT_CONFIG_VALUE_5: "false",
  });
});

async function variablesSeen(
  environment: Environment,
  options: Partial<ProcessStartOptions>,
): Promise<object> {
  const program = await environment.start("/usr/bin/env", {
    args: ["-0"],
    env: { ADDED: "one\ntwo", LANG: "mine", TOOLCRIB_RUN: "forged" },
    signal: new AbortController().signal,
    ...options,
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of program.stdout) pieces.push(piece);
  const lines = Buffer.concat(pieces).toString().split("\0").slice(0, -1);
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
}

it("gives a program the allowed, the default and the added variables, and TOOLCRIB_RUN", async () => {
  await using world = openLocalWorld();
  const { environment } = world;
  const added = {
    PWD: environment.workspace,
    ADDED: "one\ntwo",
    LANG: "mine",
    TOOLCRIB_RUN: expect.stringMatching(/(^|,)\d+-\d+-\w+-\d+\.run_\w+$/),
  };
  const allowed = allowedVariables(process.env);
  expect(await variablesSeen(environment, {})).toEqual({
    ...allowed,
    ...usualVariables({ others: allowed, terminal: false }),
    ...added,
  });
  const none = allowedVariables(process.env, { base: "none", extra: [] });
  expect(
    await variablesSeen(environment, { confinement: { variables: { base: "none", extra: [] } } }),
  ).toEqual({
    ...none,
    ...usualVariables({ others: none, terminal: false }),
    ...added,
  });
  const { searchPath: PATH } = new ProgramFinder({}, environment.workspace);
  expect(await variablesSeen(environment, { confinement: "ours" })).toEqual({ ...allowed, ...added, PATH });
});
