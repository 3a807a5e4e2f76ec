import type { ToolCall } from "../../contract/call.ts";
import type { Environment, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { CommandHook, HookAnswer, HookEvent } from "../../contract/hooks.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { denied } from "../../engine/approvals/refusals.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { printable } from "../../lib/text/printable.ts";
import { confinementFor, decideNow, type PolicySettings } from "../decide-call.ts";

interface HookParts {
  readonly hooks: readonly CommandHook[];
  readonly session: string;
  readonly environment: Environment;
  /** Where hooks of the user run when the workspace is not on this machine: here. Another machine must not answer for them. */
  readonly here?: Environment | undefined;
  readonly policy: PolicySettings;
}

/** Runs the hooks of the user and of the project. */
export class Hooks {
  readonly #parts: HookParts;
  readonly #warnings = new Set<string>();

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** Hooks that failed or were ended, for the user. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  has(...events: readonly HookEvent[]): boolean {
    return this.#parts.hooks.some(({ event }) => events.includes(event));
  }

  /**
   * Runs the hooks of an event whose matcher fits one of the names, all at once. A `PreToolUse` hook that does not
   * finish blocks the call; other failures are only warnings.
   */
  async run(
    event: HookEvent,
    details: Readonly<Record<string, unknown>>,
    { names = [], signal }: { readonly names?: readonly string[]; readonly signal: AbortSignal },
  ): Promise<HookAnswer> {
    const { hooks, session, environment, policy } = this.#parts;
    const chosen = hooks.filter((hook) => hook.event === event && fits(hook, names));
    const payload = {
      session_id: session,
      transcript_path: "",
      cwd: environment.workspace,
      ...(this.#parts.here && { target: environment.name }),
      permission_mode: policy.mode === "yolo" ? "bypassPermissions" : "default",
      hook_event_name: event,
      ...details,
    };
    const input = Buffer.from(`${JSON.stringify(payload)}\n`);
    const answers = await Promise.all(chosen.map((hook) => this.#answerOf(hook, input, signal)));
    return combined(answers);
  }

  async #answerOf(hook: CommandHook, input: Uint8Array, signal: AbortSignal): Promise<HookAnswer> {
    const { source, event, timeoutMs = usualMs } = hook;
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const ended = await this.#start(hook, input, AbortSignal.any([signal, deadline]));
      if (deadline.aborted) throw new Error(`it was ended after ${timeoutMs / 1000} s`);
      const answer = readAnswer(hook, ended);
      if (answer.warning !== undefined) this.#warn(`${source}: ${answer.warning}`);
      return { ...answer, source };
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = deadline.aborted ? `it was ended after ${timeoutMs / 1000} s` : (error as Error).message;
      const warning = `${source}: the ${event} hook did not finish: ${shown(reason)}`;
      this.#warn(warning);
      return event === "PreToolUse" ? { block: warning, source } : {};
    }
  }

  async #start(hook: CommandHook, input: Uint8Array, signal: AbortSignal): Promise<EndedHook> {
    const { environment, here } = this.#parts;
    for (const [path, hash] of Object.entries(hook.files ?? {})) {
      const bytes = await environment.readFile(path, { maxBytes, signal }).then(
        (file) => file.bytes,
        () => undefined,
      );
      if (bytes === undefined || contentHash(bytes) !== hash)
        throw new Error(`${path} has changed since you trusted it; run: toolcrib config trust`);
    }
    const confinement = hook.from === "user" ? "ours" : await this.#confinementOf(hook.command, signal);
    const away = hook.from === "user" ? here : undefined;
    // Here, the path of the workspace could be another folder.
    const env: Readonly<Record<string, string>> = away
      ? { TOOLCRIB_TARGET: environment.name ?? "" }
      : { CLAUDE_PROJECT_DIR: environment.workspace, TOOLCRIB_PROJECT_DIR: environment.workspace };
    const program = await (away ?? environment).start("/bin/sh", {
      args: ["-c", hook.command],
      env,
      input,
      confinement,
      signal,
    });
    const [stdout, stderr, { code }] = await Promise.all([
      beginningOf(program.stdout),
      beginningOf(program.stderr),
      program.exit,
    ]);
    return { stdout, stderr, code };
  }

  /** A project's hook is decided and confined like a command that the user has approved. */
  async #confinementOf(command: string, signal: AbortSignal) {
    const { environment, policy } = this.#parts;
    const accesses = [{ kind: "execute", command }] as const;
    const call = { tool: hookTool, accesses, environment, signal, account: {} } as unknown as ToolCall;
    const decided = await decideNow(call, policy);
    if (decided.decision.verdict === "deny") throw denied(decided.decision);
    const { level: _, ...confinement } = (await confinementFor(call, decided, "approved", policy))!;
    return confinement;
  }

  #warn(warning: string): void {
    if (this.#warnings.size < maxWarnings) this.#warnings.add(warning);
  }
}

