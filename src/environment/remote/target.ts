import { resolve } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { fromCommandLine, toCommandLine } from "../../lib/text/shell-quote.ts";

/** Another machine or a container, and how to reach it. */
export interface Target {
  /** The normalized text, which names the target in questions, records and errors. */
  readonly name: string;
  /** The workspace there. Default: the home directory, or the working directory of a container. */
  readonly directory: string | undefined;
  /** Returns the command that runs `command` there, with its standard input and output. */
  commandFor(command: readonly string[], terminal: TerminalUse): readonly string[];
}

/** Whether programs such as ssh may ask for a password at the terminal of this process. */
interface TerminalUse {
  readonly mayAsk: boolean;
}

/**
 * Parses a target: `ssh:host`, `ssh://user@host:port/dir`, `docker:NAME`, `podman:NAME`, `kubernetes:[ns/]POD[/container]`,
 * `devcontainer:DIR` or `command:…`, nested with `+`. `:/dir` after the last name is the workspace there.
 */
export function parseTarget(text: string): Target {
  if (/\p{Cc}/u.test(text)) throw badTarget(text, "it contains a control character");
  const hops = splitHops(text).map((hop, index) => parseHop(hop, { whole: text, isFirst: index === 0 }));
  const last = hops.at(-1);
  if (last === undefined) throw badTarget(text, "it is empty");
  const inner = hops.slice(0, -1).find(({ directory }) => directory !== undefined);
  if (inner !== undefined) throw badTarget(text, "only the last part can have a folder");
  return {
    name: hops.map(({ name }) => name).join("+") + (last.directory === undefined ? "" : `:${last.directory}`),
    directory: last.directory,
    commandFor: (command, terminal) =>
      hops.reduceRight<readonly string[]>((inside, hop) => hop.wrap(inside, terminal), command),
  };
}

/** Whether a text begins as a target does. */
export function isTarget(text: string): boolean {
  return schemes.has(text.split(":", 1)[0]!) && text.includes(":");
}

/** One step on the way to the target. */
interface Hop {
  readonly name: string;
  readonly directory: string | undefined;
  wrap(command: readonly string[], terminal: TerminalUse): readonly string[];
}

/** A command may contain "+", so `command:` takes the rest. */
function splitHops(text: string): readonly string[] {
  if (/^command:/.test(text)) return [text];
  const end = text.search(/\+(?=[a-z]+:)/);
  return end === -1 ? [text] : [text.slice(0, end), ...splitHops(text.slice(end + 1))];
}

function parseHop(
  hop: string,
  { whole, isFirst }: { readonly whole: string; readonly isFirst: boolean },
): Hop {
  const { scheme = "", rest = "" } = /^(?<scheme>[a-z]+):(?<rest>.*)$/su.exec(hop)?.groups ?? {};
  if (!schemes.has(scheme)) throw badTarget(whole, `${JSON.stringify(hop)} does not begin with a known kind`);
  if (scheme === "command") return commandHop(rest, whole);
  if (scheme === "devcontainer") {
    if (rest === "" || rest.startsWith("-")) checkName(rest, whole);
    if (!isFirst && !rest.startsWith("/")) throw badTarget(whole, `${rest} is not an absolute path`);
    // The name must mean the same container in every folder.
    const folder = isFirst ? resolve(rest) : rest;
    return {
      ...{ name: `devcontainer:${folder}`, directory: undefined },
      wrap: (command) => ["devcontainer", "exec", "--workspace-folder", folder, ...command],
    };
  }
  if (scheme === "ssh") return sshHop(rest, whole);
  const { name = "", directory } = splitDirectory(rest, whole);
  checkName(name, whole);
  if (scheme === "kubernetes") return kubernetesHop(name, directory, whole);
  return {
    ...{ name: `${scheme}:${name}`, directory },
    wrap: (command) => [scheme, "exec", "-i", name, ...command],
  };
}

const schemes = new Set(["command", "devcontainer", "docker", "kubernetes", "podman", "ssh"]);

