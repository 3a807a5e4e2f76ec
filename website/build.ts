/**
 * Builds the website into website/dist: installs the generator where it is missing, writes the pages for it, runs it, and finishes
 * the result. Fails on a broken link. `npm run website -- --site https://example.org/toolcrib` sets the address of the website.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import packageDescription from "../package.json" with { type: "json" };
import { findBrokenLinks } from "./check-links.ts";
import { addContentPolicy } from "./content-policy.ts";
import { writeLanguageModelFiles } from "./language-model-files.ts";
import { listFiles, type Page, readPages, repository } from "./pages.ts";

const folder = import.meta.dirname;
const content = join(folder, "src/content/docs");
const output = join(folder, "dist");

const { site } = parseArgs({ options: { site: { type: "string" } } }).values;
if (site !== undefined && !/^https?:/.test(URL.parse(site)?.protocol ?? "")) {
  console.error(`Not a web address: ${site}\nRun: npm run website -- --site https://example.org/toolcrib`);
  process.exit(2);
}
const base = site === undefined ? "/" : new URL(site).pathname.replace(/\/?$/, "/");
const pages = readPages();
install();
writePages(pages);
copyFiles();
runAstro();
checkSearch();
for (const file of globSync("**/*.html", { cwd: output })) {
  const path = join(output, file);
  writeFileSync(path, addContentPolicy(readFileSync(path, "utf8")));
}
writeLanguageModelFiles(output, pages, site ?? "");
const broken = findBrokenLinks(output, base);
if (broken.length > 0) {
  console.error(`These links of the website have no target:\n${broken.join("\n")}`);
  process.exitCode = 1;
} else {
  console.log(`Built ${pages.length + 1} pages in ${output}`);
}

function install(): void {
  const [wanted, installed] = ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
    statSync(join(folder, file), { throwIfNoEntry: false }),
  );
  if (installed !== undefined && installed.mtimeMs > wanted!.mtimeMs) return;
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
  });
}

function writePages(all: readonly Page[]): void {
  rmSync(content, { recursive: true, force: true });
  for (const { slug, title, summary, body } of all) {
    // YAML reads JSON strings.
    const fields = [`title: ${JSON.stringify(title)}`, `description: ${JSON.stringify(summary)}`];
    write(join(content, `${slug}.md`), `---\n${fields.join("\n")}\n---\n\n${body}\n`);
  }
  const landing = readFileSync(join(folder, "landing.mdx"), "utf8");
  write(
    join(content, "index.mdx"),
    landing.replace("DESCRIPTION", JSON.stringify(packageDescription.description)),
  );
}

function copyFiles(): void {
  const target = join(folder, "public");
  rmSync(target, { recursive: true, force: true });
  for (const file of listFiles()) {
    // The generator adds the size of a picture to the page, so that the text does not jump while it loads.
    const isPicture = file.startsWith("assets/");
    cpSync(join(repository, "docs", file), join(isPicture ? content : target, file));
  }
  cpSync(join(repository, "src/console/page/icon.svg"), join(target, "icon.svg"));
}

function runAstro(): void {
  execFileSync(process.execPath, [join(folder, "node_modules/astro/bin/astro.mjs"), "build"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      ASTRO_TELEMETRY_DISABLED: "1",
      // A build for development would leave out search.
      NODE_ENV: "production",
      ...(site !== undefined && { TOOLCRIB_WEBSITE: site }),
    },
  });
}

/** The generator may end before all files of the search index are written, on a busy machine. Search would find nothing. */
function checkSearch(): void {
  const files = globSync("pagefind/**/*.*", { cwd: output });
  const empty = files.filter((file) => statSync(join(output, file)).size === 0);
  if (files.length > 0 && empty.length === 0) return;
  console.error(
    `The search index is incomplete. Empty files: ${empty.join(", ")}\nRun again: npm run website`,
  );
  process.exit(1);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
