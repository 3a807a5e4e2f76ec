import type { ChangedText, Diagnostic } from "../../contract/language-server.ts";
import type { RunningServer } from "./running-server.ts";

/** Returns the errors of the changed files that were not there before. The server compares the texts, not the files. */
export async function newErrorsIn(
  server: Pick<RunningServer, "files" | "diagnostics">,
  changes: readonly ChangedText[],
  signal: AbortSignal,
  { areTried = false }: { readonly areTried?: boolean } = {},
): Promise<readonly Diagnostic[]> {
  const textsOf = (state: "before" | "after") =>
    changes.flatMap(({ path, [state]: text }) => (text === undefined ? [] : [{ path, text }]));
  const errorsOf = async (state: "before" | "after") => {
    // All files first, because they may depend on each other.
    const sources = textsOf(state);
    for (const source of sources) server.files.show(source);
    const found: Diagnostic[] = [];
    for (const source of sources) found.push(...(await server.diagnostics(source, signal)));
    return found.filter(({ severity }) => severity === "error");
  };
  const before = await errorsOf("before");
  if (!areTried)
    server.files.announceWritten(changes.map(({ path, after }) => ({ path, exists: after !== undefined })));
  // A tried rename also changes the messages of earlier errors.
  const keyOf = areTried ? codeKey : messageKey;
  return errorsAdded(before, await errorsOf("after"), keyOf);
}

/** Returns the later errors that have no equal earlier one. Their lines may have moved. */
function errorsAdded(
  before: readonly Diagnostic[],
  after: readonly Diagnostic[],
  keyOf: (error: Diagnostic) => string,
): readonly Diagnostic[] {
  const known = new Map<string, number>();
  for (const error of before) known.set(keyOf(error), (known.get(keyOf(error)) ?? 0) + 1);
  return after.filter((error) => {
    const left = known.get(keyOf(error)) ?? 0;
    known.set(keyOf(error), left - 1);
    return left <= 0;
  });
}

function messageKey({ path, code, message }: Diagnostic): string {
  return JSON.stringify([path, code, message]);
}

function codeKey({ path, code }: Diagnostic): string {
  return JSON.stringify([path, code]);
}
