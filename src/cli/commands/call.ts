import { ToolError } from "../../contract/error.ts";
import { findAnyTool } from "../../dialects/find-tool.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import type {
  Approval,
  ApprovalRequest,
  CallResult,
  Dialect,
  ProcessStatus,
  ToolcribOptions,
} from "../../toolcrib/index.ts";
import type { Command } from "../command.ts";
import { withConfig } from "../config/with-config.ts";
import { onInterruption } from "../interruption.ts";
import {
  dialectHere,
  dialectOption,
  instanceOptions,
  placeOf,
  placeOptions,
  readInstanceOptions,
} from "../options.ts";
import { readCount } from "../parse-arguments.ts";
import { showProgress } from "../progress.ts";
import { readInput } from "../read-input.ts";
import {
  exitCodeOf,
  printContent,
  printFailure,
  printJson,
  remarkRecovered,
  remarkWarnings,
  toReport,
} from "../report.ts";
import { canAsk, isTerminal, remark } from "../terminal.ts";

export const callCommand: Command = {
  name: "call",
  summary: "Call a tool",
  usage: [
    ["call <tool> [<main argument>] [--key value ...] [options]"],
    ["call <tool> '<json>' [options]"],
    ["call <tool> - [options]", "read the JSON, or a tool's only text, from standard input"],
  ],
  notes: [
    "Arguments are one JSON object, or flags: --key value, --hidden or --no-hidden for a boolean, a repeated flag for a list, --max-results for max_results.",
    "The tool's main argument needs no flag: the path of file.read, the command of shell.run.",
    "When a tool and Toolcrib share an option name (--mode), write the tool's option after a lone --.",
    "A call keeps nothing running: process.start and shell.run --background are refused. Use them in chat, run or mcp.",
  ],
  options: [
    { name: "no-input", summary: "never ask: a call that needs approval fails with exit code 4" },
    { name: "timeout-ms", value: "N", summary: "cancel the call after N milliseconds" },
    { name: "json", summary: "print one object: content, isError, failed, data, error, callId, truncated" },
    ...placeOptions,
    dialectOption,
    ...instanceOptions,
  ],
  examples: [
    ["toolcrib call shell.run 'npm test'", "the main argument without a flag"],
    ["toolcrib call file.read --path README.md --limit 20", "arguments as flags"],
    [`toolcrib call file.read '{"path": "README.md"}' --json`, "JSON in and out"],
    ["toolcrib call search.grep --pattern TODO -- --mode files", "the tool's own --mode"],
    [
      "toolcrib call web.fetch --url https://example.com --rule 'allow connect example.com'",
      "allow it by a rule",
    ],
    ["toolcrib call edit.diff - < change.diff", "a text from standard input"],
    ["toolcrib call search.grep --help", "show a tool's arguments"],
  ],
  forwardsFlags: true,
  async run(words) {
    const given = await withConfig(words, ["mode", "sandbox"]);
    const { options, operands } = given;
    const [name, ...rest] = operands;
    if (name === undefined)
      throw new ToolError("invalid-input", "A tool name is missing", {
        hint: "List the tools: toolcrib tools",
      });
    const dialect = await dialectHere(options.get("dialect"));
    const input = await readInput(findAnyTool(dialect, name), rest);
    await refuseBackground(dialect, name, input, options);
    const timeoutMs = readCount(given, "timeout-ms");
    const { openInstance } = await import("../../toolcrib/open-toolcrib.ts");
    const wanted: ToolcribOptions = {
      ...placeOf(options),
      dialect,
      ...readInstanceOptions(options),
      commandHooks: given.commandHooks,
      languageServers: given.languageServers,
      embedder: given.embedder,
      approve: canAsk(options)
        ? (...asked) => progress.whileAsking(() => askUser(asked[0], asked[1]))
        : undefined,
      // Every call of the command line is a separate session. Therefore it may undo other sessions, and leaves its
      // transaction open for the next call.
      undoScope: "workspace",
      client: { kind: "cli" },
      parkTransaction: true,
    };
    const crib = await openInstance(wanted, { exits: true });
    remarkRecovered(crib.recovered);
    const interruption = onInterruption();
    const progress = showProgress(crib, name, { live: !options.has("json") && isTerminal(2) });
    const result = await crib.call(name, input, { signal: interruption.signal, timeoutMs });
    progress.stop();
    // The result is printed before the journal is closed, so that the reader need not wait.
    if (options.has("json")) printJson(toReport(result));
    else printResult(name, result, isTerminal(1) ? progress.notShown : (text) => text);
    const wasCutShort = remarkLeftRunning(await crib.processes());
    await crib.close();
    remarkWarnings(crib.warnings);
    interruption.stop();
    // The index of a target is not that of a folder here. Rules of this call are not known to another process, which could index more than they allow to read.
    const mayIndex = !options.has("target") && !options.has("rule") && !options.has("rule-file");
    if (mayIndex && isIndexing(result))
      (await import("../show-index.ts")).startIndexer(options.get("workspace") ?? process.cwd());
    if (result.error) return exitCodeOf(result.error.code);
    return result.isError || result.failed !== undefined || wasCutShort ? 1 : 0;
  },
};

