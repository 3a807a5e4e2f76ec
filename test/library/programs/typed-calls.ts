/** Inputs and data of canonical tools are typed, and mistakes in options are refused at opening. */
import { openToolcrib } from "toolcrib";

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

// @ts-expect-error An option that does not exist.
const refused = await openToolcrib({ workspace: ".", worspace: "." }).catch(
  (reason: Error) => reason.message,
);
console.log(refused);
// prints: openToolcrib has no option "worspace"
const unknown = await openToolcrib({ workspace: ".", session: "session_1" }).catch((reason) => reason.code);
console.log(unknown);
// prints: not-found
