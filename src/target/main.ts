import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { serveEnvironment } from "../environment/remote/serve-environment.ts";
import { walkWhole } from "../files/walk.ts";
import { confinedPaths } from "../policy/confined-paths.ts";
import { inGit } from "../system/in-git.ts";
import { setPackageFolder } from "../system/package-file.ts";
import { lookAt } from "../system/public-keys.ts";
import { runServer } from "./server.ts";
import { listWhole, searchWhole } from "./whole-operations.ts";

// The server program that is sent to a target. It is one file without the rest of the package. Its arguments are the path of
// that file and its options.
const [, , path = "", options = ""] = process.argv;
setPackageFolder(dirname(realpathSync(path)));
void runServer(JSON.parse(options), (environment, link, attacked) =>
  serveEnvironment(environment, link, {
    ...{ pathRules: (rules) => confinedPaths(rules, { lookAt, inGit }), attacked },
    ...{ walk: walkWhole, search: searchWhole, list: listWhole },
  }),
);
