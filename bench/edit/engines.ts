import { openCodex, openGitApply, openGnuPatch } from "./engines/programs.ts";
import { openExactSubstring, openGemini, openJsdiff, openPi } from "./engines/text-engines.ts";
import { openToolcrib } from "./engines/toolcrib.ts";
import type { Engine } from "./task.ts";

export interface EngineEntry {
  readonly open: (module?: string) => Engine | Promise<Engine>;
  /** How many tasks it takes, as a sample. Default: all. */
  readonly sample?: number;
  /** The number of seconds after which it starts no more tasks. */
  readonly seconds?: number;
}

/** All measured engines. Peers take a sample, because some need seconds for a task. */
export const engines: Readonly<Record<string, EngineEntry>> = {
  toolcrib: { open: openToolcrib },
  "exact substring": { open: openExactSubstring },
  "codex apply_patch": { open: openCodex, sample: 4000, seconds: 50 },
  "gemini-cli": { open: openGemini, sample: 2000, seconds: 50 },
  "pi-coding-agent": { open: openPi, sample: 6000, seconds: 50 },
  "diff, fuzz 0": { open: () => openJsdiff(0), sample: 6000, seconds: 50 },
  "diff, fuzz 2": { open: () => openJsdiff(2), sample: 6000, seconds: 50 },
  "git apply": { open: () => openGitApply(), sample: 4000, seconds: 50 },
  "git apply --recount --ignore-whitespace": {
    open: () => openGitApply("--recount", "--ignore-whitespace"),
    sample: 4000,
    seconds: 50,
  },
  "GNU patch": { open: openGnuPatch, sample: 4000, seconds: 50 },
};
