import { writeFileSync } from "node:fs";
import { join } from "node:path";
import packageDescription from "../package.json" with { type: "json" };
import type { Page } from "./pages.ts";
import { groupPages } from "./sidebar.ts";

/** Writes llms.txt, a list of all pages for language models (https://llmstxt.org), and llms-full.txt, their whole text. */
export function writeLanguageModelFiles(folder: string, pages: readonly Page[], site: string): void {
  const bySlug = new Map(pages.map((page) => [page.slug, page]));
  const groups = groupPages(pages.map(({ slug }) => slug)).map(({ label, pages: slugs }) => ({
    label,
    pages: slugs.map((slug) => bySlug.get(slug)!),
  }));
  const addressOf = ({ slug }: Page) => `${site.replace(/\/$/, "")}/${slug}/`;
  const start = `# Toolcrib\n\n> ${packageDescription.description}\n`;
  const list = groups.map(({ label, pages: listed }) => {
    const lines = listed.map(
      (page) => `- [${page.title}](${addressOf(page)})${page.summary && `: ${page.summary}`}`,
    );
    return `\n## ${label}\n\n${lines.join("\n")}\n`;
  });
  writeFileSync(join(folder, "llms.txt"), start + list.join(""));
  const whole = groups
    .flatMap(({ pages: listed }) => listed)
    .map((page) => `\n# ${page.title}\n\nAddress of this page: ${addressOf(page)}\n\n${page.body}\n`);
  writeFileSync(join(folder, "llms-full.txt"), start + whole.join(""));
}
