import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { answers, approvalView } from "../../engine/approvals/approval-view.ts";
import { AllPendingApprovals } from "../../engine/approvals/approvals.ts";
import { hashValue } from "../../engine/approvals/hash-call.ts";
import type { PendingApproval } from "../../engine/approvals/question-store.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { showHiddenInLine } from "../../lib/text/printable.ts";
import { FileStamps } from "../../system/policy-files.ts";
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
    const { shown, view } = this.#toQuestion(pending);
    const choice = view.choices.find(({ id }) => id === given.answer);
    if (shown !== given.shown || choice === undefined) throw hasChanged();
    const answer = answers[choice.id];
    await this.#pending.answer(pending, answer.allow ? answer : { ...answer, message: given.message });
  }

  #find({ workspace, id }: Pick<AnswerRequest, "workspace" | "id">): PendingApproval | undefined {
    return this.#pending
      .list()
      .find((pending) => pending.id === id && this.#workspaces.idOf(pending.workspace) === workspace);
  }

  #toQuestion(pending: PendingApproval): PendingQuestion {
    const { id, session, askedAt, hash, previewHash, request, answer, waiting } = pending;
    const view = approvalView(request);
    return {
      ...{ id, session, askedAt, waiting, view },
      workspace: this.#workspaces.idOf(pending.workspace),
      client: toClientName(pending.client),
      agent: request.agent ?? null,
      target: targetOf(pending.workspace),
      tool: showHiddenInLine(request.tool),
      title: showHiddenInLine(titleOf(request, folderOf(pending.workspace))),
      reason: showHiddenInLine(request.reason),
      files: request.preview === undefined ? [] : readDiff(request.preview),
      saved: this.#answered.savedBy(pending),
      shown: hashValue([hash, previewHash, view]),
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
