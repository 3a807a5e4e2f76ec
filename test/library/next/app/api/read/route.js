import { openToolcrib } from "toolcrib";

export const dynamic = "force-dynamic";

/** Uses tools with and without workers. */
export async function GET() {
  const toolcrib = await openToolcrib({ workspace: process.env.WORKSPACE });
  const calls = [
    ["file.read", { path: "poem.txt" }],
    ["search.grep", { pattern: "two" }],
    ["code.symbols", { path: "shapes.rs" }],
  ];
  const results = [];
  for (const [name, input] of calls) {
    const { isError, content } = await toolcrib.call(name, input);
    results.push(isError ? content : `${name} ok`);
  }
  await toolcrib.close();
  return Response.json(results);
}
