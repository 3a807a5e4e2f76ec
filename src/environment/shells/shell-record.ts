import type { ShellPast } from "../../contract/process.ts";

/** Remembers the commands of one shell, within bounds. */
export class ShellRecord {
  readonly #commands = new Set<string>();
  readonly #directory: () => string | undefined;
  #length = 0;

  constructor(directory: () => string | undefined) {
    this.#directory = directory;
  }

  note({ command }: { readonly command: string }): void {
    if (this.#commands.has(command)) return;
    this.#length += command.length;
    if (this.#isWhole) this.#commands.add(command);
  }

  past(): ShellPast {
    return { commands: [...this.#commands], isWhole: this.#isWhole, cwd: this.#directory() };
  }

  get #isWhole(): boolean {
    return this.#length <= mostCharacters;
  }
}

const mostCharacters = 4 * 1024 * 1024;
