import { allWorkspaceFiles, workspaceFiles } from "../../system/directories.ts";
import { policyFiles } from "../../system/policy-files.ts";
import { type Approval, rulesOfWidth } from "./approval-request.ts";
import { addGrant } from "./grants.ts";
import { PendingApprovals } from "./pending-approvals.ts";
import type { PendingApproval } from "./stored-approval.ts";

/** The pending approvals of all workspaces, for the user to list and answer. */
export class AllPendingApprovals {
  readonly #directories: { readonly state: string; readonly config: string };

  constructor(directories: { readonly state: string; readonly config: string }) {
    this.#directories = directories;
  }

  /** Returns the pending approvals of one workspace, or of all, oldest first. */
  list(workspace?: string): readonly PendingApproval[] {
    if (workspace !== undefined) return this.#of(workspace).list();
    return allWorkspaceFiles(this.#directories.state)
      .flatMap(({ approvals: folder }) => new PendingApprovals({ folder, workspace: "" }).list())
      .sort((one, other) => one.askedAt - other.askedAt);
  }

  find(id: string): PendingApproval | undefined {
    return this.list().find((pending) => pending.id === id);
  }

  /** Answers a request. "always" also writes its rules, which then apply to every session in that workspace. */
  async answer(pending: PendingApproval, answer: Approval): Promise<void> {
    const { id, workspace, request } = pending;
    // A waiting call was checked without the new rules, so it needs the answer too. An answer that comes too late adds none.
    const isRemembered = answer.allow && answer.remember === "session";
    this.#of(workspace).answer(pending, answer.allow && !isRemembered ? { allow: true } : answer);
    if (!answer.allow || answer.remember !== "always") return;
    const { granted } = policyFiles(this.#directories.config, workspace);
    await addGrant(granted, rulesOfWidth(request, answer.width), `approval ${id}`);
  }

  #of(workspace: string): PendingApprovals {
    const folder = workspaceFiles(this.#directories.state, workspace).approvals;
    return new PendingApprovals({ folder, workspace });
  }
}
