import * as z from "zod/mini";

/** Sites that are wanted, or not. */
export interface Domains {
  /** All, if there are none. */
  readonly only: readonly string[];
  readonly without: readonly string[];
}

export function domains(description: string): z.ZodMiniArray<z.ZodMiniString> {
  const domain = z.string().check(
    z.regex(/^(?!-)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u, {
      error: 'a domain is like "docs.rs", without https:// and path',
    }),
  );
  return z.array(domain).check(z.maxLength(20), z.describe(description));
}

/** The query with what engines understand of sites. */
export function queryFor(query: string, { only, without }: Domains): string {
  const wanted = only.map((domain) => `site:${domain}`).join(" OR ");
  return [query, ...(wanted === "" ? [] : [wanted]), ...without.map((domain) => `-site:${domain}`)].join(" ");
}

export function isWanted(url: string, { only, without }: Domains): boolean {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return only.length === 0;
  const isOf = (domain: string) => {
    const name = URL.parse(`https://${domain}`)?.hostname ?? domain;
    return host === name || host.endsWith(`.${name}`);
  };
  return (only.length === 0 || only.some(isOf)) && !without.some(isOf);
}
