/** How a block is named. */
export interface BlockWanted {
  /** As in the file, or with what it lies in: "Agent.run", "Agent::run". */
  readonly name: string;
  readonly kind?: string | undefined;
  readonly modulePath?: string | undefined;
  readonly lineHint?: number | undefined;
}

/** "function `run` in impl Agent". */
export function describeWanted({ kind, name, modulePath }: BlockWanted): string {
  const words = kind === undefined || kind.trim() === "" ? "" : `${kind.trim()} `;
  const place = modulePath === undefined || modulePath.trim() === "" ? "" : ` in ${modulePath.trim()}`;
  return `${words}\`${name}\`${place}`;
}
