import { readFileSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../contract/error.ts";
import { selectTools } from "../../../dialects/find-tool.ts";
import { diffContents } from "../../../edit/rewrite/show-diff.ts";
import { fingerprint } from "../../../lib/bytes/content-hash.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { tryParseJson } from "../../../lib/json/try-parse-json.ts";
import { toCommandLine } from "../../../lib/text/shell-quote.ts";
import { readServers } from "../../../mcp/hub/settings/read-servers.ts";
import { redactText } from "../../../policy/redaction/redact.ts";
import { parseRules } from "../../../policy/rules/parse-rules.ts";
import { attempt } from "../../../system/attempt.ts";
import { realLocation, realWorkspace, userDirectories } from "../../../system/directories.ts";
import { readPolicyFile, removePolicyFile, writePolicyFile } from "../../../system/policy-files.ts";
import { version } from "../../../system/version.ts";
import { liesInside } from "../../../system/workspace-path.ts";
import { refuseProgramsOfTools } from "../../approvals/ask-on-terminal.ts";
import type { Arguments } from "../../command.ts";
import { mcpCommand } from "../../commands/mcp.ts";
import { addedRules, dialectHere, instanceOptions, toolSelection } from "../../options.ts";
import { parseArguments, readCount, refuseOperands } from "../../parse-arguments.ts";
import { printContent } from "../../report.ts";
import { print, printExact, remark } from "../../terminal.ts";
import {
  type Client,
  type ClientEntry,
  type ClientName,
  clientNames,
  clients,
  type Scope,
  tokenVariable,
} from "./clients.ts";
import {
  type Configuration,
  type EntryEdit,
  type EntryKey,
  editorFor,
  editText,
  readConfiguration,
  readEntry,
  removeDirectories,
  writeConfiguration,
} from "./configuration.ts";

export async function installClient(given: Arguments): Promise<number> {
  const target = await readTarget(given);
  const { client, configuration, editor, key, scope } = target;
  const trust = given.options.has("ask-once") ? trustIn(target) : {};
  const entry = { ...(await wantedEntry(given, target)), ...trust };
  if (given.options.has("print")) {
    remark(`${configuration.file}\n`);
    printExact(editor.show(key, entry));
    return 0;
  }
  refuseProgramsOfTools("change clients");
  const present = readEntry(configuration, editor, key);
  if (present !== undefined && !isToolcrib(present)) throw taken(key.name, configuration.file);
  const value = { ...updatedEntry(present as ClientEntry | undefined, entry), ...trust };
  if (isDeepStrictEqual(present, value)) {
    print(`Already installed in ${client.title}: ${configuration.file}\n`);
    return 0;
  }
  const after = editText(configuration, editor, key, value);
  if (given.options.has("dry-run")) {
    printChange(configuration, after);
    print("Nothing was written: this was a dry run.\n");
    return 0;
  }
  const earlier = readRecord({ file: configuration.file, name: key.name });
  // A new configuration of the user is private, because the user may later add keys to it.
  const made = await writeConfiguration(configuration, after, scope === "user" ? 0o600 : undefined);
  const isOnTop = earlier !== undefined && earlier.after === configuration.text;
  writeRecord({
    file: configuration.file,
    name: key.name,
    before: isOnTop ? earlier.before : (configuration.text ?? null),
    after,
    made: isOnTop ? earlier.made : made,
  });
  printChange(configuration, after);
  const flags = ["client", "scope", "name"].flatMap((option) => {
    const value = given.options.get(option);
    return value === undefined ? [] : [`--${option}`, value];
  });
  const { url = entry.httpUrl } = entry;
  if (url === undefined) print(`${client.title} starts "${key.name}" after a restart.\n`);
  else {
    print(`${client.title} connects to ${url} after a restart.\n`);
    print(`Set ${tokenVariable} to the same token for the server and for ${client.title}.\n`);
  }
  const advice = adviceFor(target, value);
  if (advice !== undefined)
    print(`${client.title} asks before calls, too. To be asked only once, by Toolcrib, ${advice}\n`);
  print(`To remove it: ${toCommandLine(["toolcrib", "mcp", "uninstall", ...flags])}\n`);
  return 0;
}

export async function uninstallClient(given: Arguments): Promise<number> {
  const { client, configuration, editor, key } = await readTarget(given);
  const present = readEntry(configuration, editor, key);
  if (present === undefined) {
    print(`Not installed in ${client.title}: ${configuration.file}\n`);
    return 0;
  }
  if (!isToolcrib(present)) throw taken(key.name, configuration.file);
  const record = readRecord({ file: configuration.file, name: key.name });
  // An unchanged file gets exactly its old content back.
  const isUntouched = record !== undefined && record.after === configuration.text;
  const after = isUntouched ? (record.before ?? undefined) : editText(configuration, editor, key, undefined);
  if (given.options.has("print")) {
    printChange(configuration, after);
    return 0;
  }
  refuseProgramsOfTools("change clients");
  await writeConfiguration(configuration, after);
  if (isUntouched) removeDirectories(record.made);
  if (record) removePolicyFile(recordFile(record));
  printChange(configuration, after);
  const left = readEntry({ ...configuration, text: after }, editor, key);
  const verb = present !== null && typeof present === "object" && "command" in present ? "start" : "use";
  print(
    `${client.title} ${left ? `${verb}s "${key.name}" as before` : `no longer ${verb}s "${key.name}"`}.\n`,
  );
  return 0;
}

/** Returns the fields of the entry with which only Toolcrib asks for approval. */
function trustIn({ client, key }: Target): ClientEntry {
  const { askOnce, title } = client;
  if (askOnce === undefined) return {};
  if ("entry" in askOnce) return askOnce.entry;
  throw new ToolError("unsupported", `--ask-once cannot change the settings of ${title}`, {
    hint: `To be asked only once, by Toolcrib, ${askOnce.setting(key.name)}.`,
  });
}

/** Returns how to make only Toolcrib ask for approval; undefined if only Toolcrib asks already. */
function adviceFor({ client: { askOnce }, key }: Target, value: ClientEntry): string | undefined {
  if (askOnce === undefined) return undefined;
  if ("setting" in askOnce) return `${askOnce.setting(key.name)}.`;
  const isSet = Object.entries(askOnce.entry).every(([name, wanted]) => value[name] === wanted);
  return isSet ? undefined : "repeat this command with: --ask-once";
}

/** Returns the entry that the options ask for: of a server that the client starts, or of one at a URL. */
async function wantedEntry(
  given: Arguments,
  { client, scope, workspace }: Pick<Target, "client" | "scope" | "workspace">,
): Promise<ClientEntry> {
  const { options, operands } = given;
  const url = options.get("url");
  if (url === undefined) {
    const args = serverArguments(given, client, scope);
    await checkServerArguments(args);
    return client.entry(serverCommand(scope, args, workspace));
  }
  const named = [...options.keys()].find((name) => forwarded.has(name));
  const [option] = named === undefined ? operands : [`--${named}`];
  if (option !== undefined)
    throw new ToolError("invalid-input", `${option} has no effect with --url`, {
      hint: `Pass it to the server: toolcrib mcp --http PORT ${option} …`,
    });
  checkUrl(url);
  if (client.httpEntry === undefined)
    throw new ToolError("unsupported", `${client.title} cannot read the token from a variable`, {
      hint: `Add the server at ${url} in ${client.title} yourself, with its token.`,
    });
  return client.httpEntry(url);
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === "") return;
  throw new ToolError("invalid-input", `--url must be the address of an HTTP server, not "${text}"`, {
    hint: "For example: --url http://127.0.0.1:7777/mcp",
  });
}

