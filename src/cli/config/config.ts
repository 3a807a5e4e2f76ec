import {
  type Config,
  type EffectiveSetting,
  projectConfigPath,
  readConfig,
  refuseMistakes,
  userConfigFile,
} from "../../config/read-config.ts";
import {
  choicesOf,
  findSetting,
  isNumber,
  problemOf,
  type Setting,
  settings,
  unknownKey,
} from "../../config/settings.ts";
import { setTomlKey } from "../../config/toml-text.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { runEditor } from "../../environment/local/processes/run-editor.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { policyFiles, readPolicyFile, removePolicyFile, writePolicyFile } from "../../system/policy-files.ts";
import { writeTrust } from "../../toolcrib/trust.ts";
import { confirmTrust, refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { isTerminal, layTable, print, remark } from "../terminal.ts";

/** Runs `toolcrib config list`. */
export async function listConfig(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "config" });
  const config = await readConfig({ workspace: workspaceOf(given) });
  if (given.options.has("json"))
    printJson({
      settings: config.settings.map(toReport),
      project: config.project?.trust ?? null,
      problems: config.problems,
      warnings: config.warnings,
    });
  else {
    print(
      layTable(
        config.settings.map(({ setting, value, origin }) => [
          setting.key,
          printableLine(String(value ?? "-")),
          origin,
        ]),
      ),
    );
    remarkMistakes(config);
  }
  return 0;
}

/** Runs `toolcrib config get`. */
export async function getConfig({ options, operands: [key, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, { name: "config" });
  const wanted = settingOf(key);
  const config = await readConfig({ workspace: workspaceOf({ options, operands: [] }) });
  const found = config.settings.find(({ setting }) => setting === wanted)!;
  if (options.has("json")) printJson(toReport(found));
  else if (found.value !== undefined) print(`${printableLine(String(found.value))}\n`);
  remarkMistakes(config);
  return found.value === undefined ? 1 : 0;
}

function remarkMistakes({ problems, warnings }: Pick<Config, "problems" | "warnings">): void {
  remarkWarnings([...problems.map(({ message }) => message), ...warnings]);
  if (problems.length > 0) remark(`No call runs until this is fixed. ${problems[0]!.hint}\n`);
}

function toReport({ setting, value, origin }: EffectiveSetting) {
  return { key: setting.key, value: value ?? null, origin };
}

/** Runs `toolcrib config set` and `unset`, which keep the comments of the file. */
export async function setConfig(given: Arguments, { unset = false } = {}): Promise<number> {
  const [key, text, ...rest] = given.operands;
  refuseOperands(unset && text !== undefined ? [text] : rest, { name: "config" });
  const setting = settingOf(key);
  const value = unset ? undefined : readValue(setting, text);
  refuseProgramsOfTools("change the configuration");
  const { name, read, write } = fileOf(given);
  const before = await read();
  await write(await setTomlKey(before ?? "", setting.key, value, name));
  const effective = (await readConfig({ workspace: workspaceOf(given) })).settings.find(
    (each) => each.setting === setting,
  )!;
  if (given.options.has("json")) printJson(toReport(effective));
  else print(`${unset ? `Removed ${setting.key} from` : `Set ${setting.key} in`} ${name}.\n`);
  if (value !== undefined && effective.value !== value)
    remarkWarnings([
      `${effective.origin} takes precedence: ${setting.key} is ${printableLine(String(effective.value))}.`,
    ]);
  return 0;
}

function readValue(setting: Setting, text: string | undefined): string | number {
  const choices = choicesOf(setting);
  if (text === undefined)
    throw new ToolError("invalid-input", `A value is missing: toolcrib config set ${setting.key} VALUE`, {
      hint: choices ? `Use one of: ${choices.join(", ")}.` : setting.summary,
    });
  const value = isNumber(setting) ? Number(text.replace(/^\$/, "") || Number.NaN) : text;
  const problem = problemOf(setting, value);
  if (problem === undefined) return value;
  throw new ToolError("invalid-input", `${setting.key} ${problem}`, {
    hint: `Your value was: ${printableLine(text).slice(0, 100)}`,
  });
}

function settingOf(key: string | undefined): Setting {
  const keys = settings.map((setting) => setting.key);
  const found = key === undefined ? undefined : findSetting(key);
  if (found) return found;
  const isTable = ["limits", "mcp_servers", "hooks", "targets"].includes(key ?? "");
  throw new ToolError(
    "invalid-input",
    key === undefined
      ? "A key is missing"
      : isTable
        ? `${key} has several values`
        : `${unknownKey(key, keys).replace(/^u/, "U")}`,
    {
      hint: isTable ? "Change it in the file: toolcrib config edit" : `Keys: ${keys.join(", ")}`,
    },
  );
}

/** The user's file, or with --project the file of the workspace. */
function fileOf(given: Arguments) {
  const workspace = workspaceOf(given);
  if (!given.options.has("project")) {
    const path = userConfigFile();
    return {
      name: path,
      path,
      read: async () => readPolicyFile(path),
      write: async (text: string) => writePolicyFile(path, text),
    };
  }
  const inWorkspace = async <Result>(
    work: (environment: ReturnType<typeof openLocalEnvironment>) => Promise<Result>,
  ) => {
    const environment = openLocalEnvironment({ workspace });
    return work(environment).finally(() => environment.close());
  };
  return {
    name: projectConfigPath,
    path: `${workspace}/${projectConfigPath}`,
    read: () =>
      inWorkspace(async (environment) => {
        try {
          return new TextDecoder().decode(
            (await environment.readFile(projectConfigPath, { maxBytes: 256 * 1024 })).bytes,
          );
        } catch (error) {
          if (error instanceof ToolError && error.code === "not-found") return undefined;
          throw error;
        }
      }),
    write: (text: string) =>
      inWorkspace(
        async (environment) => void (await environment.writeFile(projectConfigPath, Buffer.from(text))),
      ),
  };
}

/** Runs `toolcrib config edit`, which opens the file in the user's editor and then checks it. */
export async function editConfig(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "config" });
  refuseProgramsOfTools("change the configuration");
  const { name, path, read, write } = fileOf(given);
  if (!isTerminal(1) || !process.stdin.isTTY)
    throw new ToolError("unavailable", "There is no terminal for an editor", { hint: `The file is ${path}` });
  if ((await read()) === undefined) await write(template());
  const exit = await runEditor(path);
  const config = await readConfig({ workspace: workspaceOf(given) });
  remarkMistakes(config);
  if (config.problems.length === 0 && config.warnings.length === 0) print(`${name} is valid.\n`);
  return exit;
}

