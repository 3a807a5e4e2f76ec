/** A web server's approvals: the failed call carries the request, and the answer is stored for the same call. */
import { readFileSync } from "node:fs";
import { openToolcrib } from "toolcrib";

const toolcrib = await openToolcrib({ workspace: ".", mode: "safe" });
const read = await toolcrib.check("file.read", { path: "poem.txt" });
const write = await toolcrib.check("file.write", { path: "poem.txt", content: "three\n" });
console.log(read.verdict, write.verdict, readFileSync("poem.txt", "utf8").length);
// prints: allow ask 8

const call = () => toolcrib.call("file.write", { path: "poem.txt", content: "three\n" });
const first = await call();
const request = first.error?.approval;
console.log(first.error?.code, request?.tool);
// prints: needs-approval file.write
const waiting = await toolcrib.approvals.list();
console.log(waiting.length, waiting[0]?.id === request?.id);
// prints: 1 true
if (request) await toolcrib.approvals.answer(request.id, { allow: true, hash: request.hash });
console.log((await call()).isError, readFileSync("poem.txt", "utf8").trim());
// prints: false three
// The answer counted once.
console.log((await toolcrib.call("file.write", { path: "poem.txt", content: "four\n" })).error?.code);
// prints: needs-approval
await toolcrib.close();