interface Target {
  readonly client: Client;
  readonly scope: Scope;
  readonly workspace: string;
  readonly configuration: Configuration;
  readonly editor: EntryEdit;
  readonly key: EntryKey;
}

async function readTarget({ options }: Arguments): Promise<Target> {
  const named = options.get("client") as ClientName | undefined;
  if (named === undefined)
    throw new ToolError("invalid-input", "--client is missing", {
      hint: `Add: --client ${clientNames.join("|")}`,
    });
  const client = clients[named];
  const scope = (options.get("scope") ?? "user") as Scope;
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const file = client.file(scope, { workspace, variables: process.env, platform: process.platform });
  if (file === undefined)
    throw new ToolError("invalid-input", `${client.title} reads no configuration of a project`, {
      hint: `Install it for yourself: toolcrib mcp install --client ${named}`,
    });
  if (scope === "project" && !liesInside(realLocation(file), workspace))
    throw new ToolError("outside-workspace", `${file} is outside the project, because of a link`, {
      hint: "Nothing was changed. Remove the link, or use --scope user.",
    });
  const name = options.get("name") ?? "toolcrib";
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new ToolError("invalid-input", `--name must consist of letters, digits, - and _, not "${name}"`, {
      hint: "For example: --name toolcrib",
    });
  return {
    client,
    scope,
    workspace,
    configuration: readConfiguration(file),
    editor: await editorFor(file),
    key: { servers: client.servers, name },
  };
}

