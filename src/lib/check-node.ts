/**
 * Stops old versions of Node and other runtimes with one sentence. Every entry of the package imports this module first,
 * because other modules would fail in ways that explain nothing.
 */
const { node, bun, deno }: Readonly<Record<string, string | undefined>> = process.versions;
const [major = 0, minor = 0] = (node ?? "").split(".").map(Number);
const isOld = major < 22 || (major === 22 && minor < 18);
const other = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : isOld ? `Node ${node}` : undefined;

if (other !== undefined)
  throw new Error(
    `toolcrib needs Node 22.18 or newer; this is ${other}. Install Node from https://nodejs.org and start your program with node.`,
  );

export {};
