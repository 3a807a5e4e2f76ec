/** Instructions for the client's model; short, because every request contains them. */
export function instructionsFor(facts: { readonly workspace: string; readonly readOnly: boolean }): string {
  return [
    `Tools for the folder ${facts.workspace}.`,
    facts.readOnly
      ? "These tools change nothing."
      : "Edits are exact and can be undone. If a call is denied, the error says why.",
    "Long output is stored under a handle (out_…), which you can read like a file.",
  ].join(" ");
}