/** Replaces the command, or the address and the token. Other fields that the user has set, such as variables, stay. */
function updatedEntry(present: ClientEntry | undefined, entry: ClientEntry): ClientEntry {
  if (present === undefined || "command" in present !== "command" in entry) return entry;
  const { command, args, ...others } = entry;
  if (command === undefined) return { ...present, ...entry };
  return { ...others, ...present, command, ...(args !== undefined && { args }) };
}

function printChange({ file: path, text }: Configuration, now: string | undefined): void {
  const [before, after] = [text, now].map((content) =>
    content === undefined ? "nothing" : Buffer.from(content),
  );
  const diff = diffContents({ path, before: before!, after: after! });
  printContent(redactText(diff));
}

function taken(name: string, file: string): ToolError {
  return new ToolError("already-exists", `${file} already has another server named "${name}"`, {
    hint: "Choose another --name, or remove that server yourself.",
  });
}

/**
 * The changes of an installation, so that uninstalling restores every byte. Only the user can read it, because
 * configurations contain keys.
 */
interface InstallRecord {
  readonly file: string;
  readonly name: string;
  /** Null when there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** Directories that were created for it, outermost first. */
  readonly made: readonly string[];
}

function recordFile({ file, name }: Pick<InstallRecord, "file" | "name">): string {
  return join(userDirectories().state, "installed", `${fingerprint(JSON.stringify([file, name]))}.json`);
}

function writeRecord(record: InstallRecord): void {
  writePolicyFile(recordFile(record), JSON.stringify(record));
}

/** Returns the record of an installation; undefined when it is missing or damaged. */
function readRecord(wanted: Pick<InstallRecord, "file" | "name">): InstallRecord | undefined {
  const text = attempt(() => readPolicyFile(recordFile(wanted)));
  const found = tryParseJson(text ?? "null") as InstallRecord | null | undefined;
  const isSame = found?.file === wanted.file && found.name === wanted.name;
  return isSame && Array.isArray(found.made) && typeof found.after === "string" ? found : undefined;
}

/** Checks the server's arguments, because errors of the server would only appear in the client's log. */
async function checkServerArguments(args: readonly string[]): Promise<void> {
  const given = parseArguments(args, mcpCommand);
  refuseOperands(given.operands, mcpCommand);
  readCount(given, "approval-wait-ms");
  const { rules, ruleFiles } = addedRules(given.options);
  parseRules({ level: "command line", name: "--rule", text: rules.join("\n") });
  for (const name of ruleFiles) {
    const text = readPolicyFile(name);
    if (text === undefined)
      throw new ToolError("not-found", `The rule file ${name} does not exist`, { hint: "Create it first." });
    parseRules({ level: "command line", name, text });
  }
  const { onlyTools } = toolSelection(given.options);
  if (onlyTools === undefined) return;
  const dialect = await dialectHere(given.options.get("dialect"));
  const { servers } = await readServers({ workspace: process.cwd() });
  selectTools(dialect.tools, onlyTools, { ...dialect, more: Object.keys(servers).length > 0 });
}

/**
 * Returns the command that starts the server. The user's configuration contains the path of this installation, because
 * desktop programs often lack a PATH. A project's configuration is shared, so it uses npx: with the program that the
 * project installs, otherwise with this version, so that no later one runs unasked.
 */
function serverCommand(scope: Scope, args: readonly string[], workspace: string): [string, ...string[]] {
  const program = ownProgram();
  // The single binary unpacks the program into a cache, which may be cleared.
  const binary = process.env.TOOLCRIB_BINARY;
  if (scope === "user" && binary) return [binary, "mcp", ...args];
  // The cache of npx may be cleared later.
  const isTemporary = /[/\\]_npx[/\\]/.test(program);
  if (scope === "user" && !isTemporary) return [process.execPath, program, "mcp", ...args];
  if (scope === "project" && installsToolcrib(workspace))
    return ["npx", "--no-install", "toolcrib", "mcp", ...args];
  return npxCommand(`toolcrib@${version}`, args);
}

/**
 * Returns the command that starts a package by npx. It starts npx in `/`, because npx prefers the programs and the
 * `.npmrc` of the current folder, which may be a hostile repository, and puts that folder's programs into PATH; its
 * option `--prefix` does not prevent the latter. The shell finds the folder itself: Gemini CLI replaces `$NAME`.
 */
