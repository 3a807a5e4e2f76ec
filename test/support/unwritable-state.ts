// Run with the permissions of an ordinary user: prints what doctor finds about a state folder that cannot be created, and
// one that is read-only.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { examineFolders } from "../../src/cli/doctor/examine-installation.ts";
import { policyFiles } from "../../src/system/policy-files.ts";

const [top = ""] = process.argv.slice(2);
const config = join(top, "config");
const state = join(top, "home/state");
const found = () => examineFolders({ state, config, files: policyFiles(config, top) })[0];
mkdirSync(join(top, "home"), { mode: 0o500 });
const missing = found();
chmodSync(join(top, "home"), 0o700);
mkdirSync(state, { mode: 0o500 });
const readOnly = found();
process.stdout.write(JSON.stringify({ missing, readOnly }));
