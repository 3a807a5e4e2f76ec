import { lstatSync } from "node:fs";

// Looking at all of them takes some hundred microseconds at most.
const pauseMs = 50;

/**
 * Whoever replaces a file outside, as editors and git do when they save, takes away what is mounted on it in every
 * sandbox that runs: the kernel lets go of it. So these places are looked at all the while.
 */
export class CoverWatch {
  readonly #found: readonly { readonly path: string; readonly identity: string }[];
  #timer: NodeJS.Timeout | undefined;
  #replaced: string | undefined;

  /** To be made before they are mounted on. */
  constructor(covered: readonly string[]) {
    this.#found = covered.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [{ path, identity }];
    });
  }

  /** One that is no longer what it was. */
  replaced(): string | undefined {
    this.#replaced ??= this.#found.find(({ path, identity }) => identityOf(path) !== identity)?.path;
    return this.#replaced;
  }

  begin(onReplaced: () => void): void {
    if (this.#found.length === 0) return;
    this.#timer = setInterval(() => {
      if (this.replaced() === undefined) return;
      clearInterval(this.#timer);
      onReplaced();
    }, pauseMs).unref();
  }

  /** Tells what happened. */
  end(): readonly string[] {
    clearInterval(this.#timer);
    if (this.#timer === undefined || this.replaced() === undefined) return [];
    return [
      `${this.#replaced} was replaced while the command ran, which uncovers it in the sandbox: the command was ended if it still ran. Start it again.`,
    ];
  }
}

/** Undefined when nothing is there. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
