import type { AgentEvent } from "../../agent/event.ts";
import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import { ModelError } from "../../models/model-error.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { readStandardInput } from "../read-input.ts";
import { exitCodeOfError, forReader, printFailure, printJson, remarkFewDescriptors } from "../report.ts";
import { onOutputClosed, remark } from "../terminal.ts";
import { customMessage } from "./custom-commands.ts";
import { EventPrinter } from "./event-printer.ts";
import { LastRefusal } from "./exit-code-of-turn.ts";
import { approverOn, elicitorOn, openSession, PrintedWarnings } from "./open-session.ts";
import { ownOutputs, Screen } from "./screen.ts";
import { type SessionStart, sessionStartOf } from "./session-options.ts";

/** Runs `toolcrib run`: one task in one turn. Returns the exit code. */
export async function runTask(given: Arguments, start?: SessionStart): Promise<number> {
  const { options } = given;
  const screen = new Screen(ownOutputs());
  try {
    const task = await readTask(given);
    const started = start ?? (await sessionStartOf(given));
    // A task for a session in plan mode accepts its plan.
    const planned = { ...started, plan: options.has("plan") };
    const elicit = elicitorOn(screen, options);
    const session = await openSession(
      given,
      planned,
      approverOn(screen, options),
      { kind: "run" },
      { elicit },
    );
    const warnings = new PrintedWarnings();
    warnings.print(session.toolcrib.warnings);
    remarkFewDescriptors();
    const message = (await customMessage(session, task)) ?? task;
    const exit = await performTask(session, message, { screen, options });
    await session.close();
    warnings.print(session.toolcrib.warnings);
    return exit;
  } catch (error) {
    // The error occurred before the turn started.
    if (options.has("json")) printJson(failedTurn(error));
    else if (options.has("jsonl"))
      printJson({ type: "error", at: Date.now(), error: failedTurn(error).error });
    else if (error instanceof ModelError) printFailure(error);
    else throw error;
    return error instanceof ToolError ? exitCodeOfError(error.code) : 1;
  }
}

/** Runs one turn and shows it. Returns the exit code. */
export async function performTask(
  session: Session,
  task: string,
  { screen, options }: { readonly screen: Screen; readonly options: ReadonlyMap<string, string> },
): Promise<number> {
  const refusal = new LastRefusal();
  const made = new TurnCalls();
  const printer = new EventPrinter(screen, {
    verbose: options.has("verbose"),
    target: options.get("target"),
  });
  const show = options.has("jsonl") ? printJson : (event: AgentEvent) => printer.show(event);
  let unwritten: unknown;
  session.on((event) => {
    refusal.hear(event);
    made.hear(event);
    try {
      if (!options.has("json") && unwritten === undefined) show(event);
    } catch (error) {
      // The output is closed, so nothing more can be shown.
      unwritten = error;
      void session.abort();
    }
  });
  // The listener stays registered, because a second Ctrl-C must work while everything is being closed.
  onInterruption().signal.addEventListener("abort", () => void session.abort());
  onOutputClosed(() => void session.abort());
  const { calls: _, ...result } = await session.run(task).result;
  printer.stop();
  if (unwritten !== undefined) throw unwritten;
  if (options.has("json"))
    printJson({ session: session.id, model: session.model.id, ...result, calls: made.calls });
  else if (!options.has("jsonl")) remark(forReader(2, refusal.hint));
  return refusal.exitCode(result);
}

/** Returns the task: the words of the command line, with standard input in place of `-` or of missing words. */
async function readTask({ operands }: Arguments): Promise<string> {
  const isRead = operands.includes("-") || (operands.length === 0 && !process.stdin.isTTY);
  const words = operands.filter((word) => word !== "-").join(" ");
  const read = isRead ? await readStandardInput() : "";
  const task = words === "" || read === "" ? `${words}${read}` : `${words}\n\n${read}`;
  if (task.trim() !== "") return task;
  throw new ToolError("invalid-input", isRead ? "Standard input has no task" : "A task is missing", {
    hint: 'For example: toolcrib run "find out why the tests fail", or: toolcrib run --demo',
  });
}

/** Collects the calls of a turn, including those of subagents. */
class TurnCalls {
  readonly calls: object[] = [];
  readonly #inputs = new Map<string, unknown>();

  hear(event: AgentEvent): void {
    if (event.type === "tool-start") this.#inputs.set(`${event.agent} ${event.id}`, event.input);
    if (event.type !== "tool-end") return;
    const { agent, id, callId, name, canonical, isError, error, durationMs } = event;
    const input = this.#inputs.get(`${agent} ${id}`) ?? null;
    this.calls.push({ callId, name, canonical, input, isError, error, durationMs });
  }
}

/** Returns the report of a turn that never started: the keys of `run --json`, always all of them. */
function failedTurn(thrown: unknown) {
  const { message, hint = null } = thrown as { readonly message: string; readonly hint?: string };
  return {
    ...{ session: null, model: null, turn: 0, outcome: "failed", text: "", rounds: 0, calls: [], cost: null },
    error: { code: codeOf(thrown), message, hint },
    usage: { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 },
  };
}

function codeOf(thrown: unknown): string {
  return thrown instanceof ToolError || thrown instanceof ModelError ? thrown.code : "internal";
}
