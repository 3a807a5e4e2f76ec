import type * as bash from "unbash";
import { readScript } from "./read-script.ts";
import { doubt, type Scope } from "./scope.ts";

/** `$(…)`, backticks and `<(…)`. Their shell inherits the directory, and cannot change it for others. */
export function readSubstitution(
  part: bash.CommandExpansionPart | bash.ProcessSubstitutionPart | bash.ArithmeticCommandExpansion,
  scope: Scope,
): void {
  scope.reading.budget -= part.end - part.pos;
  if (scope.reading.budget < 0 || part.script === undefined) {
    doubt(scope, "a substitution that could not be parsed", part);
    return;
  }
  if (scope.source.startsWith("$((", part.pos)) doubt(scope, "parentheses that may be arithmetic", part);
  if (!keepsDocuments(part.script, part.text))
    doubt(scope, "a here-document in a substitution, which bash may put elsewhere", part);
  const { source } = part.script;
  const span = scope.locate(part.pos, part.end);
  readScript(part.script, {
    ...scope,
    rewritten: true,
    shell: { ...scope.shell },
    ...(source === undefined ? {} : { source, locate: () => span }),
  });
}

/**
 * bash 5.2 writes the commands of a substitution anew before it runs them, and gets here-documents wrong that are
 * followed by anything: `$(a <<E; b c; d` can run `b c d`. Only a lone command with its document is sure.
 */
function keepsDocuments(script: bash.ParsedScript, text: string): boolean {
  if (!/<<(?!<)/.test(text.replaceAll("<<<", ""))) return true;
  const [only, ...more] = script.commands;
  const documents = only?.command.type === "Command" ? only.command.redirects.filter(isDocument) : [];
  const end = documents[0]?.closing?.end ?? script.end;
  return more.length === 0 && documents.length === 1 && end >= script.end - 1 && only?.background !== true;
}

function isDocument(redirect: bash.Redirection): redirect is bash.HereDoc {
  return redirect.type === "HereDoc";
}
