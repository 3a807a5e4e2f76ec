/** The pages of the website: the Markdown documents of the repository, with links that work on the website. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

export const repository = join(import.meta.dirname, "..");

export interface Page {
  /** The path below the root of the website, without slashes around it. */
  readonly slug: string;
  readonly title: string;
  /** The first paragraph, as plain text on one line. */
  readonly summary: string;
  /** Markdown without the title. Links are relative to the address of the page, pictures to its file. */
  readonly body: string;
}

/** The pages outside docs/, and those whose address differs from their name. The README becomes the landing page. */
const slugs: Readonly<Record<string, string>> = {
  "README.md": "",
  "CHANGELOG.md": "changelog",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "security-policy",
  "docs/README.md": "overview",
  "docs/decisions/README.md": "decisions",
};

/** Reads every document. Throws an error that lists all broken links. */
export function readPages(): readonly Page[] {
  const documents = [...Object.keys(slugs), ...globSync("docs/**/*.md", { cwd: repository })];
  const broken: string[] = [];
  const pages = [...new Set(documents)]
    .filter((document) => document !== "README.md")
    .sort()
    .map((document) => {
      const text = readFileSync(join(repository, document), "utf8");
      return makePage(document, text, (target) => broken.push(`${document}: ${target}`));
    });
  if (broken.length > 0) throw new Error(`These links have no target:\n${broken.join("\n")}`);
  return pages;
}

/** Makes a page from a document of the repository, and reports links without a target. */
export function makePage(document: string, text: string, report: (target: string) => void): Page {
  const [, heading, rest] = /^# (.+)\n([\s\S]*)$/.exec(text) ?? [];
  if (heading === undefined || rest === undefined)
    throw new Error(`${document} does not begin with a title.`);
  const slug = slugOf(document);
  const body = eachProse(rest, (prose) =>
    prose
      // Comments are for tests and for maintainers.
      .replace(/^<!--.*-->\n/gm, "")
      // Code between backticks is matched, too, so that links in it stay.
      .replace(
        /(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)|(`+)(?!`)[\s\S]+?(?<!`)\4(?!`)/g,
        (whole, image: string, label: string, target?: string) => {
          if (target === undefined || /^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return whole;
          const address = addressOf(document, target);
          if (address !== undefined)
            return `${image}[${label}](${image ? toFolder(slug) : toRoot(slug)}${address})`;
          if (image !== "" || !existsInRepository(document, target)) report(target);
          return label;
        },
      ),
  ).trim();
  return { slug, title: heading.replaceAll("`", ""), summary: summaryOf(body), body };
}

/** The files that pages link to and show: everything in docs/ that is not a page. Relative to docs/. */
export function listFiles(): readonly string[] {
  const files = globSync("docs/**/*.*", { cwd: repository }).filter((file) => !file.endsWith(".md"));
  return files.map((file) => relative("docs", file));
}

function slugOf(document: string): string {
  return slugs[document] ?? document.replace(/^docs\//, "").replace(/\.md$/, "");
}

/** Returns the address of a page or file below the root of the website; undefined for files that it does not have. */
function addressOf(document: string, target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = posix.join(dirname(document), path);
  if (!existsSync(join(repository, file))) return undefined;
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (file in slugs || /^docs\/.*\.md$/.test(file)) return `${slugOf(file)}/${hash}`.replace(/^\//, "");
  return /^docs\/.*\.\w+$/.test(file) ? file.slice("docs/".length) : undefined;
}

function existsInRepository(document: string, target: string): boolean {
  const [path = ""] = target.split("#");
  return globSync(posix.join(dirname(document), path), { cwd: repository }).length > 0;
}

/** The path from the address of a page to the root of the website. */
function toRoot(slug: string): string {
  return "../".repeat(slug.split("/").length);
}

/** The path from the Markdown file of a page to the folder of all pages, where the generator looks for pictures. */
function toFolder(slug: string): string {
  return `./${"../".repeat(slug.split("/").length - 1)}`;
}

/** Changes a Markdown text, except its code blocks. */
function eachProse(text: string, change: (prose: string) => string): string {
  const parts = text.split(/^(```[\s\S]*?^```)$/m);
  return parts.map((part) => (part.startsWith("```") ? part : change(part))).join("");
}

function summaryOf(body: string): string {
  const isParagraph = (block: string) => /^[\w`"*[]/.test(block);
  const paragraph = body.split(/\n\n+/).find(isParagraph) ?? "";
  return paragraph
    .replace(/\[((?:`[^`]*`|[^\]`])*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
