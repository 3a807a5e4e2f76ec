import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "htmlparser2";

interface Document {
  /** The path on the server. */
  readonly path: string;
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/**
 * Returns the links of a built website that have no target: pages, pictures, scripts and anchors, and every file from another
 * server that a page would load. Links for the user to follow to other servers are not tried.
 */
export function findBrokenLinks(folder: string, base: string): readonly string[] {
  const documents = globSync("**/*.html", { cwd: folder }).map((file) => readDocument(folder, file, base));
  const byPath = new Map(documents.map((document) => [document.path, document]));
  return documents.flatMap(({ path, links }) =>
    links.filter((link) => !hasTarget(new URL(link, `http://site${path}`))).map((link) => `${path}: ${link}`),
  );

  function hasTarget(url: URL): boolean {
    if (url.host !== "site" || !url.pathname.startsWith(base)) return false;
    const file = join(folder, decodeURIComponent(url.pathname.slice(base.length)));
    const target = byPath.get(url.pathname);
    if (target === undefined) return existsSync(file) && statSync(file).isFile();
    return url.hash === "" || target.anchors.has(decodeURIComponent(url.hash.slice(1)));
  }
}

function readDocument(folder: string, file: string, base: string): Document {
  const links: string[] = [];
  const anchors = new Set(["_top"]);
  const parser = new Parser({
    onopentag(name, { id, href, src, srcset, rel }) {
      if (id !== undefined) anchors.add(id);
      if (src !== undefined) links.push(src);
      if (srcset !== undefined) links.push(...srcset.split(",").map((part) => part.trim().split(" ")[0]!));
      const isFollowed = name === "a" || rel === "canonical";
      if (href !== undefined && !(isFollowed && /^[a-z][a-z+.-]*:/i.test(href))) links.push(href);
    },
  });
  parser.end(readFileSync(join(folder, file), "utf8"));
  return { path: `${base}${file.replace(/(?:^|(?<=\/))index\.html$/, "")}`, links, anchors };
}
