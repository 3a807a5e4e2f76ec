import { serveEnvironment } from "../environment/remote/serve-environment.ts";
import { walkWhole } from "../files/walk.ts";
import { confinedPaths } from "../policy/confined-paths.ts";
import { runServer } from "./server.ts";

// The server program that is sent to a target.
void runServer(JSON.parse(process.argv[2]!), (environment, link) =>
  serveEnvironment(environment, link, { pathRules: confinedPaths, walk: walkWhole }),
);
