import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { serveEnvironment } from "../environment/remote/serve-environment.ts";
import { walkWhole } from "../files/walk.ts";
import { confinedPaths } from "../policy/confined-paths.ts";
import { setPackageFolder } from "../system/package-file.ts";
import { runServer } from "./server.ts";

// The server program that is sent to a target. It is one file without the rest of the package.
setPackageFolder(dirname(realpathSync(process.argv[1]!)));
void runServer(JSON.parse(process.argv[2]!), (environment, link) =>
  serveEnvironment(environment, link, { pathRules: confinedPaths, walk: walkWhole }),
);
