/** One result of `toolcrib doctor`. */
export interface Finding {
  readonly about: string;
  /** The name in `--json`. The terminal shows ok, warning, problem. */
  readonly state: "well" | "note" | "wrong";
  readonly message: string;
  readonly hint?: string | undefined;
}

export function ok(about: string, message: string): Finding {
  return { about, state: "well", message };
}

/** Returns a finding that something works less well than it could. */
export function warning(about: string, message: string, hint?: string): Finding {
  return { about, state: "note", message, hint };
}

/** Returns a finding that something is broken or unsafe, so that doctor exits with 1. */
export function problem(about: string, message: string, hint: string): Finding {
  return { about, state: "wrong", message, hint };
}
