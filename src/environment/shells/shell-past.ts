/** What a living shell has been through: enough to know what it may have become. */
export interface ShellPast {
  /** What it was told to run, each text once, oldest first. */
  readonly commands: readonly string[];
  /** Nothing is missing from `commands`. */
  readonly isWhole: boolean;
  /** Where it is now; undefined when that cannot be told. */
  readonly cwd: string | undefined;
}

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