/** A file in which every setting is a comment. */
function template(): string {
  const lines = settings
    .filter(({ key }) => !key.includes("."))
    .flatMap((setting) => {
      const { key, summary, default: usual } = setting;
      const choices = choicesOf(setting);
      return [
        `# ${summary}${choices ? ` One of: ${choices.join(", ")}.` : ""}`,
        `# ${key} = ${JSON.stringify(usual ?? choices?.[0] ?? "provider/name")}`,
        "",
      ];
    });
  return `${lines.join("\n")}# [limits]\n# rounds = 200\n# cost = 5.0\n`;
}

/** Runs `toolcrib config schema`. */
export async function printSchema({ operands }: Arguments): Promise<number> {
  refuseOperands(operands, { name: "config" });
  const { configSchema } = await import("../../config/schema.ts");
  print(`${JSON.stringify(configSchema(), undefined, 2)}\n`);
  return 0;
}

/** Runs `toolcrib config trust`. */
export async function trustConfig(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "config" });
  const workspace = workspaceOf(given);
  const config = await readConfig({ workspace });
  refuseMistakes(config);
  const { project } = config;
  if (project === undefined)
    throw new ToolError("not-found", `There is no ${projectConfigPath} in ${workspace}`, {
      hint: "To find the folder of your own config.toml, run: toolcrib paths",
    });
  const { hash, trust, loosening } = project;
  await confirmTrust(given, {
    ...{ workspace, hash, trust, lines: loosening },
    heading: `${projectConfigPath} of this folder has ${counted(loosening.length, "setting")} that ${loosening.length === 1 ? "needs" : "need"} your trust`,
    what: "these settings",
    otherwise: "It can still tighten the mode, the sandbox and the limits.",
  });
  const wasTrusted = trust === "trusted";
  if (!wasTrusted)
    writeTrust({ workspace, hash }, policyFiles(userDirectories().config, workspace).configTrust);
  if (given.options.has("json"))
    printJson({ workspace, sha256: hash, trust: "trusted", settings: loosening });
  else print(wasTrusted ? "It is already trusted.\n" : "Trusted until the file changes.\n");
  return 0;
}

/** Runs `toolcrib config untrust`. */
export async function untrustConfig(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "config" });
  const workspace = workspaceOf(given);
  const wasTrusted = removePolicyFile(policyFiles(userDirectories().config, workspace).configTrust);
  if (given.options.has("json")) printJson({ workspace, trust: "untrusted", wasTrusted });
  else print(wasTrusted ? "No longer trusted: it can only tighten.\n" : "It was not trusted.\n");
  return 0;
}

function workspaceOf({ options }: Arguments): string {
  return realWorkspace(options.get("workspace") ?? process.cwd());
}
