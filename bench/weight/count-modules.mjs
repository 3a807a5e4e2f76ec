import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

// node --import count-modules.mjs PROGRAM: prints at the end how many modules of the folder COUNT_MODULES_OF were loaded.

const folder = `${pathToFileURL(process.env.COUNT_MODULES_OF)}/`;
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    if (url.startsWith(folder)) loaded.add(url);
    return next(url, context);
  },
});
process.on("exit", () => process.stdout.write(`\nmodules: ${loaded.size}\n`));
