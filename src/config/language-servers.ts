import { isAbsolute } from "node:path";
import type { LanguageServerSetting } from "../contract/language-server.ts";
import { isRecord } from "../lib/json/is-record.ts";

/** The table `language_servers` of the user's own `config.toml`. A project has none, because it would choose a program. */
export interface LanguageServerTable {
  readonly servers: Readonly<Record<string, LanguageServerSetting>>;
  /** Mistakes by key, each a sentence without a full stop. */
  readonly problems: readonly (readonly [key: string, problem: string])[];
}

export function readLanguageServers(table: unknown): LanguageServerTable {
  if (table === undefined) return { servers: {}, problems: [] };
  const key = "language_servers";
  if (!isRecord(table))
    return { servers: {}, problems: [[key, `${key} must be a table of servers by language`]] };
  const servers: Record<string, LanguageServerSetting> = {};
  const problems: [string, string][] = [];
  for (const [name, setting] of Object.entries(table)) {
    const problem = problemInServer(name, setting);
    if (problem === undefined) servers[name] = setting as LanguageServerSetting;
    else problems.push([`${key}.${name}`, `${key}.${name} ${problem}`]);
  }
  return { servers, problems };
}

/** Returns what is wrong with a server, as the end of a sentence that begins with its name; undefined when it is valid. */
function problemInServer(name: string, setting: unknown): string | undefined {
  if (!/^[\w-]{1,40}$/.test(name)) return "must be named by letters, digits, _ and -";
  if (!isRecord(setting)) return "must be a table with command and extensions";
  const { command, args = [], extensions, settings = {}, ...others } = setting;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `has the unknown key ${unknown}`;
  const isProgram = typeof command === "string" && (isAbsolute(command) || /^[^/\0\s]+$/.test(command));
  if (!isProgram) return "needs a command: the name of a program, or its absolute path";
  if (!areStrings(args)) return "has args that are not a list of strings";
  const areExtensions = areStrings(extensions) && extensions.every((one) => /^\.[\w.+-]{1,20}$/.test(one));
  if (!areExtensions || extensions.length === 0) return 'needs extensions, such as [".rs"]';
  return isRecord(settings) ? undefined : "has settings that are not a table";
}

function areStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
