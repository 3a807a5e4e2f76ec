import { createHash } from "node:crypto";

/**
 * Adds a Content-Security-Policy to an HTML page: only files of the website load, and only the inline scripts that the page was
 * built with run. Search compiles WebAssembly; highlighted code has style attributes.
 */
export function addContentPolicy(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = inline.map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(hashes)].join(" ")}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return html.replace(
    /<head>(?:<meta charset="utf-8"\/?>)?/i,
    (start) => `${start}<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}
