import type { Approval } from "../../pipeline/approvals/approval.ts";
import { allWorkspaceFiles, workspaceFiles } from "../../system/directories.ts";
import { appendToPolicyFile, policyFiles } from "../../system/policy-files.ts";
import type { PendingApproval } from "./approval-file.ts";
import { PendingApprovals } from "./pending-approvals.ts";

/** Where people look through the questions that were kept for them, and answer, whoever works there meanwhile. */
export class ApprovalDesk {
  readonly #directories: { readonly state: string; readonly config: string };

  constructor(directories: { readonly state: string; readonly config: string }) {
    this.#directories = directories;
  }

  /** Of one workspace, or of all; the oldest first. */
  list(workspace?: string): readonly PendingApproval[] {
    if (workspace !== undefined) return this.#of(workspace).list();
    return allWorkspaceFiles(this.#directories.state)
      .flatMap(({ approvals: folder }) => new PendingApprovals({ folder, workspace: "" }).list())
      .sort((one, other) => one.askedAt - other.askedAt);
  }

  find(id: string): PendingApproval | undefined {
    return this.list().find((question) => question.id === id);
  }

  /** Answers what was shown. "always" also writes the rule down: from then on it holds in every room of that workspace. */
  async answer(question: PendingApproval, answer: Approval): Promise<void> {
    const { id, workspace, request } = question;
    if (answer.allow && answer.remember === "always") {
      const time = new Date().toISOString().slice(0, 16).replace("T", " ");
      const { granted } = policyFiles(this.#directories.config, workspace);
      await appendToPolicyFile(granted, [`# ${time} UTC, asked for by question ${id}`, ...request.grants]);
    }
    // A call that waits has been judged by the rules from before.
    const isRemembered = answer.allow && answer.remember === "session";
    this.#of(workspace).answer(question, answer.allow && !isRemembered ? { allow: true } : answer);
  }

  #of(workspace: string): PendingApprovals {
    return new PendingApprovals({
      folder: workspaceFiles(this.#directories.state, workspace).approvals,
      workspace,
    });
  }
}
