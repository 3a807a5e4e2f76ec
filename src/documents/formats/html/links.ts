/** Turns what a page names its links by into where they lead. */
export type Locate = (link: string) => string | undefined;

/** Links within the page stay as they are. Nothing for what leads nowhere: scripts, and data in place of an address. */
export function locateFrom(base: string | undefined): Locate {
  const origin = base === undefined ? undefined : URL.parse(base)?.origin;
  return (link) => {
    const trimmed = link.trim();
    // Most links are plain, and to read each as an address takes longer than all else.
    if (/^https?:\/\/[a-z0-9.-]+\/[\w/.~=&?#%+:;,-]*$/.test(trimmed) && !trimmed.includes("/."))
      return destination(trimmed);
    if (origin !== undefined && /^\/\w[\w/.~=&?#%+:;,-]*$/.test(trimmed) && !trimmed.includes("/.")) {
      return destination(origin + trimmed);
    }
    if (/^(?:javascript|data|vbscript|blob|about):/i.test(trimmed)) return undefined;
    if (trimmed === "" || trimmed.startsWith("#")) return destination(trimmed);
    const url = base === undefined ? undefined : URL.parse(trimmed, base);
    return destination(url?.href ?? trimmed);
  };
}

/** An address as it can stand in a link. */
function destination(url: string): string {
  const kept = url.length > maxLength ? url.slice(0, maxLength) : url;
  if (!/[\s()<>\\]/.test(kept)) return kept;
  return kept.replace(/[\s()<>\\]/g, (character) =>
    encodeURIComponent(character).replace("(", "%28").replace(")", "%29"),
  );
}

/** Longer ones than this carry data, not an address. */
const maxLength = 2000;
