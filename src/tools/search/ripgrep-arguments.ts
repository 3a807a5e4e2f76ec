import type { GrepRequest } from "./grep-request.ts";
import { maxLineChars } from "./show-line.ts";

/**
 * What ripgrep is told: nothing from the user's settings, one record a line, paths ended by NUL, and never a whole long
 * line. Paths begin with "./", so that none looks like a flag.
 */
export function searchArguments(
  request: GrepRequest,
  paths: readonly string[],
  filters: readonly string[],
): readonly string[] {
  const { multiline, mode, before, after } = request;
  const limit = Math.min(request.limit, request.maxPerFile);
  const flags = ["--no-heading", "--with-filename", "--null", "--no-context-separator"];
  if (mode === "count" && !multiline) flags.push("--count");
  else flags.push("-n", "-b", "--column", "-M", String(maxLineChars), "--max-columns-preview");
  if (mode === "content") flags.push("-m", String(limit + 1), "-B", String(before), "-A", String(after));
  if (mode === "files") flags.push("-m", "1");
  if (request.hidden) flags.push("--hidden");
  if (!request.ignoreFiles) flags.push("--no-ignore");
  // Git's own folder must not come up when hidden files do.
  return [...flags, "-g", "!.git", ...filters, ...patternArguments(request, paths)];
}

/** Tells by the exit code alone whether a file has the pattern, be it text or not. */
export function testArguments(request: GrepRequest, path: string): readonly string[] {
  return ["--quiet", "--text", ...patternArguments(request, [path])];
}

function patternArguments(request: GrepRequest, paths: readonly string[]): string[] {
  const flags = ["--no-config", "--color=never"];
  if (request.literal) flags.push("-F");
  if (request.ignoreCase) flags.push("-i");
  if (request.wholeWord) flags.push("-w");
  if (request.multiline) flags.push("-U");
  if (request.regex.crlf) flags.push("--crlf");
  return [...flags, "-e", request.pattern, "--", ...paths.map((path) => `./${path}`)];
}
