import { fingerprint } from "../../../lib/content-hash.ts";

/** What every provider takes as the name of a tool. */
const legal = /^[a-zA-Z0-9_-]{1,64}$/;
const maxChars = 64;

/** The name itself where providers take it, else one that is like it and the same each time. */
export function legalName(name: string): string {
  if (legal.test(name)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^_+(?=.)|(?<=.)_+$/g, "");
  const readable = /[a-zA-Z0-9]/.test(plain) ? plain : `tool_${fingerprint(name).slice(0, 8)}`;
  return readable.length <= maxChars ? readable : shortened(readable, name);
}

/** "server__tool": of one server only, whatever others have. */
export function longName(server: string, tool: string): string {
  const name = `${legalName(server)}__${legalName(tool)}`;
  return name.length <= maxChars ? name : shortened(name, `${server}\n${tool}`);
}

function shortened(name: string, whole: string): string {
  return `${name.slice(0, maxChars - 9)}_${fingerprint(whole).slice(0, 8)}`;
}