const usualMs = 60_000;
const maxBytes = 16 * 1024 * 1024;
const maxWarnings = 20;
const maxOutput = 64 * 1024;
const maxChars = 10_000;
const hookTool = { name: "hook", risk: "execute" } as Partial<AnyTool>;

interface EndedHook {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | undefined;
}

function fits({ matcher }: CommandHook, names: readonly string[]): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*" || names.length === 0) return true;
  const pattern = new RegExp(`^(?:${matcher})$`);
  return names.some((name) => pattern.test(name));
}

/** Reads all output, so that the hook is not blocked, and keeps its beginning. */
async function beginningOf(output: RunningProcess["stdout"]): Promise<string> {
  const pieces: Uint8Array[] = [];
  let left = maxOutput;
  for await (const piece of output) {
    if (left > 0) pieces.push(piece.slice(0, left));
    left -= piece.length;
  }
  return Buffer.concat(pieces).toString();
}

/** Reads an answer by Claude Code's contract. Text for the model and the user is without control characters. */
function readAnswer(
  { event, from }: CommandHook,
  { stdout, stderr, code }: EndedHook,
): HookAnswer & { readonly warning?: string | undefined } {
  if (code === 2) return { block: shown(stderr) || "no reason was given" };
  if (code !== 0) return { warning: `the ${event} hook failed with exit code ${code}: ${shown(stderr)}` };
  const text = stdout.trim();
  const json = text.startsWith("{") ? tryParseJson(text) : undefined;
  if (!isRecord(json)) {
    const isContext = event === "UserPromptSubmit" && text !== "";
    return isContext ? { context: shown(text) } : {};
  }
  const specific = isRecord(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
  const reason = shown(specific.permissionDecisionReason ?? json.reason ?? json.stopReason);
  const context = shown(specific.additionalContext) || undefined;
  const warning = shown(json.systemMessage) || undefined;
  const wanted = specific.permissionDecision ?? json.decision;
  // A replaced input is not supported, and the original input is what the hook did not want.
  if (specific.updatedInput !== undefined)
    return { block: "the hook replaces the arguments (updatedInput), which is not supported", warning };
  if (wanted === "deny" || wanted === "block" || json.continue === false)
    return { block: reason || "no reason was given", context, warning };
  const isAllowed = (wanted === "allow" || wanted === "approve") && from === "user";
  const permission = wanted === "ask" ? "ask" : isAllowed ? "allow" : undefined;
  return { permission, reason: reason || undefined, context, warning };
}

function shown(text: unknown): string {
  if (typeof text !== "string") return "";
  const clean = printable(text.trim());
  return clean.length <= maxChars ? clean : `${clean.slice(0, maxChars)}…`;
}

/** The strictest answer decides. */
function combined(answers: readonly HookAnswer[]): HookAnswer {
  const decisive =
    answers.find(({ block }) => block !== undefined) ??
    answers.find(({ permission }) => permission === "ask") ??
    answers.find(({ permission }) => permission === "allow");
  const contexts = answers.flatMap(({ context }) => context ?? []);
  return { ...decisive, context: contexts.length === 0 ? undefined : contexts.join("\n") };
}

/** Returns the error of a call that a hook blocks. */
export function blockedByHook(reason: string, source: string | undefined): ToolError {
  return new ToolError("denied", `A hook blocked this call: ${reason}`, {
    hint: "Follow the reason, or continue without this call. Do not work around it.",
    forUser: { message: `Blocked by the hook at ${source}: ${reason}`, hint: null },
  });
}
