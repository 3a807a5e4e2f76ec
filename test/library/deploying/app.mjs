import { openToolcrib } from "toolcrib";

/** Uses every file that Toolcrib starts or reads at run time: ripgrep, both workers, a Perl program. */
async function main() {
  const toolcrib = await openToolcrib({ workspace: ".", mode: "yolo" });
  for (const [name, input] of [
    ["search.grep", { pattern: "two" }],
    ["code.symbols", { path: "shapes.rs" }],
    ["document.read", { path: "poem.txt.gz", part: "entry poem.txt" }],
    ["process.start", { command: "stty size", terminal: true, wait_ms: 30_000 }],
  ]) {
    const { content, isError } = await toolcrib.call(name, input);
    console.log(name, isError ? content : "ok");
  }
  await toolcrib.close();
}

main().catch(({ message, hint }) => {
  console.log(`${message}\n${hint}`);
});
