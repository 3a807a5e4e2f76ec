import { extname } from "node:path";
import { readPackageFolder } from "../../system/package-file.ts";

/** The files of the built page. They are found by their exact address in a list, so no address can name another file. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>();

  constructor(folder: string) {
    for (const [name, bytes] of readPackageFolder(folder)) {
      const type = types[extname(name)];
      if (type !== undefined) this.#files.set(name === "index.html" ? "/" : `/${name}`, { bytes, type });
    }
    if (!this.#files.has("/")) this.#files.set("/", notBuilt);
  }

  find(address: string): PageFile | undefined {
    return this.#files.get(address);
  }
}

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

const types: { readonly [extension: string]: string | undefined } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webmanifest": "application/manifest+json",
};

const notBuilt: PageFile = {
  bytes: new TextEncoder().encode(
    "<!doctype html><title>Toolcrib</title><p>The page of the console is not built. Run: npm run build</p>\n",
  ),
  type: "text/html; charset=utf-8",
};
