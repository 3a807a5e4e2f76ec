import { chmodSync, createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { packageFolder } from "../debian-packages.ts";

const packed = findPackage();

/**
 * The Chromium of the npm package, which has one for x64. Undefined when it is not installed. It lies in a cache folder
 * of the user: the package itself would unpack it into the shared temporary folder, and start whatever lies there.
 */
export const unpackedBrowser: string | undefined =
  packed && join(packageFolder(`chromium-${packed.version}`), "chromium");

/** Before all tests: unpacks Chromium, so that no process starts it while another one still writes it. */
export async function setup(): Promise<void> {
  if (packed === undefined || unpackedBrowser === undefined || existsSync(unpackedBrowser)) return;
  mkdirSync(dirname(unpackedBrowser), { recursive: true });
  const unfinished = `${unpackedBrowser}.${process.pid}`;
  await pipeline(
    createReadStream(join(packed.folder, "bin/chromium.br")),
    createBrotliDecompress(),
    createWriteStream(unfinished),
  );
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, unpackedBrowser);
}

function findPackage(): { readonly folder: string; readonly version: string } | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const require = createRequire(import.meta.url);
  try {
    const file = require.resolve("@sparticuz/chromium");
    const folder = join(dirname(file), "..");
    return { folder, version: require(join(folder, "package.json")).version };
  } catch {
    return undefined;
  }
}
