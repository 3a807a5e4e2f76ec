import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../contract/error.ts";
import { diffContents } from "../../../edit/rewrite/show-diff.ts";
import { toCommandLine } from "../../../lib/shell-quote.ts";
import { redactText } from "../../../policy/redaction/redact.ts";
import { realLocation, realWorkspace, userDirectories } from "../../../system/directories.ts";
import { liesInside } from "../../../system/workspace-path.ts";
import { refuseProgramsOfTools } from "../../approval/refuse-programs-of-tools.ts";
import type { Arguments } from "../../command.ts";
import { forReader } from "../../report.ts";
import { print, remark } from "../../terminal.ts";
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
import { InstallRecords } from "./install-record.ts";
import { refuseWhatWouldNotStart } from "./refuse-what-would-not-start.ts";
import { serverCommand, startsUs } from "./server-command.ts";
import { serverWords } from "./server-words.ts";

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