/**
 * Refuses a call that would leave a process running, and calls about such processes: nothing outlives this command
 * (decision 40). A start that waits for the exit is allowed.
 */
async function refuseBackground(
  dialect: Dialect,
  name: string,
  given: unknown,
  options: ReadonlyMap<string, string>,
): Promise<void> {
  const { Toolset } = await import("../../dialects/toolset.ts");
  const { tool, input } = await new Toolset(dialect).find(name, given);
  const { canonical = tool.name } = tool;
  const { command, background, wait_ms: waitMs } = isRecord(input) ? input : {};
  const isKept = canonical === "shell.run" ? background === true : canonical.startsWith("process.");
  if (!isKept || (canonical === "process.start" && waitMs !== undefined)) return;
  const yourself =
    typeof command !== "string" || options.has("target")
      ? ""
      : ` Or start it without Toolcrib's sandbox and rules: nohup sh -c ${shellQuote(command)} &`;
  throw new ToolError("unsupported", "toolcrib call keeps no processes: they would end with this command", {
    hint: `Use process.start in a session: toolcrib chat, toolcrib run or toolcrib mcp.${yourself}`,
  });
}

/** Whether a search was answered from an index that is still being built, or whose vectors are being made. */
function isIndexing({ data }: CallResult): boolean {
  if (!isRecord(data) || !isRecord(data.index)) return false;
  const { isBuilding, vectors } = data.index;
  return isBuilding === true || (isRecord(vectors) && vectors.isRunning === true);
}

/** Reports processes that still run and therefore end with this command. Returns whether a program was stopped. */
function remarkLeftRunning(processes: readonly ProcessStatus[]): boolean {
  const left = processes.filter(({ state }) => state !== "ended");
  const names = left.map(({ name }) => name);
  if (names.length > 0) remark(`[Stopped, because this command ends: ${names.join(", ")}]\n`);
  return left.some(({ kind }) => kind === "process");
}

async function askUser(request: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
  const { approveOnTerminal } = await import("../approvals/ask-on-terminal.ts");
  // The session ends with this call.
  return approveOnTerminal(request, signal, { offersSession: false });
}

function printResult(
  name: string,
  { content, error, images }: CallResult,
  notShown: (text: string) => string,
): void {
  if (error) {
    printText(notShown(error.output ?? ""));
    const isAboutArguments = error.details?.kind === "bad-arguments";
    const hint = `To see its arguments, run: toolcrib call ${name} --help`;
    printFailure(isAboutArguments ? { message: error.message, hint } : error);
    return;
  }
  printText(notShown(content));
  for (const { mediaType, base64 } of images)
    remark(`[Image not shown: ${mediaType}, ${Buffer.byteLength(base64, "base64")} bytes]\n`);
}

function printText(text: string): void {
  printContent(text === "" || text.endsWith("\n") ? text : `${text}\n`);
}