/** "name:/dir" is a name and a folder. */
function splitDirectory(
  text: string,
  whole: string,
): { readonly name?: string; readonly directory?: string | undefined } {
  const found = /^(?<name>[^:]*)(?::(?<directory>\/.*))?$/s.exec(text)?.groups;
  if (found !== undefined) return found;
  const folder = text.slice(text.indexOf(":") + 1);
  throw badTarget(whole, `the folder ${JSON.stringify(folder)} does not begin with "/"`);
}

function sshHop(rest: string, whole: string): Hop {
  const { host = "", port, directory } = sshAddress(rest, whole);
  checkName(host, whole);
  checkName(host.slice(host.lastIndexOf("@") + 1), whole);
  if (port !== undefined && !(Number(port) > 0 && Number(port) < 65_536))
    throw badTarget(whole, `${port} is not a port`);
  return {
    name: port === undefined ? `ssh:${host}` : `ssh://${host}:${port}`,
    directory,
    wrap: (command, { mayAsk }) => [
      // -T: a terminal would change the bytes. The other settings would make a second connection fail.
      ...["ssh", "-T", "-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes"],
      // Otherwise ssh waits for a password that no one can type.
      ...(mayAsk ? [] : ["-o", "BatchMode=yes"]),
      // ssh joins its words for the shell of the other side.
      ...[...(port ? ["-p", port] : []), "--", host, toCommandLine(command)],
    ],
  };
}

function sshAddress(
  rest: string,
  whole: string,
): {
  readonly host?: string;
  readonly port?: string | undefined;
  readonly directory?: string | undefined;
} {
  const url = /^\/\/(?<host>(?:[^@/]*@)?(?:\[[^\]]*\]|[^:/]*))(?::(?<port>\d+))?(?<directory>\/.*)?$/s;
  const address = rest.startsWith("//") ? url.exec(rest)?.groups : undefined;
  if (rest.startsWith("//")) return { ...address, host: address?.host?.replace(/[[\]]/g, "") ?? "" };
  const { name, directory } = splitDirectory(rest, whole);
  return { host: name ?? "", directory };
}

function kubernetesHop(name: string, directory: string | undefined, whole: string): Hop {
  const parts = name.split("/");
  if (parts.length > 3) throw badTarget(whole, "a pod is [namespace/]pod or [namespace]/pod/container");
  const [namespace = "", pod = "", container] = parts.length === 1 ? ["", name] : parts;
  for (const part of [namespace || pod, pod, container ?? pod]) checkName(part, whole);
  return {
    ...{ name: `kubernetes:${name}`, directory },
    wrap: (command) => [
      ...["kubectl", "exec", "-i", ...(namespace ? ["-n", namespace] : []), pod],
      ...[...(container ? ["-c", container] : []), "--", ...command],
    ],
  };
}

function commandHop(rest: string, whole: string): Hop {
  const words = fromCommandLine(rest);
  if (words.length === 0) throw badTarget(whole, "the command is empty");
  return {
    ...{ name: `command:${toCommandLine(words)}`, directory: undefined },
    wrap: (command) => [...words, ...command],
  };
}

/**
 * Programs would read a name that begins with "-" as an option, such as ProxyCommand of ssh, which runs a program. ssh
 * puts the name of a host into commands of its settings, where a shell would read its special characters.
 */
function checkName(name: string, whole: string): void {
  if (name === "") throw badTarget(whole, "a name is missing");
  if (name.startsWith("-")) throw badTarget(whole, `the name ${JSON.stringify(name)} begins with "-"`);
  if (/[\s'"`$;&|<>(){}\\!*?#]/u.test(name))
    throw badTarget(whole, `the name ${JSON.stringify(name)} contains a space or a special character`);
}

function badTarget(text: string, reason: string): ToolError {
  return new ToolError("invalid-input", `${JSON.stringify(text)} is not a target: ${reason}`, {
    hint: "Use ssh:host, ssh:host:/dir, ssh://host:2222/dir, docker:NAME, podman:NAME, kubernetes:[namespace/]POD[/container], devcontainer:DIR or command:…; nest with +, for example ssh:host+docker:app.",
  });
}