export function npxCommand(npmPackage: string, args: readonly string[]): [string, ...string[]] {
  return ["sh", "-c", npxScript(npmPackage), "toolcrib", ...args];
}

function npxScript(npmPackage: string): string {
  return `set -- --cwd "$(pwd)" "$@"; cd / && exec npx -y ${npmPackage} mcp "$@"`;
}

/** Returns whether the project depends on Toolcrib, so that everyone who works there has it installed. */
function installsToolcrib(workspace: string): boolean {
  const text = attempt(() => readFileSync(join(workspace, "package.json"), "utf8"));
  const manifest = tryParseJson(text ?? "null");
  if (!isRecord(manifest)) return false;
  return [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].some(
    (names) => isRecord(names) && Object.hasOwn(names, "toolcrib"),
  );
}

/** Returns the command line of a client's entry. */
export function commandWords(entry: unknown): readonly string[] {
  return isRecord(entry) ? [entry.command, entry.args].flat().map(String) : [];
}

/** Returns whether a client's entry starts Toolcrib, or connects to it. Only such an entry may be changed. */
export function isToolcrib(entry: unknown): boolean {
  if (isRecord(entry) && entry.command === undefined) return hasToken(entry);
  const [launcher = "", ...words] = commandWords(entry);
  if (basename(launcher) === "sh") return words[0] === "-c" && isNpxScript(words[1] ?? "");
  const [program = "", subcommand] = words.filter((word) => !/^(?:-y|--yes|--no-install)$/.test(word));
  if (/^toolcrib(?:-[\w.-]+)?$/.test(basename(launcher))) return program === "mcp";
  const isOurs = isNpx(launcher)
    ? /^toolcrib(?:@[\w.-]+)?$/.test(program)
    : program === ownProgram() || /[/\\]node_modules[/\\]toolcrib[/\\]/.test(program);
  return isOurs && subcommand === "mcp";
}

/** Returns whether a client's entry starts npx in the folder that the client works in, as earlier versions wrote it. */
export function startsNpxInWorkspace(entry: unknown): boolean {
  const [launcher = "", ...words] = commandWords(entry);
  return isToolcrib(entry) && isNpx(launcher) && !words.includes("--no-install");
}

function isNpx(launcher: string): boolean {
  return /^npx(?:\.cmd)?$/.test(basename(launcher));
}

function isNpxScript(script: string): boolean {
  const [, npmPackage] = / npx -y (toolcrib(?:@[\w.-]+)?) mcp /.exec(script) ?? [];
  return npmPackage !== undefined && script === npxScript(npmPackage);
}

/** Returns whether an entry sends the token. No other server gets it, so such an entry connects to Toolcrib. */
function hasToken({ headers, bearer_token_env_var: variable }: ClientEntry): boolean {
  const { Authorization: header } = isRecord(headers) ? headers : {};
  return variable === tokenVariable || (typeof header === "string" && header.includes(tokenVariable));
}

function ownProgram(): string {
  return realpathSync(resolve(process.argv[1] ?? ""));
}

/** Returns the arguments of the server: the given options of `toolcrib mcp`, and the words after `--`. */
function serverArguments({ options, operands }: Arguments, client: Client, scope: Scope): readonly string[] {
  const [first] = operands;
  if (first !== undefined && !first.startsWith("-"))
    throw new ToolError("invalid-input", `Unexpected argument: ${first}`, {
      hint: "Write options of the server after a lone --",
    });
  const args = [...options].flatMap(([name, values]) => (forwarded.has(name) ? flagsOf(name, values) : []));
  const folder = options.get("workspace");
  const isSet = [...operands, ...args].some((word) => /^(?:--workspace|--target|-C)(?:=|$)/.test(word));
  // A project's configuration applies to the project's folder.
  if (folder !== undefined && scope === "user") args.push("--workspace", resolve(folder));
  else if (client.openFolder !== undefined && !isSet) args.push("--workspace", client.openFolder);
  return [...args, ...operands];
}

const forwarded = new Set([
  ...["target", "upload-node", "dialect", "approval-wait-ms"],
  ...instanceOptions.map(({ name }) => name),
]);

function flagsOf(name: string, values: string): readonly string[] {
  if (values === "") return [`--${name}`];
  const isFile = name === "rule-file" || name === "upload-node";
  const read = isFile ? (file: string) => resolve(file) : (value: string) => value;
  return values.split("\n").flatMap((value) => [`--${name}`, read(value)]);
}
