/** Inputs and data of tools are typed and can be declared, and mistakes in options are refused at opening. */
import { openToolcrib, type Toolcrib } from "toolcrib";

// Compiled with `declaration`: the types of the results have names.
export const readPoem = (opened: Toolcrib) => opened.call("file.read", { path: "poem.txt" });
export const runTests = (opened: Toolcrib) => opened.call("shell.run", { command: "npm test" });
export const indexOf = (opened: Toolcrib) => opened.codeIndex(AbortSignal.timeout(1_000));
export const projectOf = (opened: Toolcrib) => opened.project;

const mode = process.env.MODE === "safe" ? "safe" : undefined;
const toolcrib = await openToolcrib({ workspace: ".", mode, approve: undefined, sandbox: undefined });
const { data, error } = await toolcrib.call("file.read", { paths: ["poem.txt"] }, { timeoutMs: undefined });
const kinds: readonly string[] = data?.files.map(({ path, kind }) => `${path} ${kind}`) ?? [];
console.log(kinds.join(), error);
// prints: poem.txt text null

// @ts-expect-error The input of search.grep has no field "regex".
const wrong = await toolcrib.call("search.grep", { regex: "two" });
console.log(wrong.error?.code);
// prints: invalid-input
await toolcrib.close();

// The names and inputs of a built-in dialect are typed, too.
const claude = await openToolcrib({ workspace: ".", dialect: "claude-code" });
const { data: found } = await claude.call("Glob", { pattern: "*.txt" });
console.log(found?.files[0]?.path);
// prints: poem.txt
// @ts-expect-error The input of Read has no field "path".
const misread = await claude.call("Read", { path: "poem.txt" });
console.log(misread.error?.code);
// prints: invalid-input
await claude.close();

// @ts-expect-error An option that does not exist.
const refused = await openToolcrib({ workspace: ".", worspace: "." }).catch(
  (reason: Error) => reason.message,
);
console.log(refused);
// prints: openToolcrib has no option "worspace"
const unknown = await openToolcrib({ workspace: ".", session: "session_1" }).catch((reason) => reason.code);
console.log(unknown);
// prints: not-found
