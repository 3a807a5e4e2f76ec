import { realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../contract/error.ts";
import { selectTools } from "../../../dialects/find-tool.ts";
import { diffContents } from "../../../edit/rewrite/show-diff.ts";
import { fingerprint } from "../../../lib/bytes/content-hash.ts";
import { toCommandLine } from "../../../lib/text/shell-quote.ts";
import { readServers } from "../../../mcp/hub/settings/read-servers.ts";
import { redactText } from "../../../policy/redaction/redact.ts";
import { parseRules } from "../../../policy/rules/parse-rules.ts";
import { realLocation, realWorkspace, userDirectories } from "../../../system/directories.ts";
import { readPolicyFile, removePolicyFile, writePolicyFile } from "../../../system/policy-files.ts";
import { liesInside } from "../../../system/workspace-path.ts";
import { refuseProgramsOfTools } from "../../approvals/ask-on-terminal.ts";
import type { Arguments } from "../../command.ts";
import { mcpCommand } from "../../commands/mcp.ts";
import { dialectHere, narrowingGiven, rulesGiven } from "../../options.ts";
import { parseArguments, readCount, refuseOperands } from "../../parse-arguments.ts";
import { forReader } from "../../report.ts";
import { print, remark } from "../../terminal.ts";
import { version } from "../../version.ts";
import { type Client, type ClientName, clientNames, clients, type Scope } from "./clients.ts";
import {
  type Configuration,
  type EntryEdit,
  editorFor,
  editText,
  readConfiguration,
  readEntry,
  removeDirectories,
  writeConfiguration,
} from "./configuration.ts";

/** `toolcrib mcp install` */
export async function installClient(given: Arguments): Promise<number> {
  const { client, configuration, editor, place, scope } = await readPlace(given);
  const served = serverWords(given, client, scope);
  await refuseWhatWouldNotStart(served);
  const entry = client.entry(serverCommand(scope, served));
  if (given.options.has("print")) {
    remark(`${configuration.file}\n`);
    print(editor.show(place, entry));
    return 0;
  }
  refuseProgramsOfTools("change clients");
  const present = readEntry(configuration, editor, place);
  if (present !== undefined && !startsUs(present)) throw taken(place.name, configuration.file);
  const value = { ...entry, ...(present as typeof entry | undefined), ...commandOf(entry) };
  if (isDeepStrictEqual(present, value)) {
    print(`${client.title} has it already: ${configuration.file}\n`);
    return 0;
  }
  const after = editText(configuration, editor, place, value);
  const records = new InstallRecords(userDirectories().state);
  const earlier = records.read({ file: configuration.file, name: place.name });
  // The person's own may be told keys later on.
  const made = await writeConfiguration(configuration, after, scope === "user" ? 0o600 : undefined);
  const isOnTop = earlier !== undefined && earlier.after === configuration.text;
  records.write({
    file: configuration.file,
    name: place.name,
    before: isOnTop ? earlier.before : (configuration.text ?? null),
    after,
    made: isOnTop ? earlier.made : made,
  });
  tellChange(configuration, after);
  const words = ["client", "scope", "name"].flatMap((option) => {
    const value = given.options.get(option);
    return value === undefined ? [] : [`--${option}`, value];
  });
  print(`${client.title} starts "${place.name}" from its next start on.\n`);
  print(`To take it back: ${toCommandLine(["toolcrib", "mcp", "uninstall", ...words])}\n`);
  return 0;
}

/** `toolcrib mcp uninstall` */
export async function uninstallClient(given: Arguments): Promise<number> {
  const { client, configuration, editor, place } = await readPlace(given);
  const present = readEntry(configuration, editor, place);
  if (present === undefined) {
    print(`${client.title} does not have it: ${configuration.file}\n`);
    return 0;
  }
  if (!startsUs(present)) throw taken(place.name, configuration.file);
  const records = new InstallRecords(userDirectories().state);
  const record = records.read({ file: configuration.file, name: place.name });
  // Where nobody has changed it since, it becomes just what it was.
  const isUntouched = record !== undefined && record.after === configuration.text;
  const after = isUntouched
    ? (record.before ?? undefined)
    : editText(configuration, editor, place, undefined);
  if (given.options.has("print")) {
    tellChange(configuration, after);
    return 0;
  }
  refuseProgramsOfTools("change clients");
  await writeConfiguration(configuration, after);
  if (isUntouched) removeDirectories(record.made);
  if (record) records.remove(record);
  tellChange(configuration, after);
  const left = readEntry({ ...configuration, text: after }, editor, place);
  print(
    `${client.title} ${left ? "starts" : "no longer starts"} "${place.name}"${left ? " as before" : ""}.\n`,
  );
  return 0;
}

interface Place {
  readonly client: Client;
  readonly scope: Scope;
  readonly configuration: Configuration;
  readonly editor: EntryEdit;
  readonly place: { readonly servers: string; readonly name: string };
}

async function readPlace({ options }: Arguments): Promise<Place> {
  const named = options.get("client") as ClientName | undefined;
  if (named === undefined)
    throw new ToolError("invalid-input", "Say for which client", {
      hint: `--client ${clientNames.join("|")}`,
    });
  const client = clients[named];
  const scope = (options.get("scope") ?? "user") as Scope;
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const file = client.file(scope, { workspace, variables: process.env, platform: process.platform });
  if (scope === "project" && !liesInside(realLocation(file), workspace)) throw leadsOut(file);
  const name = options.get("name") ?? "toolcrib";
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new ToolError("invalid-input", `"${name}" is no name for a server`, {
      hint: "Use letters, digits, - and _.",
    });
  return {
    client,
    scope,
    configuration: readConfiguration(file),
    editor: await editorFor(client),
    place: { servers: client.servers, name },
  };
}

/** What else somebody has set there, variables for example, stays. */
function commandOf(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { command, args } = entry;
  return { command, ...(args !== undefined && { args }) };
}

function tellChange({ file: path, text }: Configuration, now: string | undefined): void {
  const [before, after] = [text, now].map((content) =>
    content === undefined ? "nothing" : Buffer.from(content),
  );
  const diff = diffContents({ path: path.replace(/^\//, ""), before: before!, after: after! });
  print(forReader(1, redactText(diff)));
}

function leadsOut(file: string): ToolError {
  return new ToolError("outside-workspace", `${file} leads out of the project by a link`, {
    hint: "Nothing was changed. Remove the link, or take --scope user.",
  });
}

function taken(name: string, file: string): ToolError {
  return new ToolError("already-exists", `${file} has another server "${name}"`, {
    hint: "Choose another --name, or remove that one yourself.",
  });
}

/** What an installation has changed, so that it can be taken back to the byte. It is also the backup. */
export interface InstallRecord {
  readonly file: string;
  readonly name: string;
  /** Null where there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** Directories that were made for it, outermost first. */
  readonly made: readonly string[];
}

/** Kept in the state directory, for nobody else to read: configurations hold keys. */
export class InstallRecords {
  readonly #folder: string;

  constructor(state: string) {
    this.#folder = join(state, "installed");
  }

  write(record: InstallRecord): void {
    writePolicyFile(this.#at(record), JSON.stringify(record));
  }

  /** Undefined also for one that is damaged. */
  read(place: Pick<InstallRecord, "file" | "name">): InstallRecord | undefined {
    try {
      const found = JSON.parse(readPolicyFile(this.#at(place)) ?? "null") as InstallRecord | null;
      const isMeant = found?.file === place.file && found.name === place.name;
      return isMeant && Array.isArray(found.made) && typeof found.after === "string" ? found : undefined;
    } catch {
      return undefined;
    }
  }

  remove(place: Pick<InstallRecord, "file" | "name">): void {
    removePolicyFile(this.#at(place));
  }

  #at({ file, name }: Pick<InstallRecord, "file" | "name">): string {
    return join(this.#folder, `${fingerprint(JSON.stringify([file, name]))}.json`);
  }
}

/** Reads the words that a client is to start us with as we shall read them: in its log hardly anybody would see what is wrong. */
export async function refuseWhatWouldNotStart(words: readonly string[]): Promise<void> {
  const given = parseArguments(words, mcpCommand);
  refuseOperands(given.operands, mcpCommand);
  readCount(given, "approval-wait-ms");
  const { rules, ruleFiles } = rulesGiven(given.options);
  parseRules({ level: "command line", name: "--rule", text: rules.join("\n") });
  for (const name of ruleFiles) {
    const text = readPolicyFile(name);
    if (text === undefined) throw noRules(name);
    parseRules({ level: "command line", name, text });
  }
  const { allowedTools } = narrowingGiven(given.options);
  if (allowedTools === undefined) return;
  const dialect = await dialectHere(given.options.get("dialect"));
  const { servers } = await readServers({ workspace: process.cwd() });
  selectTools(dialect.tools, allowedTools, { ...dialect, more: Object.keys(servers).length > 0 });
}

function noRules(file: string): ToolError {
  return new ToolError("not-found", `There is no rule file ${file}`, { hint: "Write it first." });
}

/**
 * What starts our server. In the person's own configuration this very installation, by its path: that needs no network,
 * and no PATH, which programs with windows often lack. A project's configuration is for others, too: there npx finds it.
 */
export function serverCommand(scope: Scope, words: readonly string[]): [string, ...string[]] {
  const program = ownProgram();
  // What npx has fetched, it may throw away.
  const isPassing = /[/\\]_npx[/\\]/.test(program);
  if (scope === "user" && !isPassing) return [process.execPath, program, "mcp", ...words];
  return ["npx", "-y", scope === "user" ? `toolcrib@${version}` : "toolcrib", "mcp", ...words];
}

/** Whether a client's entry starts Toolcrib: only then it is ours to change, and what else it says stays. */
export function startsUs(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { command, args } = entry as { readonly command?: unknown; readonly args?: unknown };
  const [launcher, ...words] = [command, args].flat().map(String);
  const [program = "", subcommand] = words.filter((word) => word !== "-y" && word !== "--yes");
  if (basename(launcher!) === "toolcrib") return program === "mcp";
  const isOurs = /^npx(?:\.cmd)?$/.test(basename(launcher!))
    ? /^toolcrib(?:@[\w.-]+)?$/.test(program)
    : program === ownProgram() || /[/\\]node_modules[/\\]toolcrib[/\\]/.test(program);
  return isOurs && subcommand === "mcp";
}

function ownProgram(): string {
  return realpathSync(resolve(process.argv[1] ?? ""));
}

/** What the server is started with: the options of `toolcrib mcp` that were given, and the words after `--`. */
export function serverWords(
  { options, operands }: Arguments,
  client: Client,
  scope: Scope,
): readonly string[] {
  const [first] = operands;
  if (first !== undefined && !first.startsWith("-"))
    throw new ToolError("invalid-input", `"${first}" is one word too many`, {
      hint: "Options of the server stand after a lone --",
    });
  const words = [...options].flatMap(([name, values]) => (handedOn.has(name) ? wordsOf(name, values) : []));
  const folder = options.get("workspace");
  const says = [...operands, ...words].some((word) => /^(?:--workspace|-C)(?:=|$)/.test(word));
  // The project's configuration is for the project's folder.
  if (folder !== undefined && scope === "user") words.push("--workspace", resolve(folder));
  else if (client.openFolder !== undefined && !says) words.push("--workspace", client.openFolder);
  return [...words, ...operands];
}

const handedOn = new Set([
  ...["dialect", "mode", "rule", "rules", "sandbox", "tools", "read-only", "approval-wait-ms"],
]);

function wordsOf(name: string, values: string): readonly string[] {
  if (values === "") return [`--${name}`];
  const read = name === "rules" ? (file: string) => resolve(file) : (value: string) => value;
  return values.split("\n").flatMap((value) => [`--${name}`, read(value)]);
}
