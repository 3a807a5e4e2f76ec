import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../contract/error.ts";
import { AllPendingApprovals } from "../../engine/approvals/approvals.ts";
import type { PendingApproval } from "../../engine/approvals/question-store.ts";
import { definitionLines, otherInput, rulesByWidth } from "../../engine/approvals/question-text.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { redactText, redactValue } from "../../policy/redaction/redact.ts";
import { FileStamps } from "../../system/policy-files.ts";
import type { Approval } from "../../toolcrib/index.ts";
import { folderOf, targetOf } from "../../toolcrib/workspace-journal.ts";
import type { AnswerRequest, PendingQuestion } from "../api.ts";
import { readDiff } from "../read-diff.ts";
import { AnsweredByRules } from "./answered-by-rules.ts";
import { toClientName } from "./calls.ts";
import type { ConsoleServices } from "./services.ts";
import type { Workspaces } from "./workspaces.ts";

type QuestionServices = Pick<ConsoleServices, "directories" | "commands">;

/** The questions that wait in all workspaces, and the user's answers. */
export class Questions {
  readonly #workspaces: Workspaces;
  readonly #pending: AllPendingApprovals;
  readonly #stamps: FileStamps;
  readonly #answered: AnsweredByRules;
  /** When the database changed last. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #seen = "";

  constructor(workspaces: Workspaces, { directories, commands }: QuestionServices) {
    this.#workspaces = workspaces;
    this.#pending = new AllPendingApprovals({ state: workspaces.state, config: directories.config });
    this.#answered = new AnsweredByRules(commands.countAnswered);
    this.#stamps = new FileStamps([join(workspaces.state, "approvals.db")]);
  }

  /** Calls the listener when more is known about a question. */
  onChange(listener: () => void): void {
    this.#answered.onCounted(listener);
  }

  /** Whether a question waits for the user, as far as is known. */
  get areOpen(): boolean {
    return this.#seen !== "";
  }

  /** Returns whether the questions have changed since the last call. */
  hasChanged(): boolean {
    const now = performance.now();
    if (!this.#stamps.areSame) {
      this.#stamps.note();
      this.#changedAt = now;
    }
    // Two changes within one tick of the file system's clock look like one, and a session that ends changes no file.
    if (now - this.#changedAt > clockStepMs && !this.areOpen) return false;
    const open = this.#pending
      .list()
      .map(({ id, askedAt, waiting, answer }) => [id, askedAt, waiting, answer]);
    const seen = open.length === 0 ? "" : JSON.stringify(open);
    const isChanged = seen !== this.#seen;
    this.#seen = seen;
    return isChanged;
  }

  /** Returns the questions without an answer, and those whose approval has not been used, oldest first. */
  list(): readonly PendingQuestion[] {
    const pending = this.#pending.list();
    // A refusal is stored for a while, in case that the call is made again, but it needs nothing from the user.
    return pending.filter(({ answer }) => answer?.says.allow !== false).map((one) => this.#toQuestion(one));
  }

  /** Answers a question. The answer counts only for what the page has shown. */
  async answer(given: AnswerRequest): Promise<void> {
    const pending = this.#find(given);
    if (pending === undefined || pending.answer) throw noLongerPending();
    const { hash, previewHash, hosts, unconfined } = this.#toQuestion(pending);
    const shown = { hash, previewHash, hosts, unconfined };
    const isSame = Object.entries(shown).every(([key, value]) =>
      isDeepStrictEqual(value, given[key as keyof typeof shown]),
    );
    if (!isSame) throw hasChanged();
    await this.#pending.answer(pending, toApproval(given, pending));
  }

  #find({ workspace, id }: Pick<AnswerRequest, "workspace" | "id">): PendingApproval | undefined {
    return this.#pending
      .list()
      .find((pending) => pending.id === id && this.#workspaces.idOf(pending.workspace) === workspace);
  }

  #toQuestion(pending: PendingApproval): PendingQuestion {
    const { id, session, askedAt, hash, previewHash, request, answer, waiting } = pending;
    const workspace = this.#workspaces.idOf(pending.workspace);
    const changed = definitionLines(request);
    const shown = [...changed, ...(request.preview === undefined ? [] : [request.preview])].join("\n");
    const preview = shown === "" ? null : redactText(shown);
    const files = preview === null || changed.length > 0 ? [] : readDiff(preview);
    const { tool, risk, reason, rule, source, sandbox, unconfined, hosts } = request;
    return {
      ...{ id, workspace, session, askedAt, hash, previewHash, waiting },
      client: toClientName(pending.client),
      agent: request.agent ?? null,
      target: targetOf(pending.workspace),
      title: redactText(titleOf(request, folderOf(pending.workspace))),
      input: otherInput(redactValue(request)) ?? null,
      accesses: redactValue(request.accesses),
      ...redactValue({ tool, risk, reason, rule, source, sandbox, unconfined, hosts }),
      parts: redactValue(
        request.parts.map(({ part, verdict, reason }) => ({
          text: part.in ? part.in.command.slice(part.in.span.start, part.in.span.end) : part.kind,
          verdict,
          reason,
        })),
      ),
      files,
      preview: files.length > 0 ? null : preview,
      widths: this.#answered.widthsOf(pending),
      isAnswered: answer !== undefined,
    };
  }
}

/** Clocks of file systems tick in steps of up to ten milliseconds. */
const clockStepMs = 50;

function titleOf({ accesses, input }: PendingApproval["request"], workspace: string): string {
  const commands = accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
  const paths = accesses.flatMap((access) => ("path" in access ? [access.path] : []));
  const hosts = accesses.flatMap((access) => (access.kind === "network" ? [access.host] : []));
  const [first] = [...commands, ...paths, ...hosts];
  return first === undefined ? callTitle(input, workspace) : callTitle({ path: first }, workspace);
}

function toApproval(given: AnswerRequest, { request }: PendingApproval): Approval {
  const { answer, rules, message } = given;
  if (answer === "no") return { allow: false, message };
  if (answer === "once") return { allow: true };
  const offered = rulesByWidth(request);
  if (offered.length === 0)
    throw new ToolError("invalid-input", "This call can only be allowed once.", { hint: "Answer: once." });
  // The hashes do not cover the rules, so the user's choice is compared with them, not only counted.
  const width = offered.findIndex((one) => isDeepStrictEqual(one.rules, rules));
  if (width < 0 || (answer === "session" && width > 0)) throw hasChanged();
  return { allow: true, remember: answer, width: answer === "always" ? width : undefined };
}

function noLongerPending(): ToolError {
  return new ToolError(
    "stale",
    "This question was already answered elsewhere, or its client has ended. Your answer was not used.",
  );
}

function hasChanged(): ToolError {
  return new ToolError(
    "stale",
    "The request changed after it was shown, so your answer was not used. Check it again.",
  );
}
