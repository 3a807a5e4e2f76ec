import type { ServerDefinition } from "../../contract/tool.ts";
import { diffContents } from "../../edit/rewrite/show-diff.ts";
import { attempt } from "../../system/attempt.ts";
import { mayExist, readPolicyFile, writePolicyFile } from "../../system/policy-files.ts";

/** The definitions of other servers' tools that users were asked about, to show later what has changed. */
export class ToolDefinitions {
  readonly #folder: string;

  constructor(config: string) {
    this.#folder = `${config}/tool-definitions`;
  }

  /** Stores a definition. Without it, a later question cannot show the difference, so a full disk stops nothing. */
  keep({ hash, text }: ServerDefinition): void {
    const file = this.#fileOf(hash);
    if (!mayExist(file)) attempt(() => writePolicyFile(file, text()));
  }

  /** Returns the lines that differ from the definition with the hash `before`, as in a unified diff. */
  changeSince(before: string, now: ServerDefinition): string {
    const old = attempt(() => readPolicyFile(this.#fileOf(before)));
    if (old === undefined) return "The definition that you allowed is no longer stored.";
    const contents = { path: "definition", before: Buffer.from(old), after: Buffer.from(now.text()) };
    return diffContents(contents).replace(/^--- .*\n\+\+\+ .*\n/, "");
  }

  #fileOf(hash: string): string {
    return `${this.#folder}/${hash}`;
  }
}
