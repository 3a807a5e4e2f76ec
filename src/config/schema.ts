import { isAbsolute } from "node:path";
import * as z from "zod/mini";
import { hookEvents } from "../contract/hooks.ts";
import { parseTarget } from "../environment/remote/target.ts";
import { serverFields } from "./servers.ts";
import { type Setting, settings } from "./settings.ts";

const about = (text: string) => z.describe(text);

/** A check whose message follows the name of the key. `faultIn` returns undefined for a valid text. */
function whole(faultIn: (text: string) => string | undefined) {
  return z.check<string>((context) => {
    const message = faultIn(context.value);
    if (message !== undefined) context.issues.push({ code: "custom", message, input: context.value });
  });
}

const hook = z.strictObject({
  command: z
    .string()
    .check(z.regex(/\S/, "must not be empty"))
    .check(about("A command for /bin/sh. It gets JSON on standard input.")),
  matcher: z.optional(
    z
      .string()
      .check(whole((text) => (isMatcher(text) ? undefined : "must be a regular expression")))
      .check(about("A regular expression for whole tool names. Default: every tool.")),
  ),
  timeout: z.optional(
    z
      .number()
      .check(
        z.positive("must be a number of seconds up to 600"),
        z.maximum(600, "must be a number of seconds up to 600"),
        z.meta({ description: "Seconds.", default: 60 }),
      ),
  ),
});

function isMatcher(text: string): boolean {
  if (text.length > 500) return false;
  try {
    return text === "*" || new RegExp(text) !== undefined;
  } catch {
    return false;
  }
}

const languageServer = z.strictObject({
  command: z.string().check(
    whole((text) =>
      isAbsolute(text) || /^[^/\0\s]+$/.test(text)
        ? undefined
        : "must be the name of a program, or its absolute path",
    ),
    about("The name of a program, or its absolute path."),
  ),
  args: z.optional(z.array(z.string())),
  extensions: z
    .array(z.string().check(z.regex(/^\.[\w.+-]{1,20}$/, 'must be an extension, such as ".rs"')))
    .check(z.minLength(1, 'must have an extension, such as ".rs"'), about('Of its files: [".rs"].')),
  settings: z.optional(z.record(z.string(), z.unknown()).check(about("Sent to the server when it starts."))),
});

/** The table `language_servers`. */
export const languageServers = z
  .record(
    z.string().check(z.regex(/^[\w-]{1,40}$/, "must be named by letters, digits, _ and -")),
    languageServer,
  )
  .check(about("Language servers by language. Only in your own file."));

const targets = z
  .record(
    z
      .string()
      .check(
        z.regex(
          /^(?:[/]|~[/]|(?!local$)[\w-]+$)/,
          "must be a name of letters, digits, _ and -, except local, or a folder that begins with / or ~/",
        ),
      ),
    z.string().check(whole(faultInTarget)),
  )
  .check(
    about("Targets by a name for --target, or by the folder whose work they do. Only in your own file."),
  );

function faultInTarget(text: string): string | undefined {
  try {
    parseTarget(text);
    return undefined;
  } catch (error) {
    return `is not a target: ${(error as Error).message}`;
  }
}

const inTable = settings.filter(({ key }) => key.includes("."));
const hookList = z.optional(z.array(hook));

/** The user's `config.toml`. */
export const configFile = z.strictObject({
  ...fieldsOf(settings.filter((setting) => !inTable.includes(setting))),
  limits: z.optional(z.strictObject(fieldsOf(inTable)).check(about("The limits of a session."))),
  hooks: z.optional(
    z
      .strictObject(Object.fromEntries(hookEvents.map((event) => [event, hookList])))
      .check(about("Commands that run at events, with Claude Code's JSON contract.")),
  ),
  targets: z.optional(targets),
  language_servers: z.optional(languageServers),
  mcp_servers: z.optional(
    z
      .record(z.string(), z.strictObject(serverFields))
      .check(about("MCP servers by name, with the fields of mcp.json. Only in your own file.")),
  ),
});

/** The keys that a project never sets, and why: the end of a sentence. */
export const ownFileOnly: ReadonlyMap<string, string> = new Map([
  ...settings.flatMap(({ key, ownFileOnly: why }) => (why === undefined ? [] : [[key, why] as const])),
  ["mcp_servers", "a project names its MCP servers in .toolcrib/mcp.json; these are ignored"],
  ["language_servers", "a project cannot choose a language server; only your own config.toml can"],
  ["targets", "a project cannot choose a target; only your own config.toml can"],
]);

/** The `config.toml` of a project. */
export const projectConfigFile = z.strictObject(
  Object.fromEntries(Object.entries(configFile.shape).filter(([key]) => !ownFileOnly.has(key))),
);

function fieldsOf(chosen: readonly Setting[]): Record<string, z.ZodMiniOptional<z.ZodMiniType>> {
  return Object.fromEntries(
    chosen.map(({ key, schema, summary, default: usual }) => {
      const facts = { description: summary, ...(usual !== undefined && { default: usual }) };
      return [key.split(".").at(-1)!, z.optional(schema.check(z.meta(facts)))];
    }),
  );
}

/** The user's `config.toml`, of which only `targets` counts. */
export const targetsFile = z.looseObject({ targets: z.optional(targets) });

/** Returns the JSON Schema of `config.toml`, for editors. */
export function configSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(configFile, { io: "input" });
  return { $schema, title: "Toolcrib configuration (config.toml)", ...schema };
}
