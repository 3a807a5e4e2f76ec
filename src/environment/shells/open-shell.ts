import type { Environment } from "../../contract/environment.ts";
import type { Shell } from "./shell.ts";
import { ShellRecord } from "./shell-record.ts";

/** A shell with what is known of it. */
export class OpenShell extends ShellRecord {
  readonly shell: Shell;
  readonly confinement: Environment["confinement"];
  readonly startedAt: number = Date.now();
  lastSaid: number = Date.now();
  endedAt: number | undefined;
  exit: Awaited<Shell["ended"]> | undefined;
  /** Somebody was told that it has ended. */
  isToldOf = false;
  isTyped = false;

  constructor(shell: Shell, confinement: Environment["confinement"]) {
    super(() => shell.directory());
    this.shell = shell;
    this.confinement = confinement;
    void shell.ended.then((exit) => {
      this.exit = exit;
      this.endedAt = Date.now();
    });
  }

  takeTyped(): boolean {
    const { isTyped } = this;
    this.isTyped = false;
    return isTyped;
  }
}
