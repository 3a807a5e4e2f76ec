/** What a client may tell its model of the whole: short, since it is read with every request. */
export function instructionsFor({ workspace, readOnly }: InstructionFacts): string {
  return [
    `Tools for the folder ${workspace}.`,
    readOnly
      ? "Nothing can be changed here."
      : "Edits are exact and can be undone; a refusal says why and what would be allowed.",
    "What is too long to show is kept: its handle (out_…) stands for a path wherever one is read.",
  ].join(" ");
}

export interface InstructionFacts {
  readonly workspace: string;
  readonly readOnly: boolean;
}
