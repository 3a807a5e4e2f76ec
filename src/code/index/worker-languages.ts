interface Waiting {
  readonly language: string | undefined;
  readonly bytes: number;
}

/**
 * Which worker reads which languages. A grammar and its query take a second to load and to get warm: as few workers as can be
 * should do that for each.
 */
export class WorkerLanguages {
  readonly #claimed: readonly Set<string>[];

  constructor(workers: number) {
    this.#claimed = Array.from({ length: workers }, () => new Set<string>());
  }

  /** What a worker should read next: its own languages, then those that nobody has; only else those of others. */
  choose<File extends Waiting>(files: readonly File[], worker: number): readonly File[] {
    const [own, others] = [this.#claimed[worker]!, this.#claimed.filter((_, other) => other !== worker)];
    const byLanguage = Map.groupBy(files, ({ language }) => language);
    const isFree = (language: string | undefined) =>
      language === undefined || own.has(language) || !others.some((claimed) => claimed.has(language));
    const free = [...byLanguage].filter(([language]) => isFree(language));
    const rank = (language: string | undefined) => (language === undefined ? 2 : own.has(language) ? 0 : 1);
    const chosen = (free.length > 0 ? free : [...byLanguage]).map(([language, held]) => ({
      held,
      rank: rank(language),
      bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
    }));
    chosen.sort((one, other) => one.rank - other.rank || other.bytes - one.bytes);
    return chosen.flatMap(({ held }) => held);
  }

  claim(files: readonly Pick<Waiting, "language">[], worker: number): void {
    for (const { language } of files) if (language !== undefined) this.#claimed[worker]!.add(language);
  }
}
