import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns the faults of accessibility of what is shown, in both themes; those of the named impacts. Default: all. The themes
 * differ in nothing but colors, so the second one is only checked by the rules about colors.
 */
export async function faultsOf(page: Page, impacts?: readonly string[]): Promise<unknown> {
  const colors = { runOnly: ["color-contrast", "link-in-text-block"] };
  const found = [...(await faultsIn(page, "dark", {})), ...(await faultsIn(page, "light", colors))];
  return found.filter(({ impact }) => impacts?.includes(impact) ?? true);
}

async function faultsIn(page: Page, colorScheme: "dark" | "light", options: object): Promise<Fault[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  await page.emulateMedia({ colorScheme });
  return page.evaluate(async (chosen) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({ resultTypes: ["violations"], ...chosen });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      elements: nodes.map(({ html }) => html.slice(0, 200)),
    }));
  }, options);
}

interface Fault {
  readonly id: string;
  readonly impact: string;
  readonly elements: readonly string[];
}

interface Axe {
  run(options: object): Promise<{ readonly violations: readonly Violation[] }>;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
