/** One thing the doctor looked at. */
export interface Finding {
  readonly about: string;
  /** "note": worth knowing, and nothing is wrong. */
  readonly state: "well" | "note" | "wrong";
  readonly message: string;
  /** The way out, where there is one to go. */
  readonly hint?: string;
}

export function well(about: string, message: string): Finding {
  return { about, state: "well", message };
}

export function note(about: string, message: string, hint: string): Finding {
  return { about, state: "note", message, hint };
}

export function wrong(about: string, message: string, hint: string): Finding {
  return { about, state: "wrong", message, hint };
}
