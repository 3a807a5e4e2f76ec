/**
 * Runs command lines of the official conformance suite one after the other in one process, because loading the suite
 * takes longer than most of its scenarios. `node suite-process.ts <program of the suite> <JSON list of arguments>`.
 *
 * The suite starts a client for each scenario. Here it gets one without a process: what `served-hub.ts` answers at the
 * socket that TOOLCRIB_CONFORMANCE_HUB names.
 */
import childProcess, { type SpawnOptions } from "node:child_process";
import { EventEmitter } from "node:events";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { ClientResult, ClientScenario } from "./served-hub.ts";

const [suite, lines] = process.argv.slice(2) as [string, string];
const exit = process.exit;

Object.assign(childProcess, { spawn: startClient });
syncBuiltinESMExports();

const commandLine = await loadSuite();
for (const words of JSON.parse(lines) as readonly string[][]) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // Every scenario ends with this call.
  process.exit = (() => end()) as typeof process.exit;
  commandLine.parse(["node", suite, ...words]);
  await ended;
}
exit(0);

interface CommandLine {
  parse(words?: readonly string[]): void;
}

/** The suite parses its own arguments when it is loaded. This returns its parser instead. */
async function loadSuite(): Promise<CommandLine> {
  const { Command } = createRequire(suite)("commander") as { Command: { prototype: CommandLine } };
  const { parse } = Command.prototype;
  const { promise: loaded, resolve: load } = Promise.withResolvers<CommandLine>();
  Command.prototype.parse = function (this: CommandLine) {
    load(this);
  };
  await import(pathToFileURL(suite).href);
  Command.prototype.parse = parse;
  return loaded;
}

/** Replaces `spawn` of Node. The last word is the address of the suite's server. */
function startClient(_command: string, words: readonly string[], { env = {} }: SpawnOptions): EventEmitter {
  const connection = connect(process.env.TOOLCRIB_CONFORMANCE_HUB!);
  const stderr = new PassThrough();
  const kill = () => connection.destroy();
  const client = Object.assign(new EventEmitter(), { stderr, kill });
  const scenario: ClientScenario = {
    url: words.at(-1)!,
    version: env.MCP_CONFORMANCE_PROTOCOL_VERSION,
    context: env.MCP_CONFORMANCE_CONTEXT,
    name: env.MCP_CONFORMANCE_SCENARIO,
  };
  connection.end(JSON.stringify(scenario));
  json(connection).then(
    (result) => {
      const { output, exit: code } = result as ClientResult;
      stderr.on("end", () => client.emit("close", code)).end(`${output}\n`);
    },
    (error) => client.emit("error", error),
  );
  return client;
}
